"""Pictures that leave the program: `export` and `headlight figure`, read by others' parsers."""

import base64
import json
import struct
import subprocess
import xml.etree.ElementTree as xml

from harness import IMAGES, SOURCE, WindowTest, main
from png import Png

MODEL = SOURCE / "assets" / "models" / "scenes" / "model.safetensors"
SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"


class Svg:
    def __init__(self, path):
        self.root = xml.parse(path).getroot()
        self.folder = path.parent
        self.size = float(self.root.get("width")), float(self.root.get("height"))
        self.facts = dict(line.split(": ", 1)
                          for line in self.root.find(SVG + "desc").text.splitlines())
        self.texts = [text.text for text in self.root.iter(SVG + "text")]

    def images(self):
        """Element and pixels of each embedded picture."""
        found = []
        for number, image in enumerate(self.root.iter(SVG + "image")):
            kind, code = image.get(LINK).split(",", 1)
            assert kind == "data:image/png;base64", kind
            path = self.folder / f"embedded-{number}.png"
            path.write_bytes(base64.b64decode(code, validate=True))
            found.append((image, Png(path).pixels()))
        return found


def read_maps(path):
    """The numbers of what `headlight maps` wrote, and their shape."""
    data = path.read_bytes()
    length, = struct.unpack_from("<H", data, 8)
    shape = eval(data[10:10 + length])["shape"]  # a Python dictionary, by the format's definition
    numbers = data[10 + length:]
    return struct.unpack(f"<{len(numbers) // 4}f", numbers), shape


