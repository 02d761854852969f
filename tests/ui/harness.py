"""The real program in a display of its own, driven by a real mouse and keyboard (xdotool).

What is on the screen is read back from `headlight --report FILE`, see app/script/report.h.
Nothing here waits for a time: every wait is for something to be seen, and fails when it never is.
"""

import ctypes
import itertools
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
IMAGES = SOURCE / "assets" / "images"
STEPS = ["image", "patches", "position", "qkv", "heads", "products", "scale", "softmax", "mix",
         "concat", "project", "skip"]
FIRST = {"image.patches", "stage", "heads.grid"}  # what a screen has when there is a picture
DISPLAYS = itertools.count()  # of this process
# Seconds; a machine that builds beside us is slow, and so is a program with a sanitizer (CMakeLists.txt).
PATIENCE = float(os.environ.get("HEADLIGHT_PATIENCE", 60))


def start_server(*command):
    """Starts an X server, and gives it and its display. The number is of this process alone: a server that chooses
    the first free one may take that of a server which is about to end, and which then removes the other's socket."""
    read_end, write_end = os.pipe()
    name = f":{1000 + (os.getpid() * 8 + next(DISPLAYS)) % 50000}"
    server = subprocess.Popen([command[0], name, "-displayfd", str(write_end), *command[1:]],
                              pass_fds=[write_end], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write_end)
    with os.fdopen(read_end) as numbers:
        if not numbers.readline().strip():
            raise RuntimeError(f"{command[0]} did not start")
    return server, name


class Display:
    """An X server of its own, without key repeat, which would fail tests on a slow machine."""

    def __init__(self, *options):
        self.server, self.name = start_server(
            "Xvfb", "-screen", "0", "1600x1000x24", "-r", "-nolisten", "tcp", *options)
        # A server restarts when its last client disconnects, and then refuses new connections for a
        # moment.
        self.kept = connect(self.name)

    def set_dpi(self, dpi):
        """Sets the resolution as desktops do. Lasts while the connection is open."""
        x, display = connect(self.name)
        text = f"Xft.dpi: {dpi}\n".encode()
        resource_manager, string = map(ctypes.c_ulong, (23, 31))
        root = ctypes.c_ulong(x.XDefaultRootWindow(display))
        x.XChangeProperty(display, root, resource_manager, string, 8, 0, text, len(text))
        x.XSync(display, 0)

    def close(self):
        self.server.terminate()
        self.server.wait()


def connect(name):
    """Xlib, and its connection to a display."""
    x = ctypes.CDLL("libX11.so.6")
    x.XOpenDisplay.restype = ctypes.c_void_p
    x.XDefaultRootWindow.restype = ctypes.c_ulong
    return x, ctypes.c_void_p(x.XOpenDisplay(name.encode()))


def selection(x, display, name):
    """The text of an X selection (ICCCM 2.4); "" if it has no owner."""
    long = ctypes.c_ulong
    x.XInternAtom.restype = x.XCreateSimpleWindow.restype = long
    atom, utf8 = (long(x.XInternAtom(display, text, 0)) for text in (name.encode(), b"UTF8_STRING"))
    window = long(x.XCreateSimpleWindow(display, long(x.XDefaultRootWindow(display)), 0, 0, 1, 1, 0,
                                        long(0), long(0)))
    x.XConvertSelection(display, atom, utf8, utf8, window, long(0))
    x.XFlush(display)
    event = (ctypes.c_long * 24)()
    end = time.monotonic() + PATIENCE
    while not x.XCheckTypedWindowEvent(display, window, 31, ctypes.byref(event)):  # SelectionNotify
        if time.monotonic() > end:
            raise AssertionError(f"nobody answered for the {name}")
        time.sleep(0.01)
    kind, count, rest = long(), long(), long()
    bits, text = ctypes.c_int(), ctypes.c_void_p()
    x.XGetWindowProperty(display, window, utf8, ctypes.c_long(0), ctypes.c_long(1 << 20), 1, utf8,
                         ctypes.byref(kind), ctypes.byref(bits), ctypes.byref(count),
                         ctypes.byref(rest), ctypes.byref(text))
    return ctypes.string_at(text, count.value).decode() if text else ""


