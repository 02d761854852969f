#!/usr/bin/python3
"""Writes two layers of the lesson on heads.

    /usr/bin/python3 assets/lessons/8-models/make_heads.py        (Debian: python3-numpy)

two-heads.safetensors, with the names of torch.nn.MultiheadAttention: tokens of 2 numbers, 2 heads of width 1. Nothing is
trained. Queries and keys are the tokens times SHARPNESS, so that head 1 compares first numbers and head 2 second numbers.

keras.safetensors, with the names of keras.layers.MultiHeadAttention(1, 3, value_dim=3, output_shape=3): it has the weights and biases of the
1×1 convolutions in assets/examples/data/convolutions.safetensors.
"""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "models"))
from safetensors_file import read_safetensors, write_safetensors  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent
CONVOLUTIONS = FOLDER.parents[1] / "examples" / "data" / "convolutions.safetensors"
SHARPNESS = 1.5


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
