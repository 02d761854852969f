#!/usr/bin/python3
"""Writes two layers of the lesson on heads.

    /usr/bin/python3 assets/lessons/8-models/make_heads.py        (Debian: python3-numpy)

two-heads.safetensors, with the names of torch.nn.MultiheadAttention: tokens of 2 numbers, 2 heads of width 1. Nothing is
trained. Queries and keys are the tokens times SHARPNESS, so that head 1 compares first numbers and head 2 second numbers.

keras.safetensors, with the names of keras.layers.MultiHeadAttention(1, 3, value_dim=3): it has the weights and biases of the
1×1 convolutions in assets/examples/data/convolutions.safetensors.
"""
import json
import pathlib
import struct

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent
CONVOLUTIONS = FOLDER.parents[1] / "examples" / "data" / "convolutions.safetensors"
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


def read_safetensors(path):
    raw = path.read_bytes()
    length = struct.unpack("<Q", raw[:8])[0]
    data = raw[8 + length:]
    return {name: np.frombuffer(data[slice(*entry["data_offsets"])], "<f4").reshape(entry["shape"])
            for name, entry in json.loads(raw[8:8 + length]).items() if name != "__metadata__"}


def two_heads():
    same = np.eye(2)
    return {"in_proj_weight": np.concatenate([SHARPNESS * same, SHARPNESS * same, same]), "out_proj.weight": same}


def keras():
    found, tensors = read_safetensors(CONVOLUTIONS), {}
    for name in "query", "key", "value":
        tensors[f"{name}/kernel"] = found[f"{name}/kernel"][0, 0][:, None, :]  # [channels, heads, width]
        tensors[f"{name}/bias"] = found[f"{name}/bias"][None]
    tensors["attention_output/kernel"] = found["feature_map/kernel"][0]  # [heads, width, channels]
    tensors["attention_output/bias"] = found["feature_map/bias"]
    return tensors


def main():
    write_safetensors(FOLDER / "two-heads.safetensors", two_heads())
    write_safetensors(FOLDER / "keras.safetensors", keras())


if __name__ == "__main__":
    main()
