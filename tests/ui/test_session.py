"""What comes back after a restart, and a start whose session is damaged."""

import fcntl
import json
import os
import shutil
import subprocess
import time

from harness import IMAGES, PATIENCE, WindowTest, environment, main, write_layer


class Session(WindowTest):
    def test_image_parameters_selection_and_layout_come_back(self):
        app = self.start(IMAGES / "shapes.png")
        app.go_to("products")
        app.click("stage.result[20,30]")
        app.key("2", "t", "ctrl+plus")
        app.reveal("field.temperature")
        app.drag("field.temperature", -60, 0)
        app.drag("columns.left", 70, 0)
        app.click("image.overlay")
        left = app.reports()
        for name, first in (("temperature", "1"), ("theme", "dark"), ("zoom", "1"),
                            ("left_width", "316"), ("overlay", "true")):
            self.assertNotEqual(left[f"field.{name}"], first)
        self.assertEqual(app.quit(), 0)

        found = self.start().reports()
        self.assertEqual(found["state.image"], str(IMAGES / "shapes.png"))
        for name, value in left.items():
            if name.startswith(("state.", "field.")):
                self.assertEqual(found[name], value, name)

    def test_a_pinned_result_comes_back_with_its_experiment(self):
        """That is a session which the person names; the next start is another experiment."""
        session = self.folder / "mine.json"
        app = self.start("--session", session)
        app.go_to("softmax")
        app.key("p")
        app.reveal("field.temperature")
        app.drag("field.temperature", -60, 0)
        app.reveal("compare.before")
        app.click("compare.before")
        app.until_reports(state__compare="before")
        app.point("stage.result[20,30]")
        shown = app.reports()["arithmetic.shown"]
        self.assertEqual(app.quit(), 0)
        app = self.start("--session", session)
        app.until_reports(state__compare="before", state__pinned="yes")
        app.point("stage.result[20,30]")
        self.assertEqual(app.reports()["arithmetic.shown"], shown)
        self.assertEqual(app.quit(), 0)

        app = self.start()
        app.key("p")
        app.until_reports(state__pinned="yes")
        self.assertEqual(app.quit(), 0)
        app = self.start()
        app.until_reports(state__compare="after", state__pinned="no")

    def test_a_crash_costs_little(self):
        session = self.folder / "my.json"
        app = self.start("--session", session)
        app.go_to("products")
        end = time.monotonic() + PATIENCE
        while not (session.exists() and '"products"' in session.read_text()):
            self.assertLess(time.monotonic(), end, "the session was not written while running")
            time.sleep(0.1)
        app.close()  # kills it
        app = self.start("--session", session)
        self.assertEqual(app.reports()["state.step"], "products")

    def test_a_damaged_session_is_put_aside(self):
        session = self.folder / "state" / "headlight" / "session.json"
        session.parent.mkdir(parents=True)
        kept = []
        for damaged in ('{"recipe": [broken', "", '{"recipe": {"image": 7}}', "\0\xff" * 50):
            with self.subTest(damaged[:20]):
                session.write_text(damaged)
                app = self.start()
                said = app.until(lambda r: r["reports"]["notice"], "a notice")["reports"]
                self.assert_one_sentence(said["notice"], "session.json")
                self.assertEqual(said["state.image"], str(IMAGES / "cat.jpg"))
                number = f"-{len(kept) + 1}" if kept else ""
                kept.append((session.with_name("session.json.damaged" + number), damaged))
                for aside, content in kept:  # those before too
                    self.assertEqual(aside.read_text(), content)
                app.key("t")  # where nothing was chosen there is nothing to keep
                app.until_reports(field__theme="light")
                self.assertEqual(app.quit(), 0)
                self.assertIn('"light"', session.read_text())

    def test_what_is_no_session_is_left_alone(self):
        folder, pipe = self.folder / "folder", self.folder / "pipe"
        picture, scene = self.folder / "picture", self.folder / "scene.json"
        folder.mkdir()
        os.mkfifo(pipe)
        shutil.copy(IMAGES / "cat.jpg", picture)
        scene.write_text('{"background": {}, "shapes": []}')
        there = sorted(self.folder.iterdir())
        for path, found in ((folder, "a folder"), (pipe, "a pipe"), (picture, "something else"),
                            (scene, "something else"), ("/dev/full", "a device")):
            with self.subTest(found):
                done = self.run_program("--session", path, display=self.display)
                self.assertEqual(done.returncode, 1)
                self.assert_one_sentence(done.stderr, str(path), "expected a session file",
                                         f"found {found}.")
        self.assertEqual(sorted(self.folder.iterdir()), there)
        self.assertEqual(picture.read_bytes(), (IMAGES / "cat.jpg").read_bytes())

    def test_our_own_session_that_is_a_folder(self):
        session = self.folder / "state" / "headlight" / "session.json"
        session.mkdir(parents=True)
        app = self.start(IMAGES / "cat.jpg")
        said = self.notice_of(app)["notice"]
        self.assert_one_sentence(said, "found a folder", "will not be saved.")
        app.key("t")
        app.until_reports(field__theme="light")
        self.assertEqual(app.quit(), 0)
        self.assertEqual(list(session.iterdir()), [])

    def session_with_a_layer(self):
        """Its file, and the checkpoint that it opens."""
        layer = write_layer(self.folder / "layer.safetensors")
        session = self.folder / "my.json"
        app = self.start("--session", session, "--model", layer, IMAGES / "cat.jpg")
        self.assertEqual(app.reports()["field.weights"], str(layer))
        self.assertEqual(app.quit(), 0)
        return session, layer

    def test_a_start_that_was_killed_is_not_repeated(self):
        session, layer = self.session_with_a_layer()
        mark = self.folder / "my.json.starting"
        for _ in range(20):  # until it is killed soon enough
            process = subprocess.Popen([self.program, "--session", session], cwd=self.folder,
                                       env=environment(self.folder, self.display))
            while not (mark.exists() and mark.stat().st_size > 0) and process.poll() is None:
                time.sleep(0.001)
            process.kill()
            process.wait()
            if mark.exists():
                break
        app = self.start("--session", session)
        said = self.notice_of(app)
        self.assert_one_sentence(said["notice"], "layer", "is not opened again.")
        self.assertEqual((said["field.weights"], said["state.image"]),
                         ("", str(IMAGES / "cat.jpg")))
        self.assertFalse(mark.exists())
        app.close()  # killed after its first picture, which says nothing against what it opened
        app = self.start("--session", session, "--model", layer)
        self.assertEqual(app.reports()["notice"], "")
        self.assertEqual(app.quit(), 0)

    def test_a_start_beside_another_is_no_bad_one(self):
        session, _ = self.session_with_a_layer()
        mark = self.folder / "my.json.starting"
        with open(mark, "w") as file:  # as the other one has it
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(session.read_text())
            file.flush()
            app = self.start("--session", session)
            self.assertNotEqual(app.reports()["field.weights"], "")
            self.assertEqual(app.reports()["notice"], "")
            self.assertEqual(app.quit(), 0)
            self.assertTrue(mark.exists())

    def test_a_session_whose_image_is_gone(self):
        picture = self.folder / "mine.png"
        shutil.copy(IMAGES / "shapes.png", picture)
        self.assertEqual(self.start(picture).quit(), 0)
        picture.unlink()
        app = self.start()
        said = app.until(lambda r: r["reports"]["notice"], "a notice")["reports"]
        self.assert_one_sentence(said["notice"], "mine.png")
        self.assertEqual(said["state.image"], str(IMAGES / "cat.jpg"))

    def test_a_session_whose_image_is_no_longer_one(self):
        picture = self.folder / "mine.png"
        shutil.copy(IMAGES / "shapes.png", picture)
        self.assertEqual(self.start(picture).quit(), 0)
        picture.write_bytes(b"")
        app = self.start()
        said = app.until(lambda r: r["reports"]["notice"], "a notice")["reports"]
        self.assert_one_sentence(said["notice"], "mine.png")
        self.assertEqual(said["state.image"], str(IMAGES / "cat.jpg"))

    def notice_of(self, app):
        """That of the start, with a picture behind it."""
        said = app.until(lambda r: r["reports"]["notice"], "a notice")["reports"]
        self.assertGreater(len(said["notice"]), 0)
        return said

    def test_settings_that_cannot_be_computed(self):
        app = self.start(IMAGES / "shapes.png")
        app.reveal("field.heads")
        app.click("field.heads.text")
        app.key("ctrl+a")
        app.type("3")
        app.key("Return")
        app.until_reports(field__heads="3")
        app.until(lambda r: r["reports"]["notice"], "what is wrong with it")
        self.assertEqual(app.quit(), 0)
        said = self.notice_of(self.start())
        self.assert_one_sentence(said["notice"], "3 heads", "; the default settings are used.")
        self.assertEqual(said["state.image"], str(IMAGES / "shapes.png"))
        self.assertEqual(said["field.heads"], "model")

    def test_sessions_written_by_hand(self):
        shapes = str(IMAGES / "shapes.png")
        usual, seed = "; the default settings are used.", "; a random layer is used instead."
        for recipe, done in (({"image_height": 4096, "image_width": 4096,
                               "patches": {"size": 1, "stride": 1, "ragged": "pad"}}, [usual]),
                             ({"skip": "input", "channels": 64}, [usual]),
                             ({"weights": "/no/such.safetensors"}, [seed]),
                             ({"weights": "/no/such.safetensors", "channels": 63}, [seed, usual])):
            with self.subTest(recipe):
                session = self.folder / "by-hand.json"
                session.write_text("{}")  # else the model for photographs would be opened
                app = self.start("--session", session, shapes)
                self.assertEqual(app.quit(), 0)
                written = json.loads(session.read_text())
                written["recipe"].update(recipe)
                session.write_text(json.dumps(written))
                app = self.start("--session", session)
                said = self.notice_of(app)
                self.assert_one_sentence(said["notice"], *done)
                self.assertEqual(said["state.image"], shapes)
                self.assertEqual(app.quit(), 0)
                session.unlink()


if __name__ == "__main__":
    main()
