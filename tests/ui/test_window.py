"""The window itself: its looks, its panels, its pictures, what it costs, and where it cannot be."""

import os
import time
from pathlib import Path

from harness import Display, Headlight, WindowTest, main
from png import Png


class Window(WindowTest):
    def test_first_start_shows_a_picture_and_no_complaint(self):
        said = self.start().reports()
        self.assertEqual(said["state.step"], "image")
        self.assertTrue(Path(said["state.image"]).is_file())
        self.assertEqual(said["notice"], "")

    def test_zoom_makes_things_larger(self):
        app = self.start()
        usual = app.rect("transport.play")[2]
        app.key("ctrl+plus", "ctrl+plus")
        self.assertGreater(app.rect("transport.play")[2], usual * 1.15)
        app.key("ctrl+0")
        self.assertEqual(app.rect("transport.play")[2], usual)
        app.key("ctrl+minus")
        self.assertLess(app.rect("transport.play")[2], usual)

    def test_zoom_never_outgrows_the_window(self):
        app = self.start()
        app.xdotool("windowsize", self.window_id(app), 1280, 720)
        app.until(lambda r: self.reaches(r, 1280, 720), "a smaller window")
        usual = app.rect("transport.play")[2]
        app.key(*["ctrl+plus"] * 12)
        self.assertGreater(float(app.reports()["field.zoom"]), 1.4)
        self.assertGreater(app.rect("transport.play")[2], usual * 1.1)
        for name, (x, y, w, h) in self.fixed_places(app):
            self.assertTrue(0 <= x and x + w <= 1280 and 0 <= y and y + h <= 720, name)

    def test_number_pad(self):
        app = self.start()
        for key, step in (("KP_Right", "patches"), ("KP_End", "skip"), ("KP_Left", "project"),
                          ("KP_Home", "image")):
            app.key(key)
            app.until_reports(state__step=step)
        app.key("KP_Down")
        app.until_reports(state__head="2")
        app.key("KP_Up")
        app.until_reports(state__head="1")

    def test_the_smallest_window_grows_with_the_monitor_s_scale(self):
        for dpi, least in ((96, (960, 600)), (144, (1440, 900)), (192, (1600, 1000))):
            display = Display()
            self.addCleanup(display.close)
            display.set_dpi(dpi)
            app = Headlight(self.program, display, self.folder)
            self.addCleanup(app.close)
            self.assertEqual(app.least_size(self.window_id(app)), least)

    def test_lecture_view_has_large_type(self):
        app = self.start()
        usual = app.rect("transport.head.next")[3]
        app.key("F11")
        app.until_reports(field__lecture="true")
        self.assertGreater(app.rect("transport.head.next")[3], usual * 1.2)
        app.click("top.lecture")
        app.until_reports(field__lecture="false")
        self.assertEqual(app.rect("transport.head.next")[3], usual)

    def test_theme_by_key_and_button(self):
        app = self.start()
        app.key("t")
        app.until_reports(field__theme="light")
        app.choose("top.menu", "theme")
        app.until_reports(field__theme="dark")

    def test_columns_can_be_dragged(self):
        app = self.start()
        x, _, w, _ = app.rect("stage")
        app.drag("columns.left", 80, 0)
        app.drag("columns.right", -40, 0)
        stage = app.rect("stage")
        self.assertAlmostEqual(stage[0], x + 80, delta=2)
        self.assertAlmostEqual(stage[2], w - 120, delta=4)

    def test_window_can_be_smaller(self):
        app = self.start()
        window = self.window_id(app)
        for width, height in ((1280, 720), (960, 600), (1600, 1000)):
            app.xdotool("windowsize", window, width, height)
            app.until(lambda r, w=width, h=height: self.reaches(r, w, h), f"{width}x{height}")
            for name, (x, y, w, h) in self.fixed_places(app):
                self.assertTrue(0 <= x and x + w <= width and 0 <= y and y + h <= height, name)

    @staticmethod
    def window_id(app):
        return app.xdotool("search", "--onlyvisible", "--pid", app.process.pid).split()[-1]

    @staticmethod
    def reaches(report, width, height):
        x, _, w, _ = report["names"]["ribbon.skip"]["rect"]
        _, y, _, h = report["names"]["transport.timeline"]["rect"]
        return width - 40 < x + w <= width and height - 40 < y + h <= height

    @staticmethod
    def fixed_places(app):
        """What does not scroll."""
        return [(name, where["rect"]) for name, where in app.settled()["names"].items()
                if name.split(".")[0] in ("top", "ribbon", "transport", "stage", "image")]

    def test_a_notice_is_dismissed_by_mouse_and_by_key(self):
        app = self.start()
        for dismiss in (lambda: app.click("notice.close"), lambda: app.key("Escape")):
            app.key("9")  # there are four heads
            app.until(lambda r: r["reports"]["notice"], "a notice")
            app.settled()
            dismiss()
            app.until_reports(notice="")
        app.key("Right")  # and life goes on
        app.until_reports(state__step="patches")

    def test_panels_open_and_close(self):
        app = self.start()
        for key, panel in (("question", "help"), ("F1", "help"), ("ctrl+o", "files")):
            app.key(key)
            app.until_reports(panel=panel)
            app.key("Escape")
            app.until_reports(panel="nothing")
        app.choose("top.menu", "help")
        app.until_reports(panel="help")

    def test_export_saves_pictures_of_the_window(self):
        app = self.start()
        app.go_to("softmax")
        for name in ("headlight-cat-softmax.png", "headlight-cat-softmax-2.png"):
            app.key("ctrl+e")
            app.until(lambda r, n=name: n in r["reports"]["notice"], "where it was saved")
            picture = Png(self.folder / name)
            self.assertEqual((picture.width, picture.height), (1600, 1000))
            self.assertGreater(picture.distinct_lines(), 500)

    def test_a_second_start_and_quit(self):
        self.assertEqual(self.start().quit(), 0)
        self.assertEqual(self.start().quit(), 0)
        self.assertEqual((self.folder / "stderr.txt").read_text(), "")