class Figures(WindowTest):
    def figure(self, *more):
        return self.run_program("figure", "--model", MODEL, "--image", IMAGES / "cat.jpg", *more)

    def test_a_sheet_of_maps_needs_no_display(self):
        done = self.figure("--query", "43", "--layers", "2-4", "--heads", "1,3", "--out", "a.svg")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        svg = Svg(self.folder / "a.svg")
        self.assertEqual(svg.facts["shows"], "attention: what patch 43 reads")
        self.assertEqual(svg.facts["model"], str(MODEL))
        for name in ["Layer 2", "Layer 3", "Layer 4", "head 1", "head 3"]:
            self.assertIn(name, svg.texts)
        self.assertNotIn("Layer 1", svg.texts)
        self.assertNotIn("head 2", svg.texts)
        # The photograph, and a map for each of 3 layers × 2 heads.
        self.assertEqual(len(svg.images()), 1 + 6)

    def test_heads_are_combined_and_their_mass_outlined(self):
        done = self.figure("--query", "43", "--heads", "1,3", "--combine", "max", "--mass", "60",
                           "--out", "a.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        svg = Svg(self.folder / "a.svg")
        self.assertIn("max of heads 1, 3", svg.texts)
        self.assertNotIn("head 1", svg.texts)
        self.assertEqual(len(svg.images()), 1 + 4)
        self.assertIn("60 %", svg.facts["outlined"])
        outlines = [line for line in svg.root.iter(SVG + "line")
                    if line.get("stroke") == "#ffffff"]
        self.assertGreater(len(outlines), 4 * 4)  # a square around a patch has four

    def test_its_brightest_cells_are_those_of_the_maps(self):
        self.assertEqual(self.figure("--query", "43", "--out", "a.svg").returncode, 0)
        done = self.run_program("maps", "--model", MODEL, "--image", IMAGES / "cat.jpg",
                                "--query", "43", "--out", "maps.npy")
        self.assertEqual(done.returncode, 0, done.stderr)
        numbers, (layers, heads, rows, cols) = read_maps(self.folder / "maps.npy")
        maps = Svg(self.folder / "a.svg").images()[1:]
        self.assertEqual(len(maps), layers * heads)
        for index, (_, pixels) in enumerate(maps):
            cells = numbers[index * rows * cols:(index + 1) * rows * cols]
            # magma grows brighter from end to end
            tall, wide = len(pixels) // rows, len(pixels[0]) // cols
            light = [sum(pixels[r * tall][c * wide]) for r in range(rows) for c in range(cols)]
            self.assertEqual(light[cells.index(max(cells))], max(light))
            self.assertEqual(light[cells.index(min(cells))], min(light))

    def test_as_a_picture_it_is_as_large_as_wanted_and_says_what_made_it(self):
        sizes = []
        for resolution in "1", "2":
            done = self.run_program("figure", "--model", MODEL, "--image", IMAGES / "cat.jpg",
                                    "--resolution", resolution, "--theme", "dark", "--out", "a.png",
                                    display=self.display)
            self.assertEqual(done.returncode, 0, done.stderr)
            picture = Png(self.folder / "a.png")
            self.assertGreater(picture.distinct_lines(), 100)
            sizes.append(picture.width)
        self.assertAlmostEqual(sizes[1] / sizes[0], 2, delta=0.02)
        self.assertIn(b"what the class token reads", (self.folder / "a.png").read_bytes())

    def test_wrong_words_end_in_a_sentence(self):
        for words, status, said in [
                (["--layers", "0", "--out", "a.svg"], 2, "--layers"),
                (["--layers", "3-1", "--out", "a.svg"], 2, "--layers"),
                (["--heads", "1,", "--out", "a.svg"], 2, "--heads"),
                (["--heads", "99999999999", "--out", "a.svg"], 2, "--heads"),
                (["--layers", "5", "--out", "a.svg"], 1, "layers from 1 to 4, found 5"),
                (["--combine", "sum", "--out", "a.svg"], 2, "--combine"),
                (["--mass", "101", "--out", "a.svg"], 2, "--mass"),
                (["--scale", "loud", "--out", "a.svg"], 2, "--scale"),
                (["--query", "tail", "--out", "a.svg"], 2, "--query"),
                (["--out", "a.gif"], 2, ".svg or .png"),
                (["--out", "nowhere/a.svg"], 1, "nowhere/a.svg")]:
            done = self.figure(*words)
            self.assertEqual(done.returncode, status, (words, done.stderr))
            self.assertIn(said, done.stderr)
        self.assertFalse((self.folder / "a.svg").exists())

    def test_the_window_is_saved_as_it_is_seen(self):
        done = self.play("size 1280 720\nstep softmax\nwait\nexport walk.svg\n"
                         "dismiss\nexport stage.svg stage.result\nwait\ndismiss\nwait\n"
                         "export stage.png stage.result\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        svg = Svg(self.folder / "walk.svg")
        self.assertEqual(svg.size, (1280, 720))
        self.assertIn("Softmax", svg.texts)
        self.assertEqual(svg.facts["step"], "softmax")
        picture = Png(self.folder / "stage.png")
        part = Svg(self.folder / "stage.svg")
        self.assertEqual((picture.width, picture.height), tuple(round(n) for n in part.size))

    def test_a_widget_that_is_not_there_is_a_mistake_of_the_script(self):
        for ending in "svg", "png":
            done = self.play(f"export a.{ending} no.such\n")
            self.assertEqual(done.returncode, 1)
            self.assertIn("nothing on the screen is called \"no.such\"", done.stderr)

    def test_a_matrix_is_saved_in_numbers(self):
        done = self.play("step softmax\nwait\nexport a.csv stage.result\nwait\n"
                         "export a.npy stage.result\nwait\n"
                         "export a.safetensors stage.result\nwait\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        numbers, (rows, cols) = read_maps(self.folder / "a.npy")
        lines = [[float(n) for n in line.split(",")]
                 for line in (self.folder / "a.csv").read_text().splitlines()]
        self.assertEqual((len(lines), len(lines[0])), (rows, cols))
        for row, line in enumerate(lines):
            self.assertAlmostEqual(sum(line), 1, places=5)
            for number, same in zip(line, numbers[row * cols:(row + 1) * cols], strict=True):
                self.assertEqual(struct.pack("<f", number), struct.pack("<f", same))
        tensor = (self.folder / "a.safetensors").read_bytes()
        length, = struct.unpack("<Q", tensor[:8])
        header = json.loads(tensor[8:8 + length])
        self.assertEqual(header["stage.result"], {"dtype": "F32", "shape": [rows, cols],
                                                  "data_offsets": [0, 4 * rows * cols]})
        self.assertEqual(header["__metadata__"]["step"], "softmax")
        self.assertEqual(tensor[8 + length:], struct.pack(f"<{rows * cols}f", *numbers))

    def test_a_row_under_the_pointer_is_copied(self):
        window = self.start()
        window.go_to("softmax")
        window.point("stage.result[3,4]")
        window.key("ctrl+c")
        window.until(lambda report: "Copied a row of" in report["reports"]["notice"], "copied")
        window.away()
        window.key("ctrl+c")
        window.until(lambda report: "point at a matrix" in report["reports"]["notice"], "refusal")

    def test_the_maps_are_saved_with_a_click(self):
        window = self.start("--model", MODEL, IMAGES / "cat.jpg")
        window.key("ctrl+2")
        window.until_reports(**{"heads.maps": "16"})
        window.click("heads.save")
        window.until(lambda report: "Saved as" in report["reports"]["notice"], "saved")
        saved = window.reports()["notice"].removeprefix("Saved as ").removesuffix(".")
        self.assertEqual(saved.rsplit(".", 1)[1], "svg")
        svg = Svg(self.folder / saved)
        self.assertIn("Layer 4", svg.texts)

    def run_script(self, path):
        """Its last line, or nothing where there is no PyTorch."""
        compile(path.read_text(), str(path), "exec")
        done = subprocess.run(["/usr/bin/python3", path], capture_output=True, text=True)
        if "No module named 'torch'" in done.stderr:
            return None
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()[-1]

    def test_the_walk_is_saved_as_a_script_with_a_click(self):
        window = self.start("--model", MODEL, IMAGES / "cat.jpg")
        window.go_to("softmax")
        window.click("pytorch.save")
        window.until(lambda report: "Saved as" in report["reports"]["notice"], "saved")
        saved = self.folder / window.reports()["notice"].removeprefix("Saved as ").removesuffix(".")
        self.assertEqual(saved.suffix, ".py")
        self.assertTrue(saved.with_suffix(".safetensors").exists())
        self.assertIn("A = S.softmax(dim=-1)\n", saved.read_text())
        self.assertIn(self.run_script(saved), (None, "all 26 steps agree"))

    def test_a_drawn_layer_is_a_script_without_a_model(self):
        done = self.play("set weights \"\"\nset layers 2\nset mask causal\nset switched_off 1.2\n"
                         "wait\nexport walk.py\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.folder / "walk.py").read_text()
        self.assertNotIn("model[", text)
        self.assertIn("O[:, (1,)] = 0", text)
        self.run_script(self.folder / "walk.py")


if __name__ == "__main__":
    main()
