#!/usr/bin/python3
"""Writes what PyTorch computes with the shipped model on three scenes: scenes.safetensors, beside
this script, which tests/engine/shipped_model_test.cpp compares with.

    /usr/bin/python3 tests/golden/make_scenes.py build/release/headlight        (Debian: python3-torch)

The pictures are drawn by Headlight; what is made of them is stated here in full, without the code
that trained the model.
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy
import torch
from torch.nn import functional as F

HERE = pathlib.Path(__file__).parent
MODEL = HERE.parent.parent / "assets/models/scenes/model.safetensors"
FIRST, COUNT = 2_000_000_100, 3
HEADS, PATCH, EPS = 4, 8, 1e-6


def read_safetensors(path):
    raw = path.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    tensors = {}
    for name, entry in json.loads(raw[8:8 + size]).items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        numbers = numpy.frombuffer(raw[8 + size + begin:8 + size + end], "<f4")
        tensors[name] = torch.from_numpy(numbers.reshape(entry["shape"]).copy())
    return tensors


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        raw = tensor.contiguous().float().numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def draw(headlight):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "scenes.npy"
        subprocess.run([headlight, "scenes", "--count", str(COUNT), "--seed", str(FIRST), "--out",
                        out], check=True)
        return numpy.load(out)


def forward(w, pixels, keep):
    """[B, 3, 80, 80]; keep(name, tensor) takes what is to be compared."""
    def linear(name, x):
        return F.linear(x, w[f"{name}.weight"], w[f"{name}.bias"])

    def norm(name, x):
        return F.layer_norm(x, x.shape[-1:], w[f"{name}.weight"], w[f"{name}.bias"], EPS)

    patches = F.conv2d(pixels, w["patch_embed.proj.weight"], w["patch_embed.proj.bias"], stride=PATCH)
    x = patches.flatten(2).transpose(1, 2)
    x = torch.cat([w["cls_token"].expand(len(x), -1, -1), x], 1) + w["pos_embed"]
    keep("tokens", x)
    batch, tokens, width = x.shape
    for layer in range(4):
        name = f"blocks.{layer}"
        qkv = linear(f"{name}.attn.qkv", norm(f"{name}.norm1", x))
        query, key, value = qkv.reshape(batch, tokens, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        attention = (query @ key.transpose(-2, -1) * (width // HEADS) ** -0.5).softmax(-1)
        keep(f"layer.{layer}.attention", attention)
        mixed = (attention @ value).transpose(1, 2).reshape(batch, tokens, width)
        x = x + linear(f"{name}.attn.proj", mixed)
        hidden = F.gelu(linear(f"{name}.mlp.fc1", norm(f"{name}.norm2", x)))
        x = x + linear(f"{name}.mlp.fc2", hidden)
        keep(f"layer.{layer}.output", x)
    x = norm("norm", x)
    keep("logits", linear("head", x[:, 0]))
    keep("pointing", linear("twin_head", x))


def main():
    pictures = torch.from_numpy(draw(sys.argv[1]))
    pixels = (pictures.permute(0, 3, 1, 2).float() / 255 - 0.5) / 0.5
    golden = {"numbers": torch.arange(COUNT)}
    with torch.no_grad():
        forward(read_safetensors(MODEL), pixels, golden.__setitem__)
    write_safetensors(HERE / "scenes.safetensors", golden)


if __name__ == "__main__":
    main()
