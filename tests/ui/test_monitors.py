"""A lecture on two monitors, under several window managers and without any: which window fills which
monitor, before and after Swap, and when a monitor is unplugged and comes back.

The monitors are two outputs of Xorg's dummy driver, which needs root. Skips what is not installed.
"""

import os
import shutil
import subprocess
import time

from harness import PATIENCE, Headlight, WindowTest, main, start_server

SERVER = """
Section "ServerFlags"
  Option "AutoAddDevices" "false"
  Option "AutoAddGPU" "false"
  Option "DontVTSwitch" "true"
EndSection
Section "Device"
  Identifier "dummy"
  Driver "dummy"
  VideoRam 128000
EndSection
Section "Monitor"
  Identifier "monitor"
  HorizSync 5.0-1000.0
  VertRefresh 5.0-200.0
  Modeline "1920x1080" 148.5 1920 2008 2052 2200 1080 1084 1089 1125
  Modeline "1280x720" 74.25 1280 1390 1430 1650 720 725 730 750
EndSection
Section "Screen"
  Identifier "screen"
  Device "dummy"
  Monitor "monitor"
  DefaultDepth 24
  SubSection "Display"
    Depth 24
    Modes "1920x1080" "1280x720"
    Virtual 3200 1080
  EndSubSection
EndSection
"""
ROOM, SPEAKER = (0, 0, 1920, 1080), (1920, 0, 1280, 720)  # x, y, width, height
BOTH = ("--output DUMMY0 --mode 1920x1080 --pos 0x0 "
        "--output DUMMY1 --mode 1280x720 --pos 1920x0 --primary").split()

TALK = """# A talk

## First
```headlight
step softmax
```
What the room reads.

<!-- note: Ask them first. -->

## Second
It comes next.
"""


class TwoMonitors:
    """An X server with the room's monitor at the left and the notebook's, the primary one, beside it."""

    def __init__(self, folder):
        config = folder / "xorg.conf"
        config.write_text(SERVER)
        try:
            self.server, self.name = start_server(
                "Xorg", "-config", str(config), "-noreset", "-nolisten", "tcp", "-novtswitch", "-sharevts",
                "-logfile", str(folder / "xorg.log"))
        except RuntimeError:
            self.server, self.name = None, ""

    def xrandr(self, *arguments):
        """Runs xrandr, which also queries the outputs: the server only announces that a monitor has
        changed."""
        for what in (arguments, ["--query"]):
            subprocess.run(["xrandr", *what], env={**os.environ, "DISPLAY": self.name}, check=True,
                           stdout=subprocess.DEVNULL)

    def close(self):
        if self.server:
            self.server.terminate()
            self.server.wait()


class Lecture(Headlight):
    """The program under a window manager, which places its window freely."""

    def away(self):
        pass

    def visible(self):
        """None while a window manager changes frames."""
        try:
            return self.xdotool("search", "--onlyvisible", "--pid", self.process.pid).split()
        except subprocess.CalledProcessError:
            return []

    def windows(self):
        """By title: the program's own window is named after its content."""
        found = {}
        for window in self.visible():
            name = self.xdotool("getwindowname", window).strip()
            found["presenter" if name.endswith("presenter") else "lecture"] = window
        return found

    def place(self, name):
        window = self.windows().get(name)
        if window is None:
            return None
        lines = self.xdotool("getwindowgeometry", "--shell", window).splitlines()
        values = dict(line.split("=") for line in lines)
        return tuple(int(values[key]) for key in ("X", "Y", "WIDTH", "HEIGHT"))

    def press(self, name, key):
        window = self.windows()[name]  # the tests have waited for it
        self.xdotool("windowfocus", "--sync", window, "key", key)


def is_on(place, monitor):
    """By its middle: xdotool counts a frame twice."""
    return place is not None and all(monitor[i] <= place[i] + place[i + 2] / 2 < monitor[i] + monitor[i + 2] for i in (0, 1))


def is_managed(display):
    """Whether a window manager has announced itself (EWMH: _NET_SUPPORTING_WM_CHECK)."""
    done = subprocess.run(["xprop", "-root", "_NET_SUPPORTING_WM_CHECK"], capture_output=True, text=True,
                          env={**os.environ, "DISPLAY": display.name}, check=False)
    return "window id" in done.stdout


class OnTwoMonitors(WindowTest):
    @classmethod
    def setUpClass(cls):
        pass

    def setUp(self):
        super().setUp()
        for tool in ("Xorg", "xrandr", "xprop"):
            if shutil.which(tool) is None:
                self.skipTest(f"{tool} is not installed")
        self.display = TwoMonitors(self.folder)
        self.addCleanup(self.display.close)
        if not self.display.name:
            self.skipTest("Xorg's dummy driver is not installed, or needs root")
        self.display.xrandr("--addmode", "DUMMY1", "1280x720")
        self.display.xrandr(*BOTH)

    def manage(self, manager, *launcher):
        for tool in (manager, *launcher[:1]):
            if shutil.which(tool) is None:
                self.skipTest(f"{tool} is not installed")
        process = subprocess.Popen([*launcher, manager], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env={**os.environ, "DISPLAY": self.display.name, "HOME": str(self.folder)})
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        self.wait_for(lambda: is_managed(self.display), manager)

    def wait_for(self, condition, what):
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.1)

    def begin(self):
        talk = self.folder / "talk.md"
        talk.write_text(TALK)
        app = Lecture(self.program, self.display, self.folder, talk)
        self.addCleanup(app.close)
        app.until_reports(lesson__stop="1")
        return app

    def expect(self, app, lecture, presenter):
        """The lecture fills one monitor, and the presenter's window is on the other."""
        def holds():
            return app.place("lecture") == lecture and is_on(app.place("presenter"), presenter)
        end = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > end:
                self.fail(f"expected the lecture on {lecture}, the presenter on {presenter}; found "
                          f"{ {name: app.place(name) for name in app.windows()} }")
            time.sleep(0.1)

    def lecture(self):
        app = self.begin()
        self.wait_for(lambda: "lecture" in app.windows(), "the window")
        home = app.place("lecture")
        app.press("lecture", "F11")
        self.expect(app, ROOM, SPEAKER)
        app.press("presenter", "x")
        self.expect(app, SPEAKER, ROOM)
        app.press("presenter", "x")
        self.expect(app, ROOM, SPEAKER)
        app.press("presenter", "Right")
        app.until_reports(lesson__stop="2")
        app.press("lecture", "F11")
        app.until_reports(field__lecture="false", presenter="closed")
        self.wait_for(lambda: app.place("lecture") == home, f"the window back at {home}")
        # A monitor that goes while the lecture fills it, and one that comes meanwhile.
        app.press("lecture", "F11")
        self.expect(app, ROOM, SPEAKER)
        self.display.xrandr("--output", "DUMMY0", "--off")
        app.until_reports(presenter="closed")
        self.display.xrandr(*BOTH)
        self.expect(app, ROOM, SPEAKER)
        self.assertEqual((self.folder / "stderr.txt").read_text(), "")

    def test_without_a_window_manager(self):
        self.lecture()

    def test_under_openbox(self):
        self.manage("openbox")
        self.lecture()

    def test_under_xfwm4(self):
        self.manage("xfwm4", "dbus-run-session", "--")
        self.lecture()

    def test_under_metacity(self):
        self.manage("metacity")
        self.lecture()


if __name__ == "__main__":
    main()
