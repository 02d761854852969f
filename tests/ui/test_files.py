"""Opening images: by argument, with the file browser, and files that are none."""

import json
import shutil

from harness import IMAGES, WindowTest, main

BROKEN = {
    "missing.png": None,
    "empty.png": b"",
    "text.png": b"This is a letter, not a picture.\n",
    "truncated.jpg": (IMAGES / "coffee.jpg").read_bytes()[:2000],
    "truncated.png": (IMAGES / "shapes.png").read_bytes()[:300],
}


class Files(WindowTest):
    def broken_files(self):
        for name, content in BROKEN.items():
            path = self.folder / name
            if content is not None:
                path.write_bytes(content)
            yield path

    def test_image_as_argument(self):
        app = self.start("shapes.png", cwd=IMAGES)
        self.assertEqual(app.reports()["state.image"], str(IMAGES / "shapes.png"))
        self.assertEqual(app.reports()["notice"], "")

    def test_several_images(self):
        names = ["shapes.png", "coffee.jpg", "cat.jpg"]
        app = self.start(*names, cwd=IMAGES)
        self.assertEqual(app.reports()["state.image"], str(IMAGES / names[0]))
        self.assertEqual(app.quit(), 0)
        session = json.loads((self.folder / "state" / "headlight" / "session.json").read_text())
        self.assertEqual(session["recent"], [str(IMAGES / name) for name in names])

    def test_image_with_a_difficult_name(self):
        path = self.folder / 'a "b" \u00e4\u4e2d #1.png'
        shutil.copy(IMAGES / "shapes.png", path)
        app = self.start(path)
        self.assertEqual(app.reports()["state.image"], str(path))

    def test_broken_arguments_leave_a_picture_and_one_sentence(self):
        for path in self.broken_files():
            with self.subTest(path.name):
                app = self.start(path)
                said = app.until(lambda r: r["reports"]["notice"], "a notice")["reports"]
                self.assert_one_sentence(said["notice"], path.name)
                self.assertEqual(said["state.image"], str(IMAGES / "cat.jpg"))
                app.close()

    def test_broken_model_leaves_a_picture_and_one_sentence(self):
        path = self.folder / "bad.safetensors"
        path.write_bytes(b"no tensors here")
        app = self.start("--model", path)
        said = app.until(lambda r: r["reports"]["notice"], "a notice")["reports"]
        self.assert_one_sentence(said["notice"], path.name)
        self.assertEqual(said["field.weights"], "")


