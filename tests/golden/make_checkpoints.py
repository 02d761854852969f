#!/usr/bin/env python3
"""Writes tests/golden/checkpoints: one small checkpoint in every format that Headlight reads or names.

Run with Debian's python3-numpy and python3-torch:  /usr/bin/python3 tests/golden/make_checkpoints.py
The number at row-major position i of every tensor is i / 2 - 3, which all types hold exactly (whole
numbers and truths aside: i, and i odd).
"""
import json
import struct
from pathlib import Path

import numpy as np
import torch

FOLDER = Path(__file__).parent / "checkpoints"


def numbers(*shape):
    return (np.arange(np.prod(shape)) / 2 - 3).reshape(shape)


def bfloat16(values):
    """As numpy saves them: without such a type, it uses two raw bytes."""
    return (values.astype("<f4").view("<u4") >> 16).astype("<u2").view("V2")


TENSORS = {
    "block/float": numbers(2, 3, 4).astype("<f4"),
    "block/half": numbers(5).astype("<f2"),
    "block/double": numbers(3, 2).astype("<f8"),
    "block/columns": np.asfortranarray(numbers(2, 3, 4).astype("<f4")),
    "block/bfloat": bfloat16(numbers(4)),
    "long": np.arange(3, dtype="<i8"),
    "byte": np.arange(3, dtype="u1"),
    "truth": np.arange(3) % 2 == 1,
    "scalar": np.float32(-3),
    "none": np.zeros((0, 4), "<f4"),
}


def write_npy_versions():
    for version in [(1, 0), (2, 0), (3, 0)]:
        with open(FOLDER / f"version{version[0]}.npy", "wb") as file:
            np.lib.format.write_array(file, TENSORS["block/float"], version)


def write_safetensors(name, tensors):
    header, data = {}, b""
    for key, array in tensors.items():
        bytes_ = array.tobytes()
        header[key] = {"dtype": "F32", "shape": array.shape,
                       "data_offsets": [len(data), len(data) + len(bytes_)]}
        data += bytes_
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    (FOLDER / name).write_bytes(struct.pack("<Q", len(text)) + text + data)


def write_shards():
    shards = {
        "model-00001-of-00002.safetensors": {"a": numbers(2, 3).astype("<f4")},
        "model-00002-of-00002.safetensors": {"b": numbers(4).astype("<f4"),
                                             "c": numbers(1, 1).astype("<f4")},
    }
    index = {"metadata": {"total_size": 44}, "weight_map": {}}
    for name, tensors in shards.items():
        write_safetensors(name, tensors)
        index["weight_map"].update({key: name for key in tensors})
    (FOLDER / "model.safetensors.index.json").write_text(json.dumps(index, indent=2) + "\n")


def write_pickles():
    weights = {"model": {"weight": torch.arange(2.0), "tied": torch.arange(2.0)[:1]}, "epoch": 3}
    torch.save(weights, FOLDER / "pickle.pth")
    torch.save(weights, FOLDER / "old_pickle.pth", _use_new_zipfile_serialization=False)


def main():
    FOLDER.mkdir(exist_ok=True)
    np.savez(FOLDER / "stored.npz", **TENSORS)
    np.savez_compressed(FOLDER / "deflated.npz", **TENSORS)
    write_npy_versions()
    write_shards()
    write_pickles()


if __name__ == "__main__":
    main()