class Idle(WindowTest):
    SECONDS = 2
    TICKS = 0.05 * os.sysconf("SC_CLK_TCK")  # 50 ms of processor; redrawing all the time takes 20 ×

    def assert_idle(self, app, what):
        frame = app.settled()["frame"]
        time.sleep(0.5)  # what was just drawn may still be copied to the screen
        used = self.processor_ticks(app)
        time.sleep(self.SECONDS)
        self.assertLessEqual(self.processor_ticks(app) - used, self.TICKS, what)
        self.assertEqual(app.read()["frame"], frame, what)

    @staticmethod
    def processor_ticks(app):
        stat = Path(f"/proc/{app.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(stat[11]) + int(stat[12])

    def test_an_idle_window_uses_no_processor(self):
        app = self.start()
        app.go_to("products")
        self.assert_idle(app, "a step")
        app.point("stage.result[20,30]")
        self.assert_idle(app, "a hovered cell")
        app.key("ctrl+o")
        app.until(lambda r: "files.entry.cat.jpg" in r["names"], "the browser")
        self.wait_for_thumbnails(app)
        self.assert_idle(app, "an open browser")
        app.key("Escape", "question")
        app.until_reports(panel="help")
        self.assert_idle(app, "the help")

    @staticmethod
    def wait_for_thumbnails(app):
        """They come by themselves; until then, frames go by."""
        frame = -1
        while frame != app.read()["frame"]:
            frame = app.read()["frame"]
            time.sleep(0.5)

    def test_playing_uses_some(self):  # or else the other test would measure nothing
        app = self.start()
        used = self.processor_ticks(app)
        app.key("space")
        app.until(lambda r: r["reports"]["playing"] == "yes" and
                  self.processor_ticks(app) - used > self.TICKS, "playing to take time")


class Nowhere(WindowTest):
    def assert_refused(self, done, *parts):
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assert_one_sentence(done.stderr, "headlight: ", *parts)

    def test_no_display(self):
        self.assert_refused(self.run_program(), "no display")
        self.assert_refused(self.run_program("shot", "--script", os.devnull, "--out", "out"),
                            "no display", "xvfb-run")

    def test_a_display_that_is_gone(self):
        display = Display()
        display.close()
        self.assert_refused(self.run_program(display=display), "no display")

    def test_a_display_without_opengl(self):
        display = Display("-extension", "GLX")
        self.addCleanup(display.close)
        self.assert_refused(self.run_program(display=display), "OpenGL 3.3")

    def test_these_tests_fail_where_there_is_no_opengl(self):
        display = Display("-extension", "GLX")
        self.addCleanup(display.close)
        with self.assertRaisesRegex(AssertionError, "OpenGL 3.3"):
            Headlight(self.program, display, self.folder)

    def test_wrong_usage(self):
        done = self.run_program("--no-such-option", display=self.display)
        self.assertEqual(done.returncode, 2, done.stderr)


if __name__ == "__main__":
    main()
