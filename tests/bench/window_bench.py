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
SCREENS = ["look", "heads", "positions"]
POSITIONS = ["sinusoidal", "sincos_2d"]
POSITION_CHANGES = ["position_base 100 20000", "position_channel 0 767", "fast_waves_off 0 100"]
SIZES = [(1280, 720), (1600, 1000), (3840, 2160)]


def environment(home):
    return dict(os.environ, HOME=str(home), XDG_STATE_HOME=str(Path(home) / "state"))


def complete(report_file):
    """Whether the last report describes a picture with its layer."""
    try:
        report = json.loads(report_file.read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return False
    return not report["busy"] and "look.heads" in report["names"]


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


def play(binary, lines):
    """The lines printed by a script."""
    with tempfile.TemporaryDirectory() as home:
        script = Path(home) / "script.txt"
        script.write_text("\n".join(lines) + "\n")
        done = subprocess.run([binary, "shot", "--script", script, "--out", home], check=True,
                              env=environment(home), capture_output=True, text=True)
    return done.stdout.splitlines()


def ratio(line, part, whole):
    """The ratio of two medians on one line: other load on the machine affects both."""
    medians = dict(re.findall(r"(\w+) median ([\d.]+) ms", line))
    return float(medians[part]) / float(medians[whole])


def frames(binary, model, count):
    """Prints the times of `count` frames for steps, screens and sizes: at rest, under a moving
    pointer, and fully redrawn."""
    lines, cases = [f"open-model {model}", "wait"], []
    for width, height in SIZES:
        lines += [f"size {width} {height}", "set screen walk"]
        for step in STEPS:
            lines += [f"step {step}", "wait", f"bench-frames {count}"]
            cases.append((width, height, step))
        for screen in SCREENS:
            lines += [f"set screen {screen}", "wait", f"bench-frames {count}"]
            cases.append((width, height, screen))
    found = [line for line in play(binary, lines) if line.startswith("frames ")]
    for (width, height, what), line in zip(cases, found, strict=True):
        print(f"{width}x{height} {what:9} {line}; of a whole one at rest "
              f"{ratio(line, 'rest', 'anew'):.2f}, under a pointer "
              f"{ratio(line, 'pointer', 'anew'):.2f}")


def drags(binary, model, layer, count):
    """Prints frame times while a shape of a scene is dragged or the temperature changes, and the
    model runs."""
    for width, height in SIZES[:2]:
        for change in ["", " temperature 0.3 2"]:
            lines = [f"size {width} {height}", "scene 2000000049", f"open-model {model}", "wait",
                     f"layer {layer}", "step softmax", "wait", f"bench-drag {count}{change}"]
            print(f"{width}x{height}{change} {play(binary, lines)[-1]}")


def look_drags(binary, count):
    """Prints frame times on Look while a shape is dragged and all maps follow, and while the
    pointer moves over a photograph."""
    folder = Path(__file__).resolve().parents[2] / "assets"
    pictures = {"scene": ["scene 2000000049", f"open-model {folder / 'models/scenes'}"],
                "photograph": [f"open {folder / 'images/cat.jpg'}",
                               f"open-model {folder / 'models/photos'}"]}
    for width, height in SIZES:
        for picture, opened in pictures.items():
            bench = "bench-drag" if picture == "scene" else "bench-frames"
            lines = [f"size {width} {height}", *opened, "set screen look", "wait", f"{bench} {count}"]
            print(f"{width}x{height} look, {picture}: {play(binary, lines)[-1]}")


def processor_times(binary, lines):
    """Milliseconds of processor time of a script: of the thread that draws, of those that compute,
    and of Mesa's software rasterizer, whose work a graphics card would do."""
    ticks, kinds = os.sysconf("SC_CLK_TCK"), {"drawing": 0.0, "computing": 0.0, "rasterizer": 0.0}
    with tempfile.TemporaryDirectory() as home:
        script = Path(home) / "script.txt"
        script.write_text("\n".join(lines) + "\n")
        process = subprocess.Popen([binary, "shot", "--script", script, "--out", home],
                                   env=environment(home), stdout=subprocess.DEVNULL)
        threads = {}
        while process.poll() is None:
            for stat in Path(f"/proc/{process.pid}/task").glob("*/stat"):
                try:
                    before, after = stat.read_text().rsplit(")", 1)
                except OSError:
                    continue  # it has just ended
                number, name = before.split(" (", 1)
                kind = ("rasterizer" if name.startswith("llvmpipe") else
                        "drawing" if int(number) == process.pid else "computing")
                user, system = after.split()[11:13]
                threads[number] = kind, 1000 * (int(user) + int(system)) / ticks
            time.sleep(0.02)
        if process.returncode:
            raise SystemExit(f"{binary} refused the script")
    for kind, spent in threads.values():
        kinds[kind] += spent
    return kinds


def look_processor_times(binary, count):
    """Prints who needs the processor in a frame of Look while a shape is dragged. Unlike the frame
    times, it does not depend on other load of the machine. Linux alone."""
    for width, height in SIZES:
        few, many = (processor_times(binary, [
            f"size {width} {height}", "scene 2000000049",
            f"open-model {Path(__file__).resolve().parents[2] / 'assets/models/scenes'}",
            "set screen look", "wait", f"bench-drag {frames}"]) for frames in (count, 6 * count))
        parts = ", ".join(f"{kind} {(many[kind] - few[kind]) / (5 * count):.1f} ms" for kind in few)
        print(f"{width}x{height} look, processor time of a frame: {parts}")


def position_drags(binary, count):
    """Prints frame times on Positions while the display changes, for 196 patches of 768
    channels."""
    picture = Path(__file__).resolve().parents[2] / "assets/images/cat.jpg"
    for kind in POSITIONS:
        for change in POSITION_CHANGES:
            lines = ["size 1280 720", f"open {picture}", "set patch_size 16", "set image_size 224",
                     "set screen positions", f"set positions {kind}", "wait",
                     f"bench-drag {count} {change}"]
            print(f"1280x720 positions, {kind}, {change}: {play(binary, lines)[-1]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--look", action="store_true", help="the start and the first screen alone")
    parser.add_argument("--frames", type=int, default=60)
    parser.add_argument("--model", type=Path,
                        help="that is walked through; instead of the scenes' own, say, a ViT-B/16",
                        default=Path(__file__).resolve().parents[2] / "assets/models/scenes")
    parser.add_argument("--layer", type=int, default=4, help="that is looked at meanwhile")
    options = parser.parse_args()
    runs = [start(options.binary) for _ in range(options.starts)]
    seconds, resident, peak = (statistics.median(column) for column in zip(*runs))
    print(f"start to first complete frame: median {seconds:.2f} s of {len(runs)} "
          f"(longest {max(run[0] for run in runs):.2f} s)")
    print(f"resident memory at rest: {resident:.0f} MB, peak {peak:.0f} MB")
    look_drags(options.binary, options.frames)
    look_processor_times(options.binary, options.frames)
    if options.look:
        return
    frames(options.binary, options.model, options.frames)
    drags(options.binary, options.model, options.layer, options.frames)
    position_drags(options.binary, options.frames)


if __name__ == "__main__":
    main()
