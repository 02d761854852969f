#!/usr/bin/python3
"""Writes a layer of PyTorch's decoder and what it reads, for the lesson on encoders and decoders.

    /usr/bin/python3 assets/lessons/12-models/make_decoder.py        (Debian: python3-torch)

decoder-layer.safetensors: a torch.nn.TransformerDecoderLayer(6, 2, 12), norms first, with the weights that PyTorch draws
for a seed. Nobody trained it.
translation.safetensors: query, the 4 tokens that the decoder has so far, and value, the 5 tokens that an encoder returned.
"""
import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "models"))
from safetensors_file import write_safetensors  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent
WIDTH, HEADS, HIDDEN = 6, 2, 12


def main():
    torch.manual_seed(4)
    layer = torch.nn.TransformerDecoderLayer(WIDTH, HEADS, HIDDEN, norm_first=True)
    write_safetensors(FOLDER / "decoder-layer.safetensors", layer.state_dict())
    write_safetensors(FOLDER / "translation.safetensors",
                      {"query": torch.randn(4, WIDTH), "value": torch.randn(5, WIDTH)})


if __name__ == "__main__":
    main()