class Headlight:
    """One run of the program. `folder` is its home; use the same one again to continue."""

    def __init__(self, binary, display, folder, *arguments, screen="walk", cwd=None):
        """Opens on that screen, unless a session says another; "": the program's default."""
        if screen and not session_of(folder, arguments).exists():
            arguments = ("--screen", screen, *arguments)
        self.pointer, self.unseen = None, False
        self.text, self.report = None, None  # of the last report
        self.report_file = folder / "report.json"
        self.report_file.unlink(missing_ok=True)
        self.environment = environment(folder, display)
        self.errors = folder / "stderr.txt"
        with open(self.errors, "w") as errors:
            self.process = subprocess.Popen(
                [binary, "--report", str(self.report_file), *map(str, arguments)],
                env=self.environment, cwd=cwd or folder, stderr=errors)
        self.until(lambda r: not r["busy"] and FIRST & r["names"].keys(),
                   "the first picture")
        self.away()

    # ---- what is on the screen

    def read(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the program ended by itself ({self.process.returncode}): "
                                 f"{self.errors.read_text()}")
        try:
            text = self.report_file.read_bytes()
        except FileNotFoundError:
            return None
        if text != self.text:
            self.text, self.report = text, json.loads(text)
        return self.report

    def until(self, condition, what):
        """The first report for which `condition` holds."""
        end = time.monotonic() + PATIENCE
        report = None
        while time.monotonic() < end:
            report = self.read()
            if report is not None and condition(report):
                return report
            time.sleep(0.01)
        raise AssertionError(f"waited {PATIENCE:.0f} s for {what}; the last report says "
                             f"{json.dumps(report and report['reports'], indent=1)}")

    def until_reports(self, **wanted):
        """Waits for reports; a point in a name is written as two underscores."""
        wanted = {name.replace("__", "."): value for name, value in wanted.items()}

        def holds(report):
            return all(report["reports"].get(n) == v for n, v in wanted.items())
        return self.until(holds, str(wanted))["reports"]

    def settled(self):
        """The report after all that was done so far has been seen, and computed.

        The display keeps the order of what happens: once a movement of the pointer has been seen,
        so has everything before it."""
        if self.unseen:
            x, y = self.pointer
            self.point_at(x + 1, y)
            self.point_at(x, y)
        return self.until(lambda r: not r["busy"], "the computation")

    def reports(self):
        return self.settled()["reports"]

    def rect(self, name):
        names = self.names_with(name)
        if name not in names:
            raise AssertionError(f"nothing is called {name}; there is {', '.join(names)}")
        return names[name]["rect"]

    # ---- what a person does

    def xdotool(self, *arguments):
        """Returns its output."""
        self.unseen = True
        return subprocess.run(["xdotool", *map(str, arguments)], env=self.environment, check=True,
                              stdout=subprocess.PIPE, text=True).stdout

    def key(self, *names):
        self.xdotool("key", *names)

    def type(self, text):
        self.xdotool("type", "--delay", 10, "--", text)

    def place(self, name):
        """The pixel in the middle of "widget" or of the cell "widget[row,col]"."""
        names = self.settled()["names"]
        cell = re.fullmatch(r"(.*)\[(\d+),(\d+)\]", name)
        widget = cell[1] if cell and name not in names else name
        names = self.names_with(widget)
        if widget not in names:
            raise AssertionError(f"nothing is called {widget}; there is {', '.join(names)}")
        x, y, w, h = names[widget]["rect"]
        if widget == name:
            return round(x + w / 2), round(y + h / 2)
        row, col, rows, cols = names[widget]["cells"]
        return (round(x + (int(cell[3]) + 0.5 - col) / cols * w),
                round(y + (int(cell[2]) + 0.5 - row) / rows * h))

    def names_with(self, widget):
        """All widgets on the screen, after opening drawers or turning pages until the widget is
        there."""
        report = self.settled()
        if report["reports"].get("panel") != "nothing":
            return report["names"]
        for drawer, closed, opened in (("heads.tools", "closed", "open"),
                                       ("section.experiment", "folded", "open"),
                                       ("section.numbers", "folded", "open"),
                                       ("positions.page", None, "table"), ("positions.kinds", "closed", "open"),
                                       ("positions.page", None, "properties"), ("positions.page", None, "order")):
            if widget in report["names"]:
                break
            now = report["reports"].get(drawer)
            if now is None or now == opened or (closed and now != closed):
                continue
            report = self.open_drawer(drawer, opened)
        return report["names"]

    def open_drawer(self, drawer, opened="open"):
        page = drawer == "positions.page"
        if drawer.startswith("section."):
            self.reveal(drawer)
        self.click(f"{drawer}.{opened.capitalize()}" if page else drawer)
        self.until(lambda r: r["reports"].get(drawer) == opened, f"{drawer} to open")
        return self.settled()

    def point_at(self, x, y):
        if self.pointer == (x, y):
            return
        self.xdotool("mousemove", x, y)
        self.until(lambda r: r["pointer"] == [x, y], f"the pointer at {x}, {y}")
        self.pointer, self.unseen = (x, y), False

    def point(self, name):
        self.point_at(*self.place(name))

    def away(self):
        """Where there is nothing to hover."""
        self.point_at(300, 20)

    def click(self, name, times=1):
        self.point(name)
        self.xdotool("click", "--repeat", times, "--delay", 20, 1)

    def choose(self, menu, option):
        """Chooses from the list that a button opens."""
        self.click(menu)
        self.until(lambda r: f"{menu}.{option}" in r["names"], f"the list of {menu}")
        self.click(f"{menu}.{option}")

    def drag(self, name, dx, dy):
        x, y = self.place(name)
        self.point_at(x, y)
        self.xdotool("mousedown", 1)
        for i in range(1, 6):
            self.point_at(x + dx * i // 5, y + dy * i // 5)
        self.xdotool("mouseup", 1)

    def wheel(self, clicks):
        """Positive values scroll up."""
        self.xdotool("click", "--repeat", abs(clicks), "--delay", 10, 4 if clicks > 0 else 5)

    def unfold(self, name):
        """Opens parts of the right column until one of them has the widget."""
        tried = set()
        while name not in self.settled()["names"]:
            folded = [what for what, state in sorted(self.reports().items())
                      if what.startswith("section.") and state == "folded" and what not in tried]
            if not folded:
                return
            tried.add(folded[0])
            self.reveal(folded[0])
            self.click(folded[0])
            self.until_reports(**{folded[0].replace(".", "__"): "open"})

    def reveal(self, name):
        """Scrolls the right column until the widget is visible, and unfolds its section."""
        if name not in self.settled()["names"]:
            self.unfold(name)
        while True:
            names = self.settled()["names"]
            x, y, w, h = names[name]["rect"]
            top, bottom = names["stage"]["rect"][1], names["transport.timeline"]["rect"][1] - 8
            if top <= y and y + h <= bottom:
                return
            self.point_at(int(x + w / 2), int((top + bottom) / 2))
            self.wheel(-1 if y + h > bottom else 1)
            self.until(lambda r: r["names"][name]["rect"][1] != y, f"{name} to scroll")

    def turn(self, page):
        """Turns to a page of Positions."""
        if self.reports()["positions.page"] != page:
            self.open_drawer("positions.page", page)

    def go_to(self, step):
        self.click(f"ribbon.{step}")
        self.until_reports(state__step=step)

    def browse(self):
        self.key("ctrl+o")
        self.until_reports(panel="files")
        self.until(lambda r: "files.path" in r["names"], "the browser")

    def enter_path(self, path):
        """Types it into the file browser."""
        self.click("files.path")
        self.settled()
        self.key("ctrl+a")
        self.type(str(path))
        self.key("Return")

    def least_size(self, window):
        """The minimum size for the window manager, as given by XGetWMNormalHints."""
        x, display = connect(self.environment["DISPLAY"])
        hints = (ctypes.c_long * 32)()  # flags, then ints: x, y, width, height, least …
        x.XGetWMNormalHints(display, ctypes.c_ulong(int(window)), hints,
                            ctypes.byref(ctypes.c_long()))
        x.XCloseDisplay(display)
        numbers = ctypes.cast(ctypes.byref(hints, ctypes.sizeof(ctypes.c_long)),
                              ctypes.POINTER(ctypes.c_int))
        return numbers[4], numbers[5]

    def clipboard(self):
        """The text that another program would paste, asked for as it would."""
        self.settled()
        x, display = connect(self.environment["DISPLAY"])
        try:
            return selection(x, display, "CLIPBOARD")
        finally:
            x.XCloseDisplay(display)

    # ---- the end

    def quit(self):
        self.key("ctrl+q")
        return self.process.wait(PATIENCE)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def session_of(folder, arguments):
    """The session file of such a run."""
    arguments = [str(argument) for argument in arguments]
    if "--session" in arguments:
        return Path(arguments[arguments.index("--session") + 1])
    return folder / "state" / "headlight" / "session.json"


def environment(folder, display=None):
    """The environment with a home of its own, and this display or none."""
    elsewhere = ("DISPLAY", "WAYLAND_DISPLAY", "HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "TORCH_HOME",
                 "XDG_CACHE_HOME")
    variables = {name: value for name, value in os.environ.items() if name not in elsewhere}
    variables.update(HOME=str(folder), XDG_STATE_HOME=str(folder / "state"))
    if display:
        variables["DISPLAY"] = display.name
    return variables


def write_layer(path, channels=1536, dim=768):
    """Writes a checkpoint of one attention layer, so large that it is read on demand. Returns its
    path."""
    header, end = {}, 0
    for name, shape in (("qkv.weight", (3 * channels, dim)), ("proj.weight", (channels, channels))):
        begin, end = end, end + 4 * shape[0] * shape[1]
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    numbers = struct.pack("<1024f", *(0.01 * (i % 7 - 3) for i in range(1024)))
    path.write_bytes(struct.pack("<Q", len(text)) + text + numbers * (end // len(numbers)))
    return path


class WindowTest(unittest.TestCase):
    """Tests of the window: a display for the class, a home for each test."""

    program = ""

    @classmethod
    def setUpClass(cls):
        cls.display = Display()
        cls.addClassCleanup(cls.display.close)

    def setUp(self):
        home = tempfile.TemporaryDirectory(prefix="headlight-", ignore_cleanup_errors=True)
        self.addCleanup(home.cleanup)
        self.folder = Path(home.name)

    def start(self, *arguments, drawers=False, **options):
        """On a photograph, where nothing is said; with a layer that is drawn, where no session is there to go on with:
        a first start with a photograph of one's own opens the model for photographs (test_photos.py).
        `drawers`: those of Walk are open."""
        session = self.folder / "state" / "headlight" / "session.json"
        if not session.exists() and "--session" not in arguments:
            arguments = arguments or (IMAGES / "cat.jpg",)
            session.parent.mkdir(parents=True, exist_ok=True)
            look = {"screen": options.get("screen", "walk") or "look"}
            if drawers:
                look.update(fold_experiment="open", fold_numbers="open")
            session.write_text(json.dumps({"look": look}))
        app = Headlight(self.program, self.display, self.folder, *arguments, **options)
        self.addCleanup(app.close)
        return app

    def start_model(self, family, image="shapes.png"):
        """Starts with a small model of tests/golden and its config."""
        folder = self.folder / "models" / family
        folder.mkdir(parents=True)
        for name in ("model.safetensors", "config.json"):
            shutil.copy(SOURCE / "tests/golden/families" / f"{family}.{name}", folder / name)
        app = self.start(IMAGES / image, folder / "model.safetensors")
        app.until(lambda r: "transport.layer" in r["reports"], "the model")
        return app

    def run_program(self, *arguments, display=None):
        """Runs the program to its end, without a window."""
        return subprocess.run([self.program, *map(str, arguments)], cwd=self.folder,
                              env=environment(self.folder, display), capture_output=True, text=True,
                              timeout=PATIENCE * 4, check=False)

    def play(self, commands):
        """Plays the lines of a script; pictures go to the folder "out"."""
        script = self.folder / "script.txt"
        script.write_text(commands)
        return self.run_program("shot", "--script", script, "--out", "out", display=self.display)

    def assert_one_sentence(self, text, *parts):
        self.assertEqual(len(text.splitlines()), 1, text)
        for part in parts:
            self.assertIn(part, text)


def main():
    """Usage: test_….py PROGRAM [unittest arguments]"""
    WindowTest.program = str(Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
