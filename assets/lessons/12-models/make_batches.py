#!/usr/bin/python3
"""Writes sentences of unequal length and three layers that normalize them, for the lesson on encoders and decoders.

    /usr/bin/python3 assets/lessons/12-models/make_batches.py        (Debian: python3-torch)

sentences.safetensors: 4 samples of 8 tokens with 6 numbers. The sentences have LENGTHS tokens; zeros fill them up.
layer-norm.safetensors: a torch.nn.TransformerEncoderLayer(6, 2, 12), norms first.
batch-norm-full.safetensors, batch-norm-padded.safetensors: the same with BatchNorm1d instead. What it has stored as mean
and variance of each channel was taken over the real tokens alone, or over everything including the padding.
"""
import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "models"))
from safetensors_file import write_safetensors  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent
LENGTHS = (8, 5, 3, 2)
WIDTH, HEADS, HIDDEN = 6, 2, 12


def main():
    torch.manual_seed(0)
    real = torch.arange(max(LENGTHS))[None] < torch.tensor(LENGTHS)[:, None]
    middles = torch.tensor([2.0, -1.5, 1.0, 0.5, -2.5, 1.5])
    tokens = torch.where(real[..., None], middles + 0.6 * torch.randn(len(LENGTHS), max(LENGTHS), WIDTH), torch.tensor(0.0))
    write_safetensors(FOLDER / "sentences.safetensors", {"tokens": tokens})
    layer = torch.nn.TransformerEncoderLayer(WIDTH, HEADS, HIDDEN).state_dict()
    write_safetensors(FOLDER / "layer-norm.safetensors", {f"layers.0.{n}": t for n, t in layer.items()})
    for name, rows in ("full", tokens[real]), ("padded", tokens.flatten(0, 1)):
        stored = {}
        for norm in "norm1", "norm2":
            stored[f"layers.0.{norm}.running_mean"] = rows.mean(0)
            stored[f"layers.0.{norm}.running_var"] = rows.var(0, unbiased=True)
        write_safetensors(FOLDER / f"batch-norm-{name}.safetensors", {f"layers.0.{n}": t for n, t in layer.items()} | stored)


if __name__ == "__main__":
    main()
