"""Starts without the shipped pictures and models: a notice says so, and nothing is lost."""

import os
import shutil
from unittest.mock import patch

from harness import IMAGES, SOURCE, WindowTest, main

MODELS = SOURCE / "assets" / "models"


class Assets(WindowTest):
    def start_with(self, assets):
        """A first start; the notice that it begins with."""
        with patch.dict(os.environ, HEADLIGHT_ASSETS=str(assets)):
            app = self.start("--session", self.folder / f"{assets.name}.session")
        return app, app.until(lambda r: r["reports"]["notice"], "a notice")["reports"]["notice"]

    def folder_with(self, name, images=None, models=None):
        folder = self.folder / name
        folder.mkdir()
        for inside, source in (("images", images), ("models", models)):
            if source:
                shutil.copytree(source, folder / inside)
        return folder

    def test_a_missing_folder(self):
        app, notice = self.start_with(self.folder / "missing")
        self.assert_one_sentence(notice, str(self.folder / "missing"), "Ctrl+O", "pictures",
                                 "models/scenes/model.safetensors")
        self.assertTrue(app.reports()["state.scene"])  # drawn, as it needs no file
        app.browse()
        app.enter_path(IMAGES / "shapes.png")
        app.until_reports(state__image=str(IMAGES / "shapes.png"), state__scene="")

    def test_an_empty_folder(self):
        app, notice = self.start_with(self.folder_with("empty"))
        self.assert_one_sentence(notice, str(self.folder / "empty"), "Ctrl+O")
        self.assertTrue(app.reports()["state.scene"])

    def test_without_models(self):
        app, notice = self.start_with(self.folder_with("unlearned", images=IMAGES))
        self.assert_one_sentence(notice, "found no models/scenes/model.safetensors")
        self.assertNotIn("pictures", notice)
        self.assertTrue(app.reports()["state.image"].endswith("unlearned/images/cat.jpg"))

    def test_without_pictures(self):
        app, notice = self.start_with(self.folder_with("blind", models=MODELS))
        self.assert_one_sentence(notice, "found no pictures in images")
        self.assertTrue(app.reports()["field.weights"].endswith("scenes/model.safetensors"))

    def test_damaged_files(self):
        folder = self.folder_with("damaged", images=IMAGES, models=MODELS)
        (folder / "models" / "scenes" / "model.safetensors").write_text("no model")
        app, notice = self.start_with(folder)
        self.assertIn("model.safetensors", notice)
        self.assertEqual(app.reports()["field.weights"], "")
        app.close()
        (folder / "images" / "cat.jpg").write_text("no picture")
        shutil.rmtree(folder / "models")
        (self.folder / "damaged.session").unlink(missing_ok=True)
        app, notice = self.start_with(folder)
        self.assertIn("cat.jpg", notice)
        self.assertTrue(app.reports()["state.scene"])


if __name__ == "__main__":
    main()
