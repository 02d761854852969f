#!/usr/bin/python3
"""Writes what PyTorch computes with the shipped models on three scenes: scenes.safetensors, beside
this script, which tests/engine/shipped_model_test.cpp compares with.

    /usr/bin/python3 tests/golden/make_scenes.py build/release/headlight        (Debian: python3-torch)

The pictures are drawn by Headlight; what is made of them is stated here in full, without the code
that trained the models.
"""
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy
import torch
from torch.nn import functional as F

HERE = pathlib.Path(__file__).parent
MODELS = HERE.parent.parent / "assets/models"
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


def draw(headlight, size):
    """Pixels [3, 3, size, size] with mean and standard deviation 0.5."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "scenes.npy"
        subprocess.run([headlight, "scenes", "--count", str(COUNT), "--seed", str(FIRST), "--size",
                        str(size), "--out", out], check=True)
        pictures = torch.from_numpy(numpy.load(out))
    return (pictures.permute(0, 3, 1, 2).float() / 255 - 0.5) / 0.5


def forward(w, pixels, keep):
    """[B, 3, 80, 80]; keep(name, tensor) stores what is compared."""
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


def sinusoidal(rows, width):
    """Vaswani et al., "Attention Is All You Need" (2017), section 3.5."""
    table = torch.zeros(rows, width, dtype=torch.float64)
    for row in range(rows):
        for i in range(width):
            angle = row / 10000 ** ((i - i % 2) / width)
            table[row, i] = math.cos(angle) if i % 2 else math.sin(angle)
    return table.float()


def forward_layer(w, pixels, keep):
    """[B, 3, 70, 70]: T2T-ViT's attention over 7 x 7 patches of gray pixels, the skip from V, and
    the mean of the tokens before the head."""
    grey = 0.299 * pixels[:, :1] + 0.587 * pixels[:, 1:2] + 0.114 * pixels[:, 2:]
    patches = F.unfold(grey, 7, stride=7).transpose(1, 2)
    x = patches + sinusoidal(patches.shape[1], 49)
    batch, tokens, _ = x.shape
    qkv = (x @ w["qkv.weight"].T).reshape(batch, tokens, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
    query, key, value = qkv
    attention = (query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5).softmax(-1)
    keep("t2t_layer.attention", attention)
    mixed, skip = ((y.transpose(1, 2).reshape(batch, tokens, -1)) for y in (attention @ value, value))
    output = skip + F.linear(mixed, w["proj.weight"], w["proj.bias"])
    keep("t2t_layer.output", output)
    keep("t2t_layer.logits", F.linear(output.mean(1), w["head.weight"], w["head.bias"]))


def main():
    golden = {"numbers": torch.arange(COUNT)}
    with torch.no_grad():
        forward(read_safetensors(MODELS / "scenes/model.safetensors"), draw(sys.argv[1], 80),
                golden.__setitem__)
        forward_layer(read_safetensors(MODELS / "t2t-layer/model.safetensors"),
                      draw(sys.argv[1], 70), golden.__setitem__)
    write_safetensors(HERE / "scenes.safetensors", golden)


if __name__ == "__main__":
    main()
