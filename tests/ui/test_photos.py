"""Photographs open with the model for photographs; with another model, every screen shows a
warning."""

import json
import math
import re
import struct
import time

from harness import IMAGES, SOURCE, WindowTest, main

MODELS = SOURCE / "assets" / "models"
PHOTOS, SCENES = (str(MODELS / name / "model.safetensors") for name in ("photos", "scenes"))


class Photos(WindowTest):
    def objects(self, image):
        """Whether each token shows an object, as logits, from the command line."""
        out = self.folder / "trace.safetensors"
        done = self.run_program("trace", "--model", PHOTOS, "--image", image, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        data = out.read_bytes()
        size = struct.unpack("<Q", data[:8])[0]
        about = json.loads(data[8:8 + size])["objects"]
        numbers = data[8 + size:][slice(*about["data_offsets"])]
        return struct.unpack(f"<{len(numbers) // 4}f", numbers)

    def first(self, *arguments):
        """The very first start."""
        return self.start("--session", self.folder / "none-yet.json", *arguments)

    def test_a_photograph_at_the_first_start_opens_its_model(self):
        app = self.first(IMAGES / "coins.jpg")
        said = app.until(lambda r: "prediction.1" in r["reports"] and not r["busy"], "the answer")["reports"]
        self.assertEqual(said["field.weights"], PHOTOS)
        answers = dict(said[f"prediction.{place}"].rsplit(" ", 1) for place in (1, 2))
        self.assertEqual(set(answers), {"a pair", "no pair"})
        self.assertAlmostEqual(sum(map(float, answers.values())), 1, places=4)
        self.assertEqual(said["out_of_depth"], "")
        app.click("top.tab.look")
        said = app.until(lambda r: "look.answer" in r["reports"] and not r["busy"], "the answer in words")["reports"]
        likely = max(answers, key=lambda name: float(answers[name]))
        self.assertIn("an object appears twice" if likely == "a pair" else "no object appears twice", said["look.answer"])
        for patch, token in (("6,8", 1 + 6 * 16 + 8), ("5,6", 1 + 5 * 16 + 6)):
            app.point(f"image.patches[{patch}]")
            said = app.until(lambda r: r["reports"].get("look.token") == str(token), f"the patch {patch}")["reports"]
            shows, sure = re.search(r"This patch: (an object|background) \((.+?) %\)", said["look.answer"]).groups()
            object_ = 1 / (1 + math.exp(-self.objects(IMAGES / "coins.jpg")[token]))
            self.assertEqual(shows, "an object" if object_ > 0.5 else "background")
            self.assertAlmostEqual(float(sure.strip("<> ")), 100 * max(object_, 1 - object_), delta=1)
        app.click("top.tab.walk")
        app.point("image.patches[6,8]")
        app.until(lambda r: r["reports"].get("pointing", "").startswith("object "), "what the patch points at")

    def test_a_model_that_was_chosen_stays(self):
        app = self.first(IMAGES / "coins.jpg", "--model", SCENES)
        said = app.until(lambda r: r["reports"].get("out_of_depth"), "the warning")["reports"]
        self.assertEqual(said["field.weights"], SCENES)
        self.assertIn("drawn shapes", said["out_of_depth"])
        app.click("out_of_depth.open")
        app.until_reports(field__weights=PHOTOS, state__image=str(IMAGES / "coins.jpg"), out_of_depth="")

    def test_scenes_keep_theirs(self):
        app = self.first()
        app.until_reports(field__weights=SCENES)
        app.browse()
        app.enter_path(IMAGES / "dahlia.jpg")
        app.until_reports(field__weights=PHOTOS, state__scene="", busy="no")
        app.key("s")
        app.until(lambda r: r["reports"]["field.weights"] == SCENES and r["reports"]["state.scene"], "a scene")
        app.key("ctrl+z")
        app.until_reports(field__weights=PHOTOS, state__scene="", state__image=str(IMAGES / "dahlia.jpg"))
        app.key("ctrl+z")
        app.until(lambda r: r["reports"]["field.weights"] == SCENES and r["reports"]["state.scene"], "the first scene")

    def test_a_damaged_file_leaves_the_scene_and_its_model(self):
        app = self.first()
        app.until_reports(field__weights=SCENES, busy="no")

        def choices():
            return {name: value for name, value in app.settled()["reports"].items()
                    if name.startswith(("state.", "field."))}

        before = choices()
        photo = (IMAGES / "coffee.jpg").read_bytes()
        for name, content in (("half.jpg", photo[:len(photo) // 2]), ("text.png", b"This is a letter."),
                              ("bad.safetensors", b"no tensors"), ("bad.json", b"{"), ("bad.md", b"\xff")):
            with self.subTest(name):
                path = self.folder / name
                path.write_bytes(content)
                app.browse()
                app.enter_path(path)
                app.until(lambda r, name=name: name in r["reports"]["notice"], "the refusal")
                time.sleep(1)
                self.assertEqual(choices(), before)
                self.assertIn(name, app.reports()["notice"])
                app.key("Escape")
                app.until_reports(notice="")

    def test_a_session_with_scenes_meets_a_photograph(self):
        app = self.first()
        scene = app.reports()["state.scene"]
        app.key("s")
        app.until(lambda r: r["reports"]["state.scene"] not in ("", scene), "another scene")
        self.assertEqual(app.quit(), 0)
        self.assertTrue((self.folder / "none-yet.json").exists())
        app = self.first(IMAGES / "citrus.jpg")
        app.until_reports(field__weights=PHOTOS, state__image=str(IMAGES / "citrus.jpg"))

    def test_random_weights_say_so_on_every_screen_with_maps(self):
        app = self.start()
        for screen in ("walk", "heads"):
            app.click(f"top.tab.{screen}")
            app.until(lambda r: "random weights" in r["reports"].get("out_of_depth", ""), f"the warning on {screen}")
        app.click("out_of_depth.open")
        app.until_reports(field__weights=PHOTOS, out_of_depth="")


if __name__ == "__main__":
    main()
