"""The real program in a display of its own, driven by a real mouse and keyboard (xdotool).

What is on the screen is read back from `headlight --report FILE`, see app/platform/report.h.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
PATIENCE = 60.0  # seconds; a machine that builds beside us is slow


class Display:
    """An X server on a number that was free."""

    def __init__(self, width=1600, height=1000):
        read_end, write_end = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write_end), "-screen", "0", f"{width}x{height}x24",
             "-nolisten", "tcp"],
            pass_fds=[write_end], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write_end)
        with os.fdopen(read_end) as numbers:
            number = numbers.readline().strip()
        if not number:
            raise RuntimeError("Xvfb did not start")
        self.name = f":{number}"

    def close(self):
        self.server.terminate()
        self.server.wait()


class Headlight:
    """One run of the program. `folder` is its home; give the same one again to come back."""

    def __init__(self, binary, display, folder, *arguments, cwd=None):
        self.folder = Path(folder)
        self.report_file = self.folder / "report.json"
        self.report_file.unlink(missing_ok=True)
        self.environment = dict(os.environ, DISPLAY=display.name, HOME=str(self.folder),
                                XDG_STATE_HOME=str(self.folder / "state"))
        self.errors = open(self.folder / "stderr.txt", "w+")
        self.process = subprocess.Popen(
            [binary, "--report", str(self.report_file), *map(str, arguments)],
            env=self.environment, cwd=cwd or self.folder, stderr=self.errors)
        self.at_rest()

    # ---- what is on the screen

    def read(self):
        if self.process.poll() is not None:
            self.errors.seek(0)
            raise AssertionError(f"the program ended by itself ({self.process.returncode}): "
                                 f"{self.errors.read()}")
        try:
            return json.loads(self.report_file.read_text())
        except FileNotFoundError:
            return None

    def until(self, condition, what):
        """The first report of which `condition` holds."""
        end = time.monotonic() + PATIENCE
        report = None
        while time.monotonic() < end:
            report = self.read()
            if report is not None and condition(report):
                return report
            time.sleep(0.02)
        raise AssertionError(f"waited {PATIENCE:.0f} s for {what}; the last report says "
                             f"{json.dumps(report and report['reports'], indent=1)}")

    def at_rest(self):
        """Nothing is computed, and nothing new was drawn for a while."""
        end = time.monotonic() + PATIENCE
        seen, since = None, time.monotonic()
        while time.monotonic() < end:
            report = self.read()
            frame = report and report["frame"]
            if frame != seen or report is None or report["busy"]:
                seen, since = frame, time.monotonic()
            elif time.monotonic() - since > 0.25:
                return report
            time.sleep(0.02)
        raise AssertionError(f"the screen did not come to rest within {PATIENCE:.0f} s")

    def until_reports(self, **wanted):
        """Waits for reports; a point in a name is written as two underscores."""
        wanted = {name.replace("__", "."): value for name, value in wanted.items()}

        def holds(report):
            return all(report["reports"].get(n) == v for n, v in wanted.items())
        return self.until(holds, str(wanted))

    # ---- what a person does

    def xdotool(self, *arguments):
        subprocess.run(["xdotool", *map(str, arguments)], env=self.environment, check=True,
                       stdout=subprocess.DEVNULL)

    def key(self, *names):
        self.xdotool("key", "--delay", 30, *names)

    def type(self, text):
        self.xdotool("type", "--delay", 20, text)

    def place(self, name):
        """The pixel of "widget", or of the middle of "widget[row,col]"."""
        names = self.read()["names"]
        cell = re.fullmatch(r"(.*)\[(\d+),(\d+)\]", name)
        if cell and name not in names:
            where = names[cell[1]]
            row, col, rows, cols = where["cells"]
            x, y, w, h = where["rect"]
            return (x + (int(cell[3]) + 0.5 - col) / cols * w,
                    y + (int(cell[2]) + 0.5 - row) / rows * h)
        x, y, w, h = names[name]["rect"]
        return x + w / 2, y + h / 2

    def point(self, name):
        self.point_at(*self.place(name))

    def point_at(self, x, y):
        self.xdotool("mousemove", round(x), round(y))

    def click(self, name):
        self.point(name)
        self.xdotool("click", 1)

    def drag(self, name, dx, dy):
        x, y = self.place(name)
        self.point_at(x, y)
        self.xdotool("mousedown", 1)
        for i in range(1, 6):
            self.point_at(x + dx * i / 5, y + dy * i / 5)
            time.sleep(0.03)
        self.xdotool("mouseup", 1)

    # ---- the end

    def quit(self):
        self.key("ctrl+q")
        self.process.wait(PATIENCE)
        self.errors.close()
        return self.process.returncode

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        self.errors.close()


class Folder:
    """A folder that is gone afterwards."""

    def __enter__(self):
        self.path = Path(tempfile.mkdtemp(prefix="headlight-test-"))
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)
