"""A vision transformer of thousands of tokens is walked through in the memory of a small machine."""

import array
import json
import random
import resource
import struct

from harness import IMAGES, WindowTest, main

WIDTH, LAYERS, PATCH, SIZE = 384, 12, 8, 480  # ViT-S/8 and its picture
TOKENS = (SIZE // PATCH) ** 2 + 1
KEPT = 2 * LAYERS * TOKENS * WIDTH * 4  # queries and keys of all layers, for the maps of all heads
# Bytes, the pictures in OpenGL's memory and the weights among them; KEPT of two results, the one that
# is shown and the next.
LIMIT = 1.5e9 + 2 * KEPT
ATTENTION = 4 * 6 * TOKENS ** 2  # bytes, of one layer
LAYER = ["norm1", "qkv", "heads", "products", "scale", "softmax", "mix", "concat", "project",
         "skip", "norm2", "mlp_in", "activation", "mlp_out", "residual2"]


def shapes():
    grid = 224 // PATCH
    yield "cls_token", [1, 1, WIDTH]
    yield "pos_embed", [1, grid * grid + 1, WIDTH]
    yield "patch_embed.proj.weight", [WIDTH, 3, PATCH, PATCH]
    yield "patch_embed.proj.bias", [WIDTH]
    for layer in range(LAYERS):
        for name, outputs, inputs in (("attn.qkv", 3, 1), ("attn.proj", 1, 1),
                                      ("mlp.fc1", 4, 1), ("mlp.fc2", 1, 4)):
            yield f"blocks.{layer}.{name}.weight", [outputs * WIDTH, inputs * WIDTH]
            yield f"blocks.{layer}.{name}.bias", [outputs * WIDTH]
        for norm in ("norm1", "norm2"):
            yield f"blocks.{layer}.{norm}.weight", [WIDTH]
            yield f"blocks.{layer}.{norm}.bias", [WIDTH]
    yield "norm.weight", [WIDTH]
    yield "norm.bias", [WIDTH]


def write_checkpoint(path):
    """Random weights: pieces of one stock of numbers, for 21 million take long to draw."""
    generator = random.Random(1)
    stock = array.array("f", (generator.gauss(0, 0.05) for _ in range(1 << 18)))
    header, end = {}, 0
    for name, shape in shapes():
        begin, end = end, end + 4 * count(shape)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, shape in shapes():
            left = count(shape)
            while left > 0:
                first = generator.randrange(len(stock) // 2)
                piece = stock[first:first + left]
                file.write(piece.tobytes())
                left -= len(piece)


def count(shape):
    product = 1
    for extent in shape:
        product *= extent
    return product


class Memory(WindowTest):
    def test_thousands_of_tokens(self):
        model = self.folder / "vit_s8.safetensors"
        write_checkpoint(model)
        lines = ["size 1600 1000", f"open {IMAGES / 'cat.jpg'}", f"open-model {model}",
                 f"set image_size {SIZE}", "wait", "print field.image_size"]
        lines += [f"step {step}\nwait" for step in ["image", "patches", "position", *LAYER]]
        lines += ["head 4", "step softmax", "wait", "layer 6", "wait", "step scale", "wait",
                  "layer 12", "wait", "set all_layers on", "wait", "set all_layers off",
                  "step softmax", "wait", "layer 1", "wait", "set temperature 2", "wait",
                  "print field.layer", "print state.step", "print busy", "print notice"]
        done = self.play("\n".join(lines) + "\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.splitlines(),
                         [f"field.image_size {SIZE}", "field.layer 0", "state.step softmax",
                          "busy no", "notice "])
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        self.assertGreater(peak, 2 * ATTENTION)  # two layers' were there: the walk was walked
        self.assertLess(peak, LIMIT)


if __name__ == "__main__":
    main()
