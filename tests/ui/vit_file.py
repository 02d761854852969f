"""Checkpoints of vision transformers as large as wanted, under timm's names, with drawn weights."""

import array
import json
import random
import struct


def count(shape):
    product = 1
    for extent in shape:
        product *= extent
    return product


def shapes(width, layers, hidden, patch, grid, classes):
    yield "cls_token", [1, 1, width]
    yield "pos_embed", [1, grid * grid + 1, width]
    yield "patch_embed.proj.weight", [width, 3, patch, patch]
    yield "patch_embed.proj.bias", [width]
    for layer in range(layers):
        for name, outputs, inputs in (("attn.qkv", 3 * width, width), ("attn.proj", width, width),
                                      ("mlp.fc1", hidden, width), ("mlp.fc2", width, hidden)):
            yield f"blocks.{layer}.{name}.weight", [outputs, inputs]
            yield f"blocks.{layer}.{name}.bias", [outputs]
        for norm in ("norm1", "norm2"):
            yield f"blocks.{layer}.{norm}.weight", [width]
            yield f"blocks.{layer}.{norm}.bias", [width]
    yield "norm.weight", [width]
    yield "norm.bias", [width]
    if classes:
        yield "head.weight", [classes, width]
        yield "head.bias", [classes]


def write_vit(folder, width, layers, heads, *, hidden=None, patch=16, grid=14, classes=0,
              deviation=0.05):
    """Its path, in a folder of its own with a config beside it. Pieces of one stock of numbers, for
    millions take long to draw."""
    folder.mkdir(parents=True)
    generator = random.Random(1)
    stock = array.array("f", (generator.gauss(0, deviation) for _ in range(1 << 18)))
    wanted = list(shapes(width, layers, hidden or 4 * width, patch, grid, classes))
    header, end = {}, 0
    for name, shape in wanted:
        begin, end = end, end + 4 * count(shape)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    path = folder / "model.safetensors"
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, shape in wanted:
            left = count(shape)
            while left > 0:
                first = generator.randrange(len(stock) // 2)
                piece = stock[first:first + left]
                file.write(piece.tobytes())
                left -= len(piece)
    (folder / "config.json").write_text(json.dumps({"num_heads": heads}))
    return path
