#!/usr/bin/env python3
"""What the browser draws: pictures of every step of three models, against the native program, and the scripts of the
interface played in the page.

    python3 tests/web/test_pictures.py build/release/headlight [build/web]

Skipped (77) where ./dev web has not been run, or there is no Chromium, NumPy or Pillow.
"""

import base64
import io
import json
import re
import sys
import unittest
from pathlib import Path

from browser import Page, Server, find_chromium

try:
    import numpy
    from PIL import Image
except ImportError:
    numpy = None

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "ui"))
from harness import WindowTest  # noqa: E402

BUILT = Path(sys.argv.pop(2) if len(sys.argv) > 2 else SOURCE / "build" / "web").resolve()
NATIVE = Path(sys.argv.pop(1) if len(sys.argv) > 1 else SOURCE / "build" / "release" / "headlight").resolve()
OUT = "/shots"

# Debian's emscripten comes from a newer Debian, with other versions of Inter and Dear ImGui: words are up to 1 % wider, so
# what stands beside them moves by some pixels. Pictures are therefore compared by the means of blocks of BLOCK x BLOCK
# pixels. A block differs if a channel is further off than FAR of 255. The next step's picture differs in 6 % of its blocks
# and more.
BLOCK, FAR, MOST_DIFFERENT = 8, 32, 0.04
MODELS = {
    "scenes": ("open-model models/scenes", "scene 3", "focus 15"),
    "photographs": ("open images/citrus.jpg", "open-model models/photos", "focus 47"),
    "one layer": ("open images/bee.jpg", "open-model models/t2t-layer", "focus 47"),
}


def in_assets(lines, assets):
    """The lines with the paths of files that they open."""
    return [line.replace(" ", f" {assets}/", 1) if line.startswith("open") else line for line in lines]


def blocks(file):
    """The mean color of each block of a picture."""
    picture = Image.open(file).convert("RGB")
    size = picture.width // BLOCK, picture.height // BLOCK
    return numpy.asarray(picture.resize(size, Image.Resampling.BOX), float)


class Pictures(WindowTest):
    program = str(NATIVE)

    def setUp(self):
        super().setUp()
        self.server = Server(BUILT)
        self.addCleanup(self.server.stop)

    def play_native(self, lines):
        played = self.play("\n".join(lines) + "\n")
        self.assertEqual(played.returncode, 0, played.stderr)
        return played.stdout

    def play_in_page(self, text):
        """Plays a script to its end; returns the pictures that it took."""
        with Page() as page:
            page.call("Page.addScriptToEvaluateOnNewDocument", source=f"""
                Object.defineProperty(self, 'headlightArguments', {{get() {{
                    FS.writeFile('/script.txt', {json.dumps(text)});
                    FS.writeFile('/files/photograph.jpg', FS.readFile('/headlight/assets/images/coins.jpg'));
                    return ['--script', '/script.txt', '--out', '{OUT}'];
                }}}});""")
            page.open(self.server.address)
            ended = "document.getElementById('trouble') && document.getElementById('trouble').textContent"
            page.wait(ended, 400)
            self.assertIn("Headlight has closed", page.run(ended), "\n".join(page.said[-5:]))
            names = page.run(f"FS.readdir('{OUT}').filter((name) => name.endsWith('.png'))")
            return {name: base64.b64decode(page.run(f"""(() => {{
                let text = '';
                for (const byte of FS.readFile('{OUT}/{name}')) text += String.fromCharCode(byte);
                return btoa(text);
            }})()""")) for name in names}

    def steps(self, begin):
        """The names of all steps of the walk."""
        said = self.play_native(begin + ["step first"] + ["print state.step", "step next"] * 60).split("\n")
        return list(dict.fromkeys(line.split()[1] for line in said if line.startswith("state.step ")))

    def test_every_step_of_three_models(self):
        for model, begin in MODELS.items():
            opening = in_assets(begin, SOURCE / "assets")
            steps = self.steps(opening)
            self.assertGreater(len(steps), 8)
            walk = ["size 1280 720", "set screen walk"]
            for number, step in enumerate(steps):
                walk += [f"step {step}", "wait", f"shot {number}"]
            self.play_native(opening + walk)
            taken = self.play_in_page("\n".join(in_assets(begin, "/headlight/assets") + walk) + "\n")
            self.assertEqual(len(taken), len(steps))
            native = [blocks(self.folder / "out" / f"{number}.png") for number in range(len(steps))]
            for number, step in enumerate(steps):
                with self.subTest(model=model, step=step):
                    page = blocks(io.BytesIO(taken[f"{number}.png"]))
                    self.assertEqual(page.shape, native[number].shape)
                    apart = [abs(page - other) for other in native]
                    different = (apart[number].max(axis=2) > FAR).mean()
                    print(f"{model}, {step}: {100 * different:.2f} % of the blocks differ")
                    self.assertLess(different, MOST_DIFFERENT)
                    self.assertEqual(number, numpy.argmin([each.mean() for each in apart]), "it looks more like another step")

    def test_scripts_of_the_interface(self):
        """All of them, except for one that drops damaged files of the test that plays it."""
        paths = [path for folder in ("tests/ui/scripts", "assets/scripts") for path in sorted((SOURCE / folder).glob("*.txt"))]
        self.assertGreater(len(paths), 4)
        for path in paths:
            if path.name == "drop.txt":
                continue
            with self.subTest(script=path.name):
                # In a page, there are other folders. Files in the one where it starts become downloads.
                text = path.read_text().replace(" assets/", " /headlight/assets/").replace("drop photo", "drop /files/photo")
                self.assertEqual(len(self.play_in_page(text)), len(re.findall("^shot ", text, re.MULTILINE)))


if __name__ == "__main__":
    if not (BUILT / "headlight.wasm").exists() or not NATIVE.exists() or find_chromium() is None or numpy is None:
        print("skipped: needs a native program, ./dev web, Chromium, NumPy and Pillow")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
