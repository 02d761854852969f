#!/usr/bin/python3
"""Draws the four layers of the lesson on layers: norms.safetensors.

    /usr/bin/python3 assets/lessons/10-models/make_norms.py        (Debian: python3-torch)

They are torch.nn.TransformerEncoderLayer on tokens of 16 numbers (patches of 4 × 4 grey pixels),
with 2 heads and an MLP of 32. Nobody trained them. What the branches add is drawn wider than a fresh
layer has it, so that four layers are enough to see the stream grow where no norm stands on it; and
without biases, which would make all tokens alike.
"""
import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "models"))
from safetensors_file import write_safetensors  # noqa: E402

FILE = pathlib.Path(__file__).resolve().parent / "norms.safetensors"
WIDER = {"linear1.weight": 2.0, "linear2.weight": 2.0, "self_attn.out_proj.weight": 2.0}


def main():
    torch.manual_seed(0)
    tensors = {}
    for n in range(4):
        for name, tensor in torch.nn.TransformerEncoderLayer(16, 2, 32).state_dict().items():
            factor = 0.0 if name.endswith("bias") else WIDER.get(name, 1.0)
            tensors[f"layers.{n}.{name}"] = tensor * factor
    write_safetensors(FILE, tensors)


if __name__ == "__main__":
    main()
