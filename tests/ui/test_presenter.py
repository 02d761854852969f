"""The presenter's window: beside the real one with a real mouse and keyboard, and as a picture."""

import ctypes

from harness import WindowTest, connect, main
from png import Png

TALK = """# A talk

## First
```headlight
step softmax
```
What the room reads.

<!-- note: Ask them first. -->

## Second
It comes next. And goes on.

<!-- note: %s -->

## Third
The end.
""" % " ".join(f"Sentence {i} of many that the speaker has to say." for i in range(80))

TITLE = "Headlight — presenter"


def ask_to_close(display_name, window):
    """As window managers do; the test's display has none."""
    x, display = connect(display_name)
    x.XInternAtom.restype = ctypes.c_ulong
    protocols, delete = (x.XInternAtom(display, name, 0) for name in (b"WM_PROTOCOLS", b"WM_DELETE_WINDOW"))
    client_message, long_format = 33, 32
    # Of XClientMessageEvent: type, serial, send_event, display, window, message_type, format, data.
    event = (ctypes.c_long * 24)(client_message, 0, 1, 0, window, protocols, long_format, delete, 0)
    x.XSendEvent(display, ctypes.c_ulong(window), 0, ctypes.c_long(0), ctypes.byref(event))
    x.XSync(display, 0)
    x.XCloseDisplay(display)


class PresenterTest(WindowTest):
    def talk(self):
        path = self.folder / "talk.md"
        path.write_text(TALK)
        return path


class InAWindow(PresenterTest):
    def begin(self):
        """With the presenter's window open and focused."""
        app = self.start(self.talk())
        app.until_reports(lesson__stop="1", presenter="closed")
        app.key("ctrl+n")
        app.until(lambda r: r["presenter"] and r["reports"].get("presenter.stop") == "1", "its window")
        return app

    def windows(self, app):
        return app.xdotool("search", "--onlyvisible", "--pid", app.process.pid).split()

    def click(self, app, name):
        """Clicks in the presenter's window, which covers a corner of the other."""
        x, y, w, h = app.read()["presenter"]["names"][name]["rect"]
        at = [round(x + w / 2), round(y + h / 2)]
        app.xdotool("mousemove", *at)
        app.until(lambda r: r["presenter"]["pointer"] == at, f"the pointer on {name}")
        app.xdotool("click", 1)

    def test_opens_shows_and_closes(self):
        app = self.begin()
        self.assertEqual(len(self.windows(app)), 2)
        said = app.read()["reports"]
        self.assertEqual(said["presenter.notes"], "Ask them first.")
        self.assertEqual(said["presenter.next"], "Second")
        self.assertRegex(said["presenter.time"], r"^\d?\d:\d\d$")
        app.key("ctrl+n")
        app.until(lambda r: r["presenter"] is None, "no window")
        self.assertEqual(len(self.windows(app)), 1)
        app.until_reports(presenter="closed", lesson__stop="1")
        app.key("Next")  # the program goes on
        app.until_reports(lesson__stop="2")

    def test_its_keys_move_the_lesson(self):
        app = self.begin()
        for key, stop in (("Right", "2"), ("Left", "1"), ("Next", "2"), ("Prior", "1"), ("space", "2"),
                          ("End", "3"), ("Home", "1")):
            app.key(key)
            app.until_reports(lesson__stop=stop, presenter__stop=stop)
        app.key("3")
        app.until_reports(presenter__typed="3")
        app.key("Return")
        app.until_reports(lesson__stop="3", presenter__typed="")
        app.key("period")
        app.until_reports(panel="blank", presenter__screen="black")
        app.key("Left")
        app.until_reports(panel="nothing", presenter__screen="shown", lesson__stop="2")
        app.key("t")  # what it has no meaning for means what it means everywhere
        app.until_reports(field__theme="light")

    def test_its_buttons_and_its_wheel(self):
        app = self.begin()
        self.click(app, "presenter.go")
        app.until_reports(lesson__stop="2", presenter__words__scrolled="no")
        x, y, w, h = app.read()["presenter"]["names"]["presenter.words"]["rect"]
        app.xdotool("mousemove", round(x + w / 2), round(y + h / 2))
        app.wheel(-5)
        app.until_reports(presenter__words__scrolled="yes")
        self.click(app, "presenter.back")
        app.until_reports(lesson__stop="1")
        self.click(app, "presenter.black")
        app.until_reports(panel="blank")
        self.click(app, "presenter.black")
        app.until_reports(panel="nothing")

    def test_the_clock_runs_and_begins_anew(self):
        app = self.begin()
        app.until(lambda r: r["reports"].get("presenter.elapsed", "0:00") >= "0:02", "two seconds")
        app.key("r")
        app.until_reports(presenter__elapsed="0:00")
        app.until_reports(presenter__elapsed="0:01")

    def test_closing_it_leaves_the_program(self):
        app = self.begin()
        other = app.xdotool("search", "--name", TITLE).split()[-1]
        ask_to_close(self.display.name, int(other))
        app.until(lambda r: r["presenter"] is None, "no window")
        app.until_reports(presenter="closed", lesson__stop="1")

    def test_leaving_the_lesson_and_quitting_close_both(self):
        app = self.begin()
        self.assertEqual(app.quit(), 0)
        self.assertEqual((self.folder / "stderr.txt").read_text(), "")

    def test_without_a_lesson_it_says_why_not(self):
        app = self.start()
        app.key("ctrl+n")
        app.until(lambda r: "Open a lesson first" in r["reports"]["notice"], "a reason")
        self.assertIsNone(app.read()["presenter"])

    def test_lecture_view_on_one_monitor_opens_nothing(self):
        app = self.start(self.talk())
        app.until_reports(lesson__stop="1")
        app.key("F11")
        app.until_reports(field__lecture="true", presenter="closed")
        self.assertEqual(len(self.windows(app)), 1)


