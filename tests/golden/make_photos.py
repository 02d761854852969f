#!/usr/bin/python3
"""Writes what PyTorch computes with the model of photographs on two pictures: photos.safetensors, beside this script,
which tests/engine/photo_model_test.cpp compares with.

    /usr/bin/python3 tests/golden/make_photos.py        (Debian: python3-torch)

The forward pass is stated here in full, without the code that trained the model. The pictures are formulas, the same
in the test.
"""
import pathlib

import numpy
import torch
from torch.nn import functional as F

from make_scenes import EPS, HEADS, MODELS, PATCH, read_safetensors, write_safetensors

HERE = pathlib.Path(__file__).parent
SMALL, LARGE = (7, 9), (20, 20)  # rows and columns of patches
LAYERS = 6


def picture(rows, columns):
    """[1, 3, H, W] in [-1, 1]."""
    y, x = numpy.mgrid[:rows * PATCH, :columns * PATCH]
    planes = [(x * x * (c + 1) // 16 + y * y // 9 + x * y // 7) % 256 for c in range(3)]
    return (torch.from_numpy(numpy.stack(planes)[None]).float() / 255 - 0.5) / 0.5


def positions(rows, columns, width):
    """Masked autoencoders (arXiv 2111.06377) and their code: sines and cosines of the column, then of the row."""
    table = numpy.zeros((1 + rows * columns, width))
    quarter = width // 4
    for patch in range(rows * columns):
        for k in range(quarter):
            for half, place in enumerate((patch % columns, patch // columns)):
                angle = place / 10000 ** (k / quarter)
                table[1 + patch, 2 * half * quarter + k] = numpy.sin(angle)
                table[1 + patch, (2 * half + 1) * quarter + k] = numpy.cos(angle)
    return torch.from_numpy(table).float()


def forward(w, pixels, keep):
    def linear(name, x):
        return F.linear(x, w[f"{name}.weight"], w[f"{name}.bias"])

    def norm(name, x):
        return F.layer_norm(x, x.shape[-1:], w[f"{name}.weight"], w[f"{name}.bias"], EPS)

    patches = F.conv2d(pixels, w["patch_embed.proj.weight"], w["patch_embed.proj.bias"], stride=PATCH)
    x = torch.cat([w["cls_token"], patches.flatten(2).transpose(1, 2)], 1)
    tokens, width = x.shape[1:]
    x = x + positions(*patches.shape[2:], width)
    for layer in range(LAYERS):
        name = f"blocks.{layer}"
        qkv = linear(f"{name}.attn.qkv", norm(f"{name}.norm1", x))
        query, key, value = qkv.reshape(1, tokens, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        attention = (query @ key.transpose(-2, -1) * (width // HEADS) ** -0.5).softmax(-1)
        keep(f"layer.{layer}.attention", attention)
        mixed = (attention @ value).transpose(1, 2).reshape(1, tokens, width)
        x = x + linear(f"{name}.attn.proj", mixed)
        x = x + linear(f"{name}.mlp.fc2", F.gelu(linear(f"{name}.mlp.fc1", norm(f"{name}.norm2", x))))
        keep(f"layer.{layer}.output", x)
    x = norm("norm", x)
    keep("logits", linear("head", x[:, 0]))
    keep("objects", linear("object_head", x))
    query, key = linear("twin_query", x), linear("twin_key", x)[:, 1:]
    keep("pointing", query @ key.transpose(1, 2) / width ** 0.5)


def main():
    weights = read_safetensors(MODELS / "photos/model.safetensors")
    golden = {}
    with torch.no_grad():
        forward(weights, picture(*SMALL), lambda name, tensor: golden.update({f"small.{name}": tensor}))
        # For the large picture only the heads' output, which depends on everything else.
        forward(weights, picture(*LARGE), lambda name, tensor: golden.update(
            {f"large.{name}": tensor} if name in ("logits", "objects") else
            {f"large.{name}": tensor[:, ::40]} if name == "pointing" else {}))
    write_safetensors(HERE / "photos.safetensors", golden)


if __name__ == "__main__":
    main()
