"""Regions, features of patches, nearest images and saved experiments: drawn with a real mouse, and held against what the
command line computes."""

import array
import csv
import json
import math
import shutil

from harness import IMAGES, SOURCE, WindowTest, main

MODEL = SOURCE / "assets" / "models" / "scenes" / "model.safetensors"
SHAPES, CAT = IMAGES / "shapes.png", IMAGES / "cat.jpg"
SIDE, GRID = 512, 10  # of shapes.png in pixels, and of the model in patches


class Regions(WindowTest):
    def start_heads(self):
        app = self.start("--model", MODEL, SHAPES)
        app.key("ctrl+3")
        app.until_reports(**{"heads.maps": "16"})
        app.open_drawer("heads.tools")
        return app

    def mask(self, first, last):
        """Bright in the rectangle of patches (row, column) of shapes.png."""
        cell = SIDE / GRID
        inside = bytes(255 if first[0] * cell <= y < (last[0] + 1) * cell and
                       first[1] * cell <= x < (last[1] + 1) * cell else 0
                       for y in range(SIDE) for x in range(SIDE))
        path = self.folder / "mask.pgm"
        path.write_bytes(f"P5 {SIDE} {SIDE} 255\n".encode() + inside)
        return path

    def measured(self, mask, query):
        done = self.run_program("measure", "--model", MODEL, "--images", SHAPES, "--region", mask,
                                "--what", "region,within_region", "--query", query, "--out", "m.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.folder / "m.csv", newline="") as file:
            return [(float(row["region"]), float(row["within_region"]))
                    for row in csv.DictReader(file)]

    def test_a_rectangle_is_dragged_and_undone(self):
        app = self.start_heads()
        app.click("heads.region.tool.rectangle")
        x, y = app.place("heads.large[2,1]")
        to_x, to_y = app.place("heads.large[4,3]")
        app.drag("heads.large[2,1]", to_x - x, to_y - y)
        said = app.until_reports(heads__region="21-23,31-33,41-43")
        self.assertEqual(said["field.heads_order"], "layer")
        app.until(lambda r: "heads.number.within the region" in r["reports"], "the number")
        app.key("ctrl+z")
        app.until_reports(heads__region="")

    def test_a_brush_adds_patches_and_takes_them_out(self):
        app = self.start_heads()
        app.click("heads.region.tool.draw a region")
        app.click("heads.large[3,3]")
        app.until_reports(heads__region="33")
        app.click("heads.large[3,4]")
        app.until_reports(heads__region="33-34")
        app.click("heads.large[3,3]")
        app.until_reports(heads__region="34")

    def test_heads_are_sorted_and_written_by_their_share(self):
        """As headlight measure has it, in every digit; of a mask, and of the patches drawn by hand."""
        mask = self.mask((2, 1), (4, 3))
        expected = self.measured(mask, "43")
        for draw in (f"region-mask {mask}", "region-patches in 21-23,31-33,41-43"):
            done = self.play("\n".join([
                "size 1600 1000", f"open {SHAPES}", f"open-model {MODEL}", "wait",
                "set screen heads", "wait", "focus 44", draw, "set heads_order region", "wait",
                "export n.csv heads.numbers", "wait", "print heads.region"]) + "\n")
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            self.assertIn("21-23,31-33,41-43", done.stdout)
            with open(self.folder / "n.csv", newline="") as file:
                rows = list(csv.DictReader(file))
            found = [(float(row["share on the region"]), float(row["share within the region"]))
                     for row in rows]
            self.assertEqual(len(found), len(expected))
            for one, other in zip(found, expected):
                self.assertAlmostEqual(one[0], other[0], places=12)
                self.assertAlmostEqual(one[1], other[1], places=12)

    def test_colors_of_an_object_are_drawn_with_the_mouse(self):
        app = self.start_heads()
        app.click("heads.features")
        app.until_reports(features__colors_of="picture", features__shown="Layer 1")
        app.click("heads.region.tool.rectangle")
        x, y = app.place("features.large[2,1]")
        to_x, to_y = app.place("features.large[4,3]")
        app.drag("features.large[2,1]", to_x - x, to_y - y)
        app.until_reports(heads__region="21-23,31-33,41-43", features__colors_of="region")
        self.assertNotIn("features.instead", app.settled()["reports"])
        app.click("heads.region.clear")
        app.until_reports(features__colors_of="picture")

    def test_the_foreground_is_that_of_the_command_line(self):
        """The same patches, on either side of a dragged bound. A region replaces the foreground."""
        app = self.start_heads()
        app.click("heads.features")
        app.click("features.foreground.above")
        app.until_reports(features__colors_of="foreground")
        app.drag("features.bound", -12, 0)
        bound = app.settled()["reports"]["field.features_foreground"]
        self.assertNotIn(bound, ("all", "above:0.5"))
        for layer in "1", "3":
            app.click(f"features.layer.{layer}")
            app.point("features.large")
            app.until_reports(features__shown=f"Layer {layer}")
            self.assert_foreground(app, layer, bound)
        app.click("features.view.norms")
        app.until(lambda r: "features.foreground.above" not in r["names"], "the norms")
        app.click(next(name for name in app.settled()["names"] if name.startswith("features.view.colors")))
        app.click("features.foreground.below")
        app.until_reports(features__colors_of="foreground")
        self.assert_foreground(app, "3", bound.replace("above", "below"))
        app.click("heads.region.tool.rectangle")
        app.drag("features.large[2,1]", 60, 60)
        app.until_reports(features__colors_of="region")
        self.assertNotIn("features.foreground.above", app.settled()["names"])

    def assert_foreground(self, app, layer, bound):
        """The patches for which headlight pca writes numbers."""
        said = app.settled()["reports"]
        self.assertEqual(said["field.features_foreground"], bound)
        done = self.run_program("pca", "--model", MODEL, "--image", SHAPES, "--layer", layer,
                                "--foreground", bound, "--out", "pca.npy")
        self.assertEqual(done.returncode, 0, done.stderr)
        numbers = array.array("f", (self.folder / "pca.npy").read_bytes()[-GRID * GRID * 3 * 4:])
        inside = [patch for patch in range(GRID * GRID) if not math.isnan(numbers[3 * patch])]
        self.assertTrue(3 < len(inside) < GRID * GRID, inside)
        ranges = [part.split("-") for part in said["features.foreground"].split(",")]
        self.assertEqual([p for part in ranges for p in range(int(part[0]), int(part[-1]) + 1)], inside)

    def test_two_pictures_have_colors_in_common(self):
        done = self.play("\n".join([
            "size 1280 720", f"open {SHAPES}", f"open-model {MODEL}", "wait", "set screen heads", "pin",
            f"open {CAT}", "wait", "show features", "wait", "print features.colors_of"]) + "\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("both", done.stdout)

    def test_a_mask_of_another_size_is_refused(self):
        done = self.play("\n".join(["size 1280 720", f"open {SHAPES}", f"open-model {MODEL}", "wait",
                                    f"region-mask {CAT}"]) + "\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("expected a mask of the picture's size", done.stderr)

    def test_matches_are_those_of_the_command_line(self):
        done = self.run_program("match", "--model", MODEL, "--image", CAT, SHAPES, "--layer", "2",
                                "--out", "m.npy", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        pairs = json.loads(done.stdout)["mutual_nearest"]
        best = max(pairs, key=lambda pair: pair[2])
        done = self.play("\n".join([
            "size 1280 720", f"open {SHAPES}", f"open-model {MODEL}", "wait", "set screen heads",
            "layer 2", "wait", "pin", f"open {CAT}", "wait", "set features matches",
            "show features", "wait", "print features.pairs", "print features.best"]) + "\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        count, found = done.stdout.splitlines()[-2:]
        self.assertEqual(int(count.split()[-1]), len(pairs))
        a, b, cosine = found.split()[-3:]
        self.assertEqual((int(a), int(b)), (best[0], best[1]))
        self.assertAlmostEqual(float(cosine), best[2], places=6)

    def test_the_legend_of_the_answers_names_all_hues(self):
        for size in "1600 1000", "1280 720":
            done = self.play("\n".join([
                f"size {size}", f"open {SHAPES}", f"open-model {MODEL}", "wait", "set screen heads",
                "set features answers", "show features", "wait", "print features.classes"]) + "\n")
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            names = done.stdout.strip().removeprefix("features.classes ").split(", ")
            self.assertEqual((len(names), names[-1]), (7, "other classes"), (size, names))

    def photos(self):
        """The shipped pictures, and a file that is none."""
        folder = self.folder / "photos"
        folder.mkdir()
        for image in [*IMAGES.glob("*.jpg"), SHAPES]:
            shutil.copy(image, folder / image.name)
        (folder / "broken.png").write_bytes(b"no picture")
        return folder, len(list(folder.iterdir())) - 1

    def search(self, folder, *lines):
        """What a script says about the nearest images: the reports by name."""
        done = self.play("\n".join([
            "size 1280 720", f"open {SHAPES}", f"open-model {MODEL}", "wait", "set screen heads",
            "layer 2", "wait", *lines, f'set nearest_folder "{folder}"', "set features nearest",
            "show features", "wait", "export near.csv features.nearest", "wait",
            *(f"print features.nearest.{name}" for name in ("compared", "from_cache", "skipped"))]) + "\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return dict(line.split(" ", 1) for line in done.stdout.splitlines()
                    if line.startswith("features.nearest."))

    def test_nearest_images_are_those_of_the_command_line(self):
        photos, count = self.photos()
        for words, lines in (
                (("--layer", "2"), ()),
                (("--layer", "2", "--query", "token45"), ("set nearest_by patches", "focus 45")),
                ((), ("set nearest_end true",))):
            done = self.run_program("nearest", "--model", MODEL, "--image", SHAPES, "--among", photos,
                                    "--count", "99", "--out", "cli.csv", *words)
            self.assertIn("broken.png", done.stderr)
            said = self.search(photos, *lines)
            self.assertEqual((self.folder / "near.csv").read_text(), (self.folder / "cli.csv").read_text())
            self.assertEqual(said["features.nearest.compared"], str(count))
            self.assertEqual(said["features.nearest.from_cache"], str(count))  # of the command line
            self.assertEqual(said["features.nearest.skipped"], "1 image was skipped: broken.png.")

    def test_a_search_says_what_is_wrong_with_a_folder(self):
        empty, texts = self.folder / "empty", self.folder / "texts"
        for folder in (empty, texts):
            folder.mkdir()
        (texts / "notes.txt").write_text("no picture")
        start = ["size 1280 720", f"open {SHAPES}", f"open-model {MODEL}", "wait", "set screen heads",
                 "set features nearest", "show features"]
        for folder, says in ((empty, "is empty. Choose another folder."),
                             (texts, "There are no images in"), (self.folder / "gone", "does not exist."),
                             (texts / "notes.txt", "is not a folder.")):
            done = self.play("\n".join([*start, f'set nearest_folder "{folder}"', "wait",
                                        "print features.instead"]) + "\n")
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            self.assert_one_sentence(done.stdout.strip(), str(folder), says)
            done = self.play("\n".join([*start, f'set nearest_folder "{folder}"', "wait",
                                        "export near.csv features.nearest", "wait"]) + "\n")
            self.assertEqual(done.returncode, 1)
            self.assertIn(says, done.stderr)

    def test_a_folder_is_chosen_and_an_image_of_it_opened(self):
        photos, count = self.photos()
        app = self.start_heads()
        app.click("heads.features")
        app.click("features.view.nearest")
        app.until(lambda r: r["reports"].get("features.instead", "").startswith("Choose a folder"),
                  "the question for a folder")
        app.click("features.nearest.folder")
        app.until_reports(panel="folder")
        app.type(str(photos))
        app.key("Return")
        app.until_reports(files__directory=str(photos), files__count=str(count + 1))
        app.click("files.choose")
        app.until_reports(panel="features", features__nearest__state="done",
                          features__nearest__compared=str(count))
        self.assertNotIn("features.instead", app.settled()["reports"])
        app.click("features.nearest.by.patches")
        app.until(lambda r: r["reports"].get("features.nearest.best", "0 -1").split()[1] != "-1",
                  "a patch")
        best = app.settled()["reports"]["features.nearest.best"].split(" ", 2)[2]
        app.click("features.nearest.1")
        app.until(lambda r: r["reports"]["state.image"] == best and not r["busy"], "the image")
        app.until_reports(panel="features", features__nearest__compared=str(count - 1))
        app.click("features.nearest.folder")
        app.until_reports(panel="folder", files__directory=str(photos))
        app.key("Escape")
        app.until_reports(panel="features")

    def test_an_experiment_comes_back_as_it_was(self):
        file = self.folder / "study.headlight.json"
        done = self.play("\n".join([
            "size 1280 720", f"open {SHAPES}", f"open-model {MODEL}", "wait", "set screen heads",
            "set temperature 0.5", "wait", "pin", "set temperature 2", "focus 44",
            "region-patches in 5-7", "set heads_order region", "wait",
            f"save-experiment {file}"]) + "\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        app = self.start(file)
        said = app.until(lambda r: not r["busy"] and r["reports"].get("heads.region") == "5-7",
                         "the experiment")["reports"]
        self.assertEqual(float(said["field.temperature"]), 2)
        self.assertEqual(said["state.pinned"], "yes")
        self.assertEqual(said["field.heads_order"], "region")
        self.assertEqual(said["heads.query"], "token 44")

    def test_a_start_can_name_layer_head_and_query(self):
        app = self.start("--model", MODEL, SHAPES, "--screen", "heads", "--layer", "3", "--head", "2",
                         "--query", "74")
        said = app.until_reports(heads__query="token 75")
        self.assertEqual((said["field.layer"], said["state.head"]), ("3", "2"))


if __name__ == "__main__":
    main()
