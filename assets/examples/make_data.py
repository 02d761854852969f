#!/usr/bin/python3
"""Draws the layers and tokens that the examples open: data/NAME.safetensors, each under the names of its source.

    /usr/bin/python3 assets/examples/make_data.py        (Debian: python3-torch)

Nobody trained them. The weights of queries and keys are drawn wider than a fresh layer has them, so
that the attention prefers something and there is something to be seen.
"""
import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "models"))
from safetensors_file import write_safetensors  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent / "data"
WIDER = 3.0  # queries and keys: nine times as large scores


def drawn(*shape, reads, wider=1.0):
    """As torch.nn.Linear draws a weight that reads so many numbers."""
    return (torch.rand(shape) * 2 - 1) * wider * reads ** -0.5


def multihead_attention(dim=12, heads=2):
    """torch.nn.MultiheadAttention as "Multi-head Attention from Scratch" compares with it."""
    layer = torch.nn.MultiheadAttention(dim, heads)
    tensors = layer.state_dict()
    tensors["in_proj_weight"][:2 * dim] *= WIDER
    return tensors


def learn_opencv(dim=48, width=8, heads=3):
    """MultiHeadedSelfAttention of LearnOpenCV: 3 heads of 8, and back to the input's width."""
    inner = width * heads
    tensors = {f"{name}_lyr.0.weight": drawn(inner, dim, reads=dim, wider=WIDER)
               for name in ("key", "query")}
    tensors["value_lyr.0.weight"] = drawn(inner, dim, reads=dim)
    tensors["out_layer.1.weight"] = drawn(dim, inner, reads=inner)
    tensors["out_layer.1.bias"] = drawn(dim, reads=inner)
    return tensors


def keras(dim=48, heads=2, key_dim=16, value_dim=24, out=48):
    """keras.layers.MultiHeadAttention(2, 16, value_dim=24) on 48 channels."""
    tensors = {}
    for name, width, wider in (("query", key_dim, WIDER), ("key", key_dim, WIDER),
                               ("value", value_dim, 1.0)):
        tensors[f"{name}/kernel"] = drawn(dim, heads, width, reads=dim, wider=wider)
        tensors[f"{name}/bias"] = torch.zeros(heads, width)
    tensors["attention_output/kernel"] = drawn(heads, value_dim, out, reads=heads * value_dim)
    tensors["attention_output/bias"] = torch.zeros(out)
    return tensors


def convolutions(channels=48, width=3):
    """The self-attention of "Attention Please!" on a feature map: 1×1 convolutions with 3 filters, also after attention."""
    tensors = {}
    for name, wider in (("query", WIDER), ("key", WIDER), ("value", 1.0)):
        tensors[f"{name}/kernel"] = drawn(1, 1, channels, width, reads=channels, wider=wider)
        tensors[f"{name}/bias"] = 0.3 * torch.ones(width)
    # As many as channels are drawn, so that the files drawn after this one stay the same.
    tensors["feature_map/kernel"] = drawn(1, 1, width, channels, reads=width)[..., :width].contiguous()
    tensors["feature_map/bias"] = 0.3 * torch.ones(width)
    return tensors


def points(samples=8, count=80, dim=12):
    """What "Multi-head Attention from Scratch" feeds to its layers: 8 samples of 80 points."""
    return {"tokens": torch.rand(samples, count, dim)}


def t2t_batch(samples=13, count=100, width=49):
    """The batch of "Attention for Vision Transformers, Explained": 13 images as 100 tokens of 49 numbers."""
    seed = torch.Generator().manual_seed(13)
    return {"tokens": torch.rand(samples, count, width, generator=seed).half()}


def clusters(count=30, spread=0.22):
    """Points of the plane in three heaps."""
    middles = torch.tensor([[1.6, 0.6], [-1.3, 1.3], [-0.4, -1.7]])
    return {"tokens": (middles[:, None] + spread * torch.randn(3, count, 2)).flatten(0, 1)}


def main():
    torch.manual_seed(0)
    FOLDER.mkdir(exist_ok=True)
    for name, tensors in (("multihead-attention", multihead_attention()),
                          ("learn-opencv", learn_opencv()), ("keras", keras()),
                          ("convolutions", convolutions()), ("points", points()),
                          ("clusters", clusters()), ("t2t-batch", t2t_batch())):
        write_safetensors(FOLDER / f"{name}.safetensors", tensors)


if __name__ == "__main__":
    main()
