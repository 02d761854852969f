"""How long the window takes: to start, to draw a frame, and how much memory it holds.

    xvfb-run -a -s "-screen 0 3840x2160x24" python3 tests/bench/window_bench.py build/release/headlight

Needs a display. Everything is measured from outside, on the program that people run.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

STEPS = ["patches", "products", "softmax", "concat"]
SIZES = [(1280, 720), (1600, 1000), (3840, 2160)]


def environment(home):
    return dict(os.environ, HOME=str(home), XDG_STATE_HOME=str(Path(home) / "state"))


def complete(report_file):
    """Whether the last report tells of a picture with the layer in it."""
    try:
        report = json.loads(report_file.read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return False
    return not report["busy"] and "ribbon.softmax" in report["names"]


def memory(pid, field):
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(rf"{field}:\s+(\d+) kB", status)[1]) / 1024


def start(binary):
    """Seconds from the start of the process to the first complete frame; resident and peak MB."""
    with tempfile.TemporaryDirectory() as home:
        report_file = Path(home) / "report.json"
        begun = time.monotonic()
        process = subprocess.Popen([binary, "--report", report_file], env=environment(home))
        try:
            while not complete(report_file):
                if process.poll() is not None:
                    raise SystemExit(f"{binary} ended by itself")
                time.sleep(0.002)
            seconds = time.monotonic() - begun
            time.sleep(1)  # what was only needed to start has been given back
            return seconds, memory(process.pid, "VmRSS"), memory(process.pid, "VmHWM")
        finally:
            process.terminate()
            process.wait()


def frames(binary, count):
    """Prints the times of `count` frames for steps and sizes, each drawn completely."""
    lines = []
    for width, height in SIZES:
        lines.append(f"size {width} {height}")
        for step in STEPS:
            lines += [f"step {step}", "wait", f"bench-frames {count}"]
    with tempfile.TemporaryDirectory() as home:
        script = Path(home) / "frames.txt"
        script.write_text("\n".join(lines) + "\n")
        done = subprocess.run([binary, "shot", "--script", script, "--out", home], check=True,
                              env=environment(home), capture_output=True, text=True)
    times = [line for line in done.stdout.splitlines() if line.startswith("frames ")]
    cases = [(size, step) for size in SIZES for step in STEPS]
    for ((width, height), step), found in zip(cases, times, strict=True):
        print(f"{width}x{height} {step:9} {found}")


def drags(binary, model, count):
    """Prints the times of frames in which a shape of a scene is moved and the model runs."""
    for width, height in SIZES[:2]:
        lines = [f"size {width} {height}", "scene 2000000049", f"open-model {model}", "wait",
                 "layer 4", "step softmax", "wait", f"bench-drag {count}"]
        with tempfile.TemporaryDirectory() as home:
            script = Path(home) / "drag.txt"
            script.write_text("\n".join(lines) + "\n")
            done = subprocess.run([binary, "shot", "--script", script, "--out", home], check=True,
                                  env=environment(home), capture_output=True, text=True)
        print(f"{width}x{height} {done.stdout.strip().splitlines()[-1]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--frames", type=int, default=60)
    parser.add_argument("--scenes", type=Path, help="the model that is dragged about with",
                        default=Path(__file__).resolve().parents[2] / "assets/models/scenes")
    options = parser.parse_args()
    runs = [start(options.binary) for _ in range(options.starts)]
    seconds, resident, peak = (statistics.median(column) for column in zip(*runs))
    print(f"start to first complete frame: median {seconds:.2f} s of {len(runs)} "
          f"(longest {max(run[0] for run in runs):.2f} s)")
    print(f"resident memory at rest: {resident:.0f} MB, peak {peak:.0f} MB")
    frames(options.binary, options.frames)
    drags(options.binary, options.scenes, options.frames)


if __name__ == "__main__":
    main()
