"""The page of ./dev web beside the native program: size, start, memory, frames, slices and forward passes, as a table.

    xvfb-run -a -s "-screen 0 1600x1000x24" python3 tests/bench/web_bench.py build/release/headlight

Needs a display, Chromium and Node. Both draw in software. Forward passes run on one processor.
"""

import argparse
import gzip
import json
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
for folder in ("web", "ui", "bench"):
    sys.path.insert(0, str(SOURCE / "tests" / folder))
import window_bench  # noqa: E402
from browser import WITHOUT_SERVICE_WORKERS, Page, Server, node_switches  # noqa: E402
from vit_file import write_vit  # noqa: E402

REPORT = "/home/web_user/report.json"
STEPS = ["patches", "products", "softmax", "concat"]
SCREENS = ["look", "heads", "positions"]
DRAWN = "document.getElementById('cover') && document.getElementById('cover').hidden"
# Every callback of a frame, with the time it holds the page's main thread. Suspended functions continue in jobs (microtasks)
# that follow it, after a few others.
WATCH = """
self.slices = [];
const request = self.requestAnimationFrame.bind(self);
const after = (jobs, call) => jobs ? Promise.resolve().then(() => after(jobs - 1, call)) : call();
self.requestAnimationFrame = (call) => request((now) => {
  const begun = performance.now();
  try { call(now); } finally { after(20, () => slices.push(performance.now() - begun)); }
});"""


def row(what, native, page):
    print(f"| {what} | {native} | {page} |", flush=True)


def sizes(binary, built):
    for name in ("headlight.wasm", "headlight-relaxed.wasm", "headlight.js", "headlight.data"):
        data = (built / name).read_bytes()
        row(f"size of {name}", "", f"{len(data) / 1e6:.2f} MB, {len(gzip.compress(data, 9)) / 1e6:.2f} MB as gzip")
    row("size of the program", f"{binary.stat().st_size / 1e6:.1f} MB", "")


def report(page):
    return json.loads(page.run(f"FS.readFile('{REPORT}', {{encoding: 'utf8'}})"))


def complete(page):
    try:
        found = report(page)
    except RuntimeError:
        return False
    return not found["busy"] and "look.heads" in found["names"]


def visit(page, address):
    """Seconds to the first complete frame."""
    page.open("about:blank")
    page.wait("document.URL == 'about:blank'")
    begun = time.monotonic()
    page.open(address)
    page.wait(DRAWN)
    while not complete(page):
        time.sleep(0.01)
    return time.monotonic() - begun


def starts(binary, address, count):
    runs = [window_bench.start(binary) for _ in range(count)]
    seconds, resident, peak = (statistics.median(column) for column in zip(*runs))
    first, later, memory = [], [], 0
    for _ in range(count):
        with Page() as page:
            page.call("Page.addScriptToEvaluateOnNewDocument", source=f"self.headlightArguments = ['--report', '{REPORT}'];")
            first.append(visit(page, address))
            later.append(visit(page, address))
            memory = page.run("wasmMemory.buffer.byteLength") / 1e6
    row("start to the first complete frame", f"{seconds:.2f} s",
        f"{statistics.median(first):.2f} s on the first visit, {statistics.median(later):.2f} s on the second")
    row("memory at rest", f"{resident:.0f} MB, at most {peak:.0f} MB", f"{memory:.0f} MB of WebAssembly's memory")


def lines_of_frames(folder, count):
    lines = [f"open-model {folder}/models/scenes", "scene 2000000049", "wait", "size 1280 720", "set screen walk"]
    for step in STEPS:
        lines += [f"step {step}", "wait", f"bench-frames {count}"]
    for screen in SCREENS:
        lines += [f"set screen {screen}", "wait", f"bench-frames {count}"]
    return lines + ["set screen walk", "step softmax", "wait", f"bench-drag {count}"]


def play_in_page(address, lines):
    """What a script prints in the page."""
    with Page() as page:
        text = json.dumps("\n".join(lines) + "\n")
        page.call("Page.addScriptToEvaluateOnNewDocument", source=f"""
            Object.defineProperty(self, 'headlightArguments', {{get() {{
                FS.writeFile('/script.txt', {text});
                return ['--script', '/script.txt', '--out', '/shots'];
            }}}});""")
        page.open(address)
        page.wait("document.getElementById('trouble') && document.getElementById('trouble').textContent", 500)
        page.run("0")  # what it has said by now arrives first
        return page.said


def frames(binary, address, count):
    native = window_bench.play(binary, lines_of_frames(SOURCE / "assets", count))
    page = play_in_page(address, lines_of_frames("/headlight/assets", count))
    cases = [*(f"frame of Walk, {step}" for step in STEPS), *(f"frame of {name.title()}" for name in SCREENS), "drag"]

    def medians(lines):
        return [re.findall(r"(\w+) median ([\d.]+) ms", line) for line in lines if line.startswith(("frames ", "drag"))]

    for case, own, other in zip(cases, medians(native), medians(page), strict=True):
        row(case, *(", ".join(f"{what} {float(ms):.1f} ms" for what, ms in found) for found in (own, other)))


