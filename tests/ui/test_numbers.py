"""Every displayed number is recomputed from the operands that the program names, and compared with
`headlight trace` for the same image, weights and parameters."""

import json
import math
import random
import struct

from harness import IMAGES, WindowTest, main

HEADS, CHANNELS, DIM = 4, 64, 16 * 16 * 3  # the program's first layer
SINGLE = 1.2e-7  # relative rounding of a 32-bit float


def floats(text):
    return [float(word) for word in text.split()]


def dot(left, right):
    """The sum of products, and its maximum rounding error."""
    products = [a * b for a, b in zip(left, right, strict=True)]
    return math.fsum(products), 8 * SINGLE * math.fsum(map(abs, products)) + 1e-12


def write_tensors(path, tensors):
    """A safetensors file of float32; `tensors` holds (shape, values) by name."""
    header, data = {}, b""
    for name, (shape, values) in tensors.items():
        packed = struct.pack(f"<{len(values)}f", *values)
        header[name] = {"dtype": "F32", "shape": shape,
                        "data_offsets": [len(data), len(data) + len(packed)]}
        data += packed
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


class Tensors:
    """Reads single cells of a safetensors file."""

    def __init__(self, path):
        data = path.read_bytes()
        size, = struct.unpack_from("<Q", data)
        self.header, self.data = json.loads(data[8:8 + size]), data[8 + size:]

    def cell(self, name, head, row, col):
        """For a matrix of the single sample: this head's, or the one shared by all heads."""
        about = self.header[name]
        rows, cols = about["shape"][-2:]
        if len(about["shape"]) == 4:
            row, col = head * rows + row, col % cols
        offset = about["data_offsets"][0] + 4 * (row * cols + col % cols)
        return struct.unpack_from("<f", self.data, offset)[0]


class Numbers(WindowTest):
    def hover(self, app, row, col):
        """The arithmetic of a cell of the present step; of one next to it where cells are smaller
        than pixels."""
        app.point(f"stage.result[{row},{col}]")
        said = app.until_reports(arithmetic__row=str(row))
        self.assertAlmostEqual(int(said["arithmetic.col"]), col, delta=2)
        return said

    def test_a_product_is_the_sum_of_its_terms(self):
        app = self.start()
        for step, row, col, terms in (("qkv", 31, 100, DIM), ("products", 20, 30, 16),
                                      ("mix", 45, 7, 100), ("project", 62, 33, CHANNELS)):
            with self.subTest(step):
                app.go_to(step)
                said = self.hover(app, row, col)
                left, right = floats(said["arithmetic.left"]), floats(said["arithmetic.right"])
                self.assertEqual((len(left), len(right)), (terms, terms))
                total, rounding = dot(left, right)
                self.assertGreater(abs(total), rounding)  # else any sum would do
                self.assertAlmostEqual(float(said["arithmetic.sum"]), total, delta=rounding)
                biased = total + float(said["arithmetic.bias"] or 0)
                self.assertAlmostEqual(float(said["arithmetic.shown"]), biased, delta=rounding)
                self.assertEqual(said["arithmetic.agrees"], "true")

    def test_one_cell_from_product_to_attention(self):
        app = self.start()
        said = {}
        for step in ("products", "scale", "softmax"):
            app.go_to(step)
            said[step] = self.hover(app, 20, 30)
        shown = {step: float(reports["arithmetic.shown"]) for step, reports in said.items()}
        self.assertAlmostEqual(shown["scale"], shown["products"] / math.sqrt(CHANNELS / HEADS),
                               delta=abs(shown["products"]) * SINGLE)
        scores = floats(said["softmax"]["arithmetic.left"])
        self.assertEqual(scores[30], shown["scale"])
        total = math.fsum(math.exp(score) for score in scores)
        self.assertAlmostEqual(shown["softmax"], math.exp(scores[30]) / total, delta=1e-7)

    def test_position_and_skip_are_sums(self):
        app = self.start()
        for step, row, col in (("position", 12, 345), ("skip", 77, 9)):
            app.go_to(step)
            said = self.hover(app, row, col)
            self.assertEqual(said["arithmetic.agrees"], "true", step)
            self.assertAlmostEqual(math.fsum(floats(said["arithmetic.left"])),
                                   float(said["arithmetic.shown"]), delta=1e-6)

    def test_the_window_shows_what_trace_writes(self):
        model, image, out = self.folder / "layer.safetensors", IMAGES / "coffee.jpg", \
            self.folder / "trace.safetensors"
        self.write_layer(model)
        model.with_name("config.json").write_text(json.dumps({"num_heads": HEADS}))
        done = self.run_program("trace", "--model", model, "--image", image, "--out", out,
                                "--attention", '{"positions": "sinusoidal"}')
        self.assertEqual(done.returncode, 0, done.stderr)
        written = Tensors(out)

        app = self.start(image, "--model", model)
        app.key("3")
        app.until_reports(state__head="3")
        head = 2
        for step, name, row, col in (
                ("patches", "tokens.patches", 17, 500), ("position", "tokens.input", 17, 500),
                ("qkv", "layer.0.key", 50, CHANNELS + head * 16 + 5),
                ("scale", "layer.0.scores", 81, 18), ("softmax", "layer.0.attention", 81, 18),
                ("mix", "layer.0.heads", 81, 11), ("concat", "layer.0.concat", 81, 40),
                ("project", "layer.0.projection", 99, 63), ("skip", "layer.0.output", 0, 0)):
            with self.subTest(step):
                app.go_to(step)
                said = self.hover(app, row, col)
                expected = written.cell(name, head, row, int(said["arithmetic.col"]))
                self.assertNotEqual(expected, 0)
                self.assertAlmostEqual(float(said["arithmetic.shown"]), expected,
                                       delta=abs(expected) * 1e-6)

    @staticmethod
    def write_layer(path):
        draw = random.Random(7)

        def matrix(rows, cols):
            return [rows, cols], [draw.uniform(-1, 1) / math.sqrt(cols) for _ in range(rows * cols)]
        write_tensors(path, {"qkv.weight": matrix(3 * CHANNELS, DIM),
                             "proj.weight": matrix(CHANNELS, CHANNELS),
                             "proj.bias": ([CHANNELS], [draw.uniform(-1, 1)
                                                        for _ in range(CHANNELS)])})


if __name__ == "__main__":
    main()