class Browser(WindowTest):
    def test_a_click_opens_a_picture(self):
        gallery = self.folder / "gallery"
        gallery.mkdir()
        for name in ("shapes.png", "coffee.jpg"):
            shutil.copy(IMAGES / name, gallery)
        app = self.start(gallery / "shapes.png")
        app.click("top.open")
        app.until(lambda r: "files.entry.coffee.jpg" in r["names"], "the other picture")
        app.click("files.entry.coffee.jpg")
        app.until_reports(state__image=str(gallery / "coffee.jpg"), panel="nothing", busy="no")
        app.key("ctrl+z")  # opening can be taken back
        app.until_reports(state__image=str(gallery / "shapes.png"), busy="no")

    def test_through_folders_with_the_mouse(self):
        inner = self.folder / "outer" / "inner"
        inner.mkdir(parents=True)
        shutil.copy(IMAGES / "shapes.png", self.folder / "outer")
        shutil.copy(IMAGES / "coffee.jpg", inner)
        app = self.start(self.folder / "outer" / "shapes.png")
        app.browse()
        for place, then in (("files.entry.inner", "files.entry.coffee.jpg"),
                            ("files.up", "files.entry.shapes.png"),
                            ("files.entry.inner", "files.entry.coffee.jpg")):
            app.until(lambda r, p=place: p in r["names"], place)
            app.click(place)
            app.until(lambda r, t=then: t in r["names"], then)
        app.click("files.entry.coffee.jpg")
        app.until_reports(state__image=str(inner / "coffee.jpg"), panel="nothing")

    def test_through_folders_with_the_keyboard(self):
        inner = self.folder / "outer" / "inner"
        inner.mkdir(parents=True)
        shutil.copy(IMAGES / "shapes.png", self.folder / "outer")
        shutil.copy(IMAGES / "coffee.jpg", inner)
        app = self.start(self.folder / "outer" / "shapes.png")
        app.browse()
        for keys, selected in ((("Right",), "inner"), (("Return", "Right"), "coffee.jpg"),
                               (("BackSpace", "Right", "Down"), "shapes.png"),
                               (("Up",), "inner"), (("Return", "Right"), "coffee.jpg")):
            for key in keys:
                app.until(lambda r: r["reports"].get("files.count") not in (None, "0"), "a folder")
                app.key(key)
                app.settled()
            app.until_reports(files__selected=selected)
        self.assertEqual(app.reports()["state.step"], "image")  # the arrows were the browser's
        app.key("Return")
        app.until_reports(state__image=str(inner / "coffee.jpg"), panel="nothing")

    def test_a_path_is_typed_as_soon_as_the_browser_is_asked_for(self):
        app = self.start()
        app.xdotool("key", "ctrl+o", "type", "--delay", 1, "--args", 1, IMAGES / "shapes.png", "key",
                    "Return")
        app.until_reports(state__image=str(IMAGES / "shapes.png"), panel="nothing", busy="no")
        # The same by mouse; and the files have the arrows, until something is typed again.
        app.click("top.open")
        app.type(str(IMAGES / "coffee.jpg"))
        app.key("Return")
        app.until_reports(state__image=str(IMAGES / "coffee.jpg"), panel="nothing", busy="no")
        app.xdotool("key", "ctrl+o", "Right", "type", "--delay", 1, "--args", 1, "~", "key",
                    "Return")
        app.until_reports(files__directory=str(self.folder), panel="files")
        app.type("/nowhere")
        app.key("Return")
        app.until(lambda r: "files.problem" in r["reports"], "the problem")
        app.key("Escape")
        app.until_reports(panel="nothing")

    def test_a_typed_path_opens_a_picture(self):
        app = self.start()
        app.browse()
        app.enter_path(IMAGES / "shapes.png")
        app.until_reports(state__image=str(IMAGES / "shapes.png"), panel="nothing", busy="no")

    def test_a_typed_path_that_leads_nowhere_can_be_corrected(self):
        app = self.start()
        app.browse()
        app.enter_path("/nowhere/at-all.png")
        said = app.until(lambda r: "files.problem" in r["reports"], "the problem")["reports"]
        self.assert_one_sentence(said["files.problem"], "/nowhere/at-all.png")
        self.assertEqual(said["panel"], "files")
        app.enter_path(IMAGES / "shapes.png")
        app.until_reports(state__image=str(IMAGES / "shapes.png"), panel="nothing")

    def test_a_broken_file_leaves_the_picture(self):
        app = self.start(IMAGES / "shapes.png")
        stage = app.rect("stage")
        bad = self.folder / "letter.png"
        bad.write_bytes(b"This is a letter, not a picture.\n")
        app.browse()
        app.enter_path(bad)
        said = app.until(lambda r: r["reports"]["notice"], "a notice")["reports"]
        self.assert_one_sentence(said["notice"], "letter.png")
        self.assertEqual(app.rect("stage"), stage)  # which stays where it is
        self.assertEqual(app.reports()["state.image"], str(IMAGES / "shapes.png"))
        app.key("Escape")
        app.until_reports(notice="")
        self.assertIn("image.patches", app.settled()["names"])

    def test_it_marks_what_is_shown_by_now(self):
        app = self.start(IMAGES / "shapes.png", IMAGES / "coffee.jpg")
        app.browse()
        app.click("files.sample.cat.jpg")
        app.until_reports(state__image=str(IMAGES / "cat.jpg"), panel="nothing", busy="no")
        app.browse()
        app.until_reports(files__shown=str(IMAGES / "cat.jpg"))
        app.key("Escape")
        app.key("ctrl+z")
        app.browse()
        app.until_reports(files__shown=str(IMAGES / "shapes.png"), panel="files")

    def test_escape_and_a_click_beside_it_close_the_browser(self):
        app = self.start()
        app.browse()
        app.key("Escape")
        app.until_reports(panel="nothing")
        app.browse()
        app.away()
        app.xdotool("click", 1)
        app.until_reports(panel="nothing")
        self.assertEqual(app.reports()["state.image"], str(IMAGES / "cat.jpg"))


if __name__ == "__main__":
    main()
