"""Compares the gradient beside a step's values with `headlight trace --gradient-of`."""

import json
import struct

from harness import IMAGES, WindowTest, main


def cell(path, name, *place):
    """One number of a float32 tensor in a safetensors file."""
    data = path.read_bytes()
    length = struct.unpack_from("<Q", data)[0]
    entry = json.loads(data[8:8 + length])[name]
    at = 0
    for index, extent in zip(place, entry["shape"], strict=True):
        at = at * extent + index
    return struct.unpack_from("<f", data, 8 + length + entry["data_offsets"][0] + 4 * at)[0]


class Gradient(WindowTest):
    def start_gradient(self, family, step):
        app = self.start_model(family)
        app.go_to(step)
        app.open_drawer("section.numbers")
        app.click("field.gradient")
        app.until(lambda r: "gradient.matrix" in r["names"], "the gradient")
        return app

    def test_every_cell_is_what_the_chain_rule_gives_and_what_trace_writes(self):
        app = self.start_gradient("dino", "softmax")
        app.point("gradient.matrix[3,5]")
        found = app.until(lambda r: r["reports"].get("gradient.cell") == "3 5", "the chain rule")["reports"]
        self.assertEqual(found["gradient.agrees"], "true")
        self.assertIn("the sum of the output", found["gradient.y"])
        layer = int(found["field.layer"]) - 1
        model = self.folder / "models/dino/model.safetensors"  # its config beside it
        done = self.run_program("trace", "--model", model, "--image",
                                IMAGES / "shapes.png", "--gradient-of", "pooled", "--out",
                                "trace.safetensors")
        self.assertEqual(done.returncode, 0, done.stderr)
        expected = cell(self.folder / "trace.safetensors", f"layer.{layer}.attention.gradient",
                        0, int(found["state.head"]) - 1, 3, 5)
        self.assertAlmostEqual(float(found["gradient.shown"]), expected,
                               delta=1e-5 * abs(expected) + 1e-9)

    def test_y_is_chosen_and_a_cosine_needs_a_baseline(self):
        app = self.start_gradient("timm", "products")
        said = app.settled()["reports"]["gradient.y"]
        self.assertIn("the logit of", said)
        app.choose("field.gradient_of", "baseline")
        app.until(lambda r: "baseline" in r["reports"].get("gradient.instead", ""), "what is missing")
        app.key("p")
        app.until(lambda r: "cosine" in r["reports"].get("gradient.y", ""), "the cosine")
        self.assertIn("y = 1.000", app.settled()["reports"]["gradient.y"])  # with itself
        app.click("field.gradient")
        app.until(lambda r: "gradient.matrix" not in r["names"], "the values alone")


if __name__ == "__main__":
    main()