def slices(address, script, how):
    """How long single frames hold the page's main thread."""
    with Page() as page:
        page.call("Page.addScriptToEvaluateOnNewDocument",
                  source=f"self.headlightArguments = ['--report', '{REPORT}']; {WATCH} {script}")
        visit(page, address)

        def said(what):
            found = sorted(page.run("slices.splice(0)"))
            if found:
                row(f"{what}, {how}", "", f"median {statistics.median(found):.1f} ms, longest {found[-1]:.1f} ms, "
                    f"{sum(ms > 50 for ms in found)} of {len(found)} over 50 ms")

        def settled():
            time.sleep(1)
            while report(page)["busy"]:
                time.sleep(0.1)

        said("frames of the start")
        x, y, width, height = report(page)["names"]["scene.shape.1"]["rect"]
        x, y = x + width / 2, y + height / 2
        page.mouse("mouseMoved", x, y)
        page.mouse("mousePressed", x, y, button="left", clickCount=1)
        for step in range(60):
            page.mouse("mouseMoved", x + step, y, button="left", buttons=1)
            time.sleep(0.02)
        page.mouse("mouseReleased", x + 60, y, button="left", clickCount=1)
        settled()
        said("frames while a shape is dragged")
        for key in "2345":
            page.key(key, ctrl=True)
            settled()
        said("frames while screens change")
        page.run("""(async () => {
            const files = [];
            for (const name of ['model.safetensors', 'config.json'])
                files.push(new File([await (await fetch('vit/' + name)).arrayBuffer()], name));
            slices.splice(0);
            await ownFiles.take(files);
        })()""")
        end = time.monotonic() + 120
        while "model.safetensors" not in report(page)["reports"]["field.weights"] and time.monotonic() < end:
            time.sleep(0.1)
        settled()
        said("frames while a ViT-S/16 is opened and computed")
        page.key("2", ctrl=True)
        settled()
        said("frames while it is shown")
        row("memory with it", "", f"{page.run('wasmMemory.buffer.byteLength') / 1e6:.0f} MB of WebAssembly's memory")


def seconds_of(command):
    """Of the processor, so that other programs count less."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["taskset", "-c", "0", *map(str, command)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def passes(binary, command_lines, model, name, count):
    """Milliseconds per forward pass: curves with more steps minus curves with one."""
    times = {}
    with tempfile.TemporaryDirectory() as folder:
        # A native program counts the processors that it may use. Node counts all of them, so that threads would wait for each
        # other on one processor: this took 25 ms instead of 4 for the scene model.
        one = Path(folder) / "one.cjs"
        one.write_text("require('os').cpus = () => [{}];")
        node = ["node", "--require", one, *node_switches("headlight-cli-relaxed.js")]
        for program, first in {"native": [binary], **{name: [*node, path] for name, path in command_lines.items()}}.items():
            def curves(steps):
                return min(seconds_of([*first, "curves", "--model", model, "--image", SOURCE / "assets/images/cat.jpg",
                                       "--methods", "random", "--steps", steps, "--out", Path(folder) / "out.csv"])
                           for _ in range(3))
            times[program] = 1000 * (curves(count) - curves(1)) / (2 * (count - 1))
    native = times.pop("native")
    row(f"forward pass of {name} on one processor", f"{native:.1f} ms",
        ", ".join(f"{kind} {ms:.1f} ms, {ms / native:.2f} times native" for kind, ms in times.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", type=Path)
    parser.add_argument("--page", type=Path, default=SOURCE / "build" / "web")
    parser.add_argument("--command-lines", type=Path, default=SOURCE / "build" / "web-build", help="folder of headlight-cli.js")
    parser.add_argument("--starts", type=int, default=3)
    parser.add_argument("--frames", type=int, default=60)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        vit = write_vit(folder / "vit", 384, 12, 6, classes=1000)
        for path in options.page.resolve().iterdir():
            (folder / path.name).symlink_to(path)
        server = Server(folder)
        print("| | native | page |\n|---|---|---|")
        sizes(options.binary, options.page)
        starts(options.binary, server.address, options.starts)
        frames(options.binary, server.address, options.frames)
        slices(server.address, "", "with threads")
        slices(server.address, WITHOUT_SERVICE_WORKERS, "without threads")
        command_lines = {"SIMD": options.command_lines / "headlight-cli.js",
                         "relaxed SIMD": options.command_lines / "headlight-cli-relaxed.js"}
        passes(options.binary, command_lines, SOURCE / "assets/models/scenes", "the scene model", 200)
        passes(options.binary, command_lines, vit, "ViT-S/16", 20)
        server.stop()


if __name__ == "__main__":
    main()
