#!/usr/bin/python3
"""Writes what tests/engine/soft_split_test.cpp compares with.

    /usr/bin/python3 tests/golden/make_splits.py        (Debian: python3-torch)

splits.safetensors beside this script: "ROWSxCOLS KERNEL STRIDE PADDING" is what torch.nn.Unfold
makes of the tokens "in ROWSxCOLS ...", one token a row. Small whole numbers, so that every float is
right.
"""
import pathlib

import torch
from torch import nn

from make_golden import write_safetensors

HERE = pathlib.Path(__file__).resolve().parent
CASES = [  # rows, cols, channels, kernel, stride, padding
    (14, 14, 1, 7, 4, 2), (7, 9, 3, 3, 2, 1), (5, 4, 2, 3, 1, 2), (6, 11, 2, 4, 3, 0),
    (2, 2, 3, 5, 2, 3), (3, 5, 1, 1, 2, 0),
]


def main():
    torch.manual_seed(2)
    found = {}
    for rows, cols, channels, kernel, stride, padding in CASES:
        tokens = torch.randint(-99, 100, (rows * cols, channels)).float()
        planes = tokens.T.reshape(1, channels, rows, cols)
        name = f"{rows}x{cols} {kernel} {stride} {padding}"
        found["in " + name] = tokens
        found[name] = nn.Unfold(kernel, stride=stride, padding=padding)(planes)[0].T
    write_safetensors(HERE / "splits.safetensors", found)


if __name__ == "__main__":
    main()