class AsAPicture(PresenterTest):
    def play(self, commands):
        done = super().play(f'lesson "{self.talk()}"\nwait\n' + commands)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_looks_in_every_size(self):
        sizes = [(800, 600), (1280, 720), (1920, 1080)]
        script = "presenter on\n"
        for theme in ("dark", "light"):
            script += f"set theme {theme}\n"
            for width, height in sizes:
                script += (f"presenter-size {width} {height}\n"
                           f"presenter-hand shot {theme}-{width}\n")
        self.play(script + "shot main\n")
        for theme in ("dark", "light"):
            for width, height in sizes:
                picture = Png(self.folder / "out" / f"{theme}-{width}.png")
                self.assertEqual((picture.width, picture.height), (width, height))
                self.assertGreater(picture.distinct_lines(), height / 10)
        # The program's own picture must not contain this view.
        self.assertGreater(Png(self.folder / "out" / "main.png").distinct_lines(), 500)

    def test_keys_clicks_and_time(self):
        self.play("""try presenter-hand shot early
presenter on
presenter-hand shot one
expect presenter.elapsed 0:00
let-pass 59
presenter-hand shot two
expect presenter.time 9:00
let-pass 3600
presenter-hand key Right
expect lesson.stop 2
expect presenter.elapsed 1:00:59
expect presenter.time 10:00
presenter-hand key 3
expect presenter.typed 3
presenter-hand key Enter
wait
presenter-hand shot three
expect presenter.stop 3
presenter-hand key 9
presenter-hand key Enter
expect presenter.stop 3
presenter-hand click presenter.back
wait
presenter-hand scroll -5
expect presenter.stop 2
expect presenter.words.scrolled yes
presenter restart
presenter-hand key .
expect presenter.elapsed 0:00
expect panel blank
presenter-hand key PageUp
expect panel nothing
expect lesson.stop 1
presenter-hand key Ctrl+N
expect presenter closed
try presenter-hand shot late
lesson-leave keep
try presenter on
""")
        one, two = (Png(self.folder / "out" / f"{name}.png") for name in ("one", "two"))
        self.assertEqual((one.width, one.height), (two.width, two.height))
        self.assertFalse((self.folder / "out" / "early.png").exists())
        self.assertFalse((self.folder / "out" / "late.png").exists())
        pictures = [(self.folder / "out" / f"{name}.png").read_bytes() for name in ("one", "two")]
        self.assertNotEqual(*pictures)


if __name__ == "__main__":
    main()
