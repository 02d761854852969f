"""A folder of images as a row below the maps of all heads."""

import csv
import io
import shutil
from pathlib import Path

from harness import IMAGES, SOURCE, WindowTest, main

FAMILIES = SOURCE / "tests" / "golden" / "families"


class Folder(WindowTest):
    def photos(self):
        folder = self.folder / "photos"
        folder.mkdir()
        shutil.copy(IMAGES / "shapes.png", folder / "a 1.png")
        shutil.copy(IMAGES / "cat.jpg", folder / "a 10.jpg")
        shutil.copy(IMAGES / "shapes.png", folder / "a 2.png")
        return folder

    def model(self, family="timm_registers"):
        folder = self.folder / "models" / family
        folder.mkdir(parents=True)
        shutil.copy(FAMILIES / f"{family}.model.safetensors", folder / "model.safetensors")
        shutil.copy(FAMILIES / f"{family}.config.json", folder / "config.json")
        return folder / "model.safetensors"

    def shows(self, app, name):
        app.until(lambda r: r["reports"]["state.image"].endswith(name) and not r["busy"], name)

    def test_a_folder_on_the_command_line_stands_as_a_row(self):
        app = self.start(self.photos(), self.model())
        self.assertEqual(app.reports()["field.screen"], "heads")
        self.assertEqual(app.reports()["heads.folder"], "3 images in photos")
        self.shows(app, "a 1.png")
        app.click("heads.large[1,1]")
        query = app.until(lambda r: r["reports"]["heads.query"].startswith("token"), "a patch")
        app.away()
        app.click("heads.folder.image.a 10.jpg")
        self.shows(app, "a 10.jpg")
        app.away()
        app.until_reports(heads__query=query["reports"]["heads.query"])
        app.key("Prior")  # PageUp, in natural order
        self.shows(app, "a 2.png")
        app.key("Next")
        self.shows(app, "a 10.jpg")
        app.key("Next")  # the last
        self.shows(app, "a 10.jpg")
        app.key("ctrl+z")
        self.shows(app, "a 2.png")
        app.click("heads.folder.close")
        app.until(lambda r: "heads.folder" not in r["reports"], "no row")
        app.key("ctrl+z")
        app.until(lambda r: "heads.folder" in r["reports"], "the row again")

    def test_all_are_measured_and_the_present_one_has_its_place(self):
        app = self.start(self.photos(), self.model())
        self.assertNotIn("heads.among.entropy", app.reports())
        app.click("heads.folder.measure")
        app.until_reports(**{"heads.folder.measured": "3"})
        numbers = []
        for name in ("a 1.png", "a 2.png", "a 10.jpg"):
            app.click(f"heads.folder.image.{name}")
            self.shows(app, name)
            app.away()
            numbers.append(float(app.reports()["heads.number.entropy"].split()[0]))
        mean, deviation, count = map(float, app.reports()["heads.among.entropy"].split())
        self.assertEqual(count, 3)
        self.assertAlmostEqual(mean, sum(numbers) / 3, delta=2e-3)
        expected = (sum((x - mean) ** 2 for x in numbers) / 2) ** 0.5
        self.assertAlmostEqual(deviation, expected, delta=2e-3)
        self.assertNotIn("heads.among.change when off", app.reports())
        app.click("heads.order")
        app.click("heads.order.by importance")
        app.until(lambda r: r["reports"].get("heads.among.change when off", "").endswith(" 3"),
                  "the importance on all")
        app.click("heads.order")
        app.click("heads.order.by attribution")
        app.until(lambda r: r["reports"].get("heads.among.off, estimated", "").endswith(" 3"),
                  "the attribution on all")
        self.assertNotIn("heads.among.change when off", app.reports())

    def test_what_was_measured_is_copied_and_saved_as_a_table(self):
        app = self.start(self.photos(), self.model())
        app.point("heads.folder.image.a 2.png")
        app.key("ctrl+c")
        app.until(lambda r: "no measurements of a folder" in r["reports"]["notice"], "a refusal")
        self.assertNotIn("heads.folder.copy", app.settled()["names"])
        app.click("heads.folder.measure")
        app.until_reports(**{"heads.folder.measured": "3"})
        app.click("heads.folder.copy")
        app.until_reports(notice="Copied the heads' numbers on 3 images.")
        copied = app.clipboard()
        lines = list(csv.DictReader(io.StringIO(copied), delimiter="\t"))
        maps = int(app.reports()["heads.maps"])
        self.assertEqual(len(lines), 3 * maps)
        self.assertEqual({Path(line["image"]).name for line in lines},
                         {"a 1.png", "a 2.png", "a 10.jpg"})
        # As the card and its dots say.
        mine = [line for line in lines
                if line["layer"] == "1" and line["head"] == "1"]
        mean, _, count = map(float, app.reports()["heads.among.entropy"].split())
        self.assertEqual(count, len(mean_of := [float(line["entropy (bits)"]) for line in mine]))
        self.assertAlmostEqual(mean, sum(mean_of) / 3, delta=1e-6)
        for line in lines:
            self.assertAlmostEqual(float(line["distance (pixels)"]) /
                                   float(line["distance (patches)"]), 4, delta=1e-9)
        app.point("heads.folder.image.a 1.png")
        app.key("ctrl+c")
        app.until_reports(notice="Copied the heads' numbers on 3 images.")
        self.assertEqual(app.clipboard(), copied)

    def test_a_script_saves_it(self):
        model, photos = self.model(), self.photos()
        done = self.play(f'open-model "{model}"\nfolder "{photos}"\nwait\n'
                         "set folder_measured true\nwait\nwait\n"
                         "export numbers.csv heads.folder\nwait\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.folder / "numbers.csv", newline="") as file:
            lines = list(csv.DictReader(file))
        self.assertEqual(len(lines), 3 * 6)
        self.assertTrue(all(float(line["entropy (bits)"]) > 0 for line in lines))
        done = self.play(f'open-model "{model}"\nfolder "{photos}"\nwait\n'
                         "export numbers.npy heads.folder\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("expected a .csv", done.stderr)

    def test_what_cannot_be_read_is_named_and_passed_over(self):
        folder = self.photos()
        (folder / "a 3.png").write_bytes(b"no picture")
        app = self.start(folder, self.model())
        app.until(lambda r: "1 cannot be read: a 3.png" in r["reports"]["heads.folder"], "its name")
        app.click("heads.folder.measure")
        app.until_reports(**{"heads.folder.measured": "4"})
        self.assertTrue(app.reports()["heads.among.entropy"].endswith(" 3"))
        app.click("heads.folder.image.a 2.png")
        self.shows(app, "a 2.png")
        app.away()
        app.key("Next")
        self.shows(app, "a 10.jpg")

    def test_a_folder_is_dropped_and_an_empty_one_says_so(self):
        empty = self.folder / "empty"
        empty.mkdir()
        refused = self.play(f'folder "{empty}"\n')
        self.assertEqual(refused.returncode, 1)
        self.assertIn("found none in this folder", refused.stderr)
        done = self.play(f'drop "{self.photos()}"\nwait\nprint heads.folder\nprint field.screen\n')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("heads.folder 3 images in photos", done.stdout)
        self.assertIn("field.screen heads", done.stdout)

    def test_the_folder_of_a_picture_is_a_click_away(self):
        app = self.start(self.photos() / "a 2.png", self.model())
        app.key("ctrl+3")
        app.until(lambda r: "heads.maps" in r["reports"], "the maps")
        self.assertNotIn("heads.folder", app.reports())
        app.click("heads.folder.show")
        app.until(lambda r: r["reports"].get("heads.folder") == "3 images in photos", "the row")
        self.shows(app, "a 2.png")


if __name__ == "__main__":
    main()
