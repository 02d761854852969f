"""The model panel's list of models downloaded by other programs."""

import os
import shutil

from harness import IMAGES, SOURCE, WindowTest, main

FAMILIES = SOURCE / "tests" / "golden" / "families"
PYTORCH = SOURCE / "tests" / "golden" / "pickles" / "models"
COMMIT = "3" * 40


class LocalModels(WindowTest):
    def add(self, name, *files):
        """A repository in the Hub's cache. `files`: (name there, file). Returns the snapshot."""
        folder = self.folder / ".cache/huggingface/hub" / ("models--" + name.replace("/", "--"))
        snapshot = folder / "snapshots" / COMMIT
        for path in (snapshot, folder / "blobs", folder / "refs"):
            path.mkdir(parents=True)
        (folder / "refs/main").write_text(COMMIT)
        for number, (there, file) in enumerate(files):
            blob = folder / "blobs" / f"{number:064x}"
            blob.symlink_to(file)
            (snapshot / there).symlink_to(os.path.relpath(blob, snapshot))
        return snapshot

    def add_family(self, name, family="timm"):
        return self.add(name, ("model.safetensors", FAMILIES / f"{family}.model.safetensors"),
                        ("config.json", FAMILIES / f"{family}.config.json"))

    def add_torch(self, name="swin_authors-0123abcd.pth"):
        folder = self.folder / ".cache/torch/hub/checkpoints"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(PYTORCH / "swin_authors.pth", folder / name)
        shutil.copy(FAMILIES / "swin_authors.config.json", folder / "config.json")
        return folder / name

    def open_panel(self, app, wanted):
        app.key("m")
        app.until_reports(panel="model")
        app.until(lambda r: r["reports"].get("model.local") == wanted, wanted)
        return app.reports()

    def test_nothing_is_listed_where_there_is_nothing(self):
        app = self.start()
        app.key("m")
        app.until_reports(panel="model")
        app.until(lambda r: "model.scrolled" in r["reports"], "the panel")
        said = app.settled()
        self.assertFalse([name for name in (*said["names"], *said["reports"]) if name.startswith("model.local")])

    def test_what_headlight_recognizes_opens_with_one_click(self):
        snapshot = self.add_family("ada/vit-small")
        pytorch = self.add_torch()
        app = self.start(IMAGES / "shapes.png")
        said = self.open_panel(app, "2 of 2, 2 open, 0 do not")
        self.assertRegex(said["model.local.1"], r"^ada/vit-small \| ViT, 2 layers.* \| 48 kB$")
        self.assertRegex(said["model.local.2"], r"^swin_authors-0123abcd \| Swin.* \| 73 kB$")
        self.assertNotIn("model.local.others", app.settled()["names"])
        app.click("model.local.1")
        app.until_reports(field__weights=str(snapshot / "model.safetensors"), busy="no", notice="")
        app.until_reports(model__local="2 of 2, 2 open, 0 do not")
        app.click("model.local.2")
        app.until_reports(field__weights=str(pytorch), busy="no", notice="")

    def test_the_others_say_why_they_do_not_open(self):
        self.add_family("ada/vit-small")
        words = self.folder / "words.safetensors"
        words.write_bytes(b"not a model at all")
        self.add("ada/words", ("model.safetensors", words))
        self.add("ada/tokenizer")
        app = self.start(IMAGES / "shapes.png")
        said = self.open_panel(app, "3 of 3, 1 open, 2 do not")
        self.assertNotIn("model.local.other.1", said)
        app.click("model.local.others")
        said = app.until(lambda r: "model.local.other.2" in r["reports"], "the others")["reports"]
        self.assertRegex(said["model.local.other.1"], r"^ada/tokenizer \| expected a folder that contains one model")
        self.assertRegex(said["model.local.other.2"], r"^ada/words \| .+ \| 18 bytes$")
        app.click("model.local.other.1")
        app.settled()
        app.click("model.local.other.2")
        said = app.until(lambda r: r["reports"]["notice"], "the reason in full")["reports"]
        self.assertIn("ada--words", said["notice"])
        self.assertEqual(said["field.weights"], "")

    def test_a_model_that_was_added_is_there_when_the_panel_opens_again(self):
        self.add_family("ada/first")
        app = self.start(IMAGES / "shapes.png")
        self.open_panel(app, "1 of 1, 1 open, 0 do not")
        app.key("Escape")
        app.until_reports(panel="nothing")
        self.add_family("ada/second", "dino")
        self.open_panel(app, "2 of 2, 2 open, 0 do not")

    def test_thousands_of_models_hold_no_frame_and_scroll(self):
        count, empty = 300, 2000
        for number in range(count):
            self.add_family(f"ada/vit-{number + 1}")
        for number in range(empty):
            self.add(f"ada/tokenizer-{number + 1}")
        app = self.start(IMAGES / "shapes.png")
        app.key("m")
        # The window stays responsive while models are being examined.
        app.until(lambda r: "model.local.1" in r["names"], "the first models")
        app.key("Escape")
        still = app.until_reports(panel="nothing")
        self.assertNotIn("model.local", still)
        self.open_panel(app, f"{count + empty} of {count + empty}, {count} open, {empty} do not")
        rows = [name for name in app.settled()["names"] if name.startswith("model.local.")]
        self.assertLess(len(rows), 10)  # only those in sight are drawn
        app.point("model.local.3")
        app.wheel(-100)
        app.until(lambda r: "model.local.1" not in r["names"], "other rows")
        for _ in range(100):
            if f"model.local.{count}" in app.settled()["names"]:
                break
            app.wheel(-100)
        app.click(f"model.local.{count - 2}")
        app.until(lambda r: f"models--ada--vit-{count - 2}/" in r["reports"]["field.weights"], "the model")


if __name__ == "__main__":
    main()
