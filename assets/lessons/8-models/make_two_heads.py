#!/usr/bin/python3
"""Writes the layer of the lesson on heads, whose two heads ask one question each: two-heads.safetensors.

    /usr/bin/python3 assets/lessons/8-models/make_two_heads.py        (Debian: python3-numpy)

It is named as torch.nn.MultiheadAttention: tokens of 2 numbers, 2 heads of width 1. Nothing is trained. Queries and keys
are the tokens times SHARPNESS, so that head 1 compares first numbers and head 2 compares second numbers.
"""
import json
import pathlib
import struct

import numpy as np

FILE = pathlib.Path(__file__).resolve().parent / "two-heads.safetensors"
SHARPNESS = 1.5


def write_safetensors(path, tensors):
    """The whole format: header length, JSON header, bytes. (Debian has no safetensors package.)"""
    header, data = {}, b""
    for name, tensor in tensors.items():
        raw = tensor.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def main():
    same = np.eye(2)
    write_safetensors(FILE, {"in_proj_weight": np.concatenate([SHARPNESS * same, SHARPNESS * same, same]),
                             "out_proj.weight": same})


if __name__ == "__main__":
    main()
