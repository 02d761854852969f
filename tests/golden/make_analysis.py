#!/usr/bin/python3
"""Writes the reference numbers that tests/engine/{rollout,head_numbers,prediction}_test.cpp compare
with: analysis.safetensors, beside this script.

    /usr/bin/python3 tests/golden/make_analysis.py        (Debian: python3-torch)

Inputs are drawn in float32; what follows from them is computed in float64 by the formulas below and
rounded to float32 once.
"""
import math

import torch

from make_golden import HERE, write_safetensors

HEADS, LAYERS = 3, 3
FUSIONS = {"mean": lambda maps: maps.mean(0), "max": lambda maps: maps.amax(0),
           "min": lambda maps: maps.amin(0)}
DISCARD_RATIOS = (0.0, 0.3, 0.9)


def draw_attention(tokens):
    """[H, N, N], rows that sum to 1."""
    return (2 * torch.randn(HEADS, tokens, tokens)).softmax(-1)


def discard_lowest(fused, ratio):
    """Sets the int(cells * ratio) smallest cells to 0, but never the first: as in vit-explain."""
    flat = fused.flatten().clone()
    count = int(flat.numel() * ratio)
    ordered = flat.sort().values
    # So far apart that float32 selects the same cells.
    assert count == 0 or ordered[count] - ordered[count - 1] > 1e-6 * ordered[count]
    lowest = flat.topk(count, largest=False).indices
    flat[lowest[lowest != 0]] = 0
    return flat.view_as(fused)


def rollout(layers, fusion, ratio, normalisation):
    """Abnar and Zuidema, arXiv 2005.00928, section 3; "vit_explain" divides along the columns."""
    result = torch.eye(layers[0].shape[-1], dtype=torch.float64)
    for maps in layers:
        attention = discard_lowest(FUSIONS[fusion](maps.double()), ratio)
        with_skip = 0.5 * attention + 0.5 * torch.eye(len(attention), dtype=torch.float64)
        sums = with_skip.sum(dim=-1)
        if normalisation == "rows":
            with_skip = with_skip / sums[:, None]
        else:
            with_skip = with_skip / sums
        result = with_skip @ result
    return result


def centers(rows, cols, size, stride):
    """Of the patches, in reading order, in pixels: [rows * cols, 2]."""
    y, x = torch.meshgrid(torch.arange(rows), torch.arange(cols), indexing="ij")
    return torch.stack([y, x], -1).reshape(-1, 2).double() * stride + size / 2


def row_numbers(maps, prefix, kinds, places):
    """For each head and query: {name: [H, N]}. kinds gives the keys that belong to each name."""
    maps = maps.double()
    logs = torch.where(maps > 0, maps, torch.ones_like(maps)).log2()
    numbers = {"entropy": -(maps * logs).sum(-1), "self": maps.diagonal(dim1=-2, dim2=-1)}
    for name, keys in kinds.items():
        numbers[name] = maps[:, :, keys].sum(-1)
    among_patches = maps[:, prefix:, prefix:]
    distances = (places[:, None] - places[None]).pow(2).sum(-1).sqrt()
    weighted = (among_patches * distances).sum(-1) / among_patches.sum(-1)
    numbers["distance"] = torch.full(maps.shape[:2], math.nan, dtype=torch.float64)
    numbers["distance"][:, prefix:] = weighted
    return numbers


def write_numbers(out, case, maps, *layout):
    rows = row_numbers(maps, *layout)
    out[f"numbers.{case}.attention"] = maps
    for name, values in rows.items():
        out[f"numbers.{case}.{name}"] = values.nanmean(-1)


def main():
    torch.manual_seed(0)
    out = {}

    layers = [draw_attention(21) for _ in range(LAYERS)]
    for i, maps in enumerate(layers):
        out[f"rollout.layer.{i}"] = maps
    for fusion in FUSIONS:
        for ratio in DISCARD_RATIOS:
            for normalisation in ("rows", "vit_explain"):
                out[f"rollout.{fusion}.{ratio}.{normalisation}"] = rollout(layers, fusion, ratio,
                                                                           normalisation)

    # 32 x 48 pixels in patches of 8, behind class and distillation token and two registers. Query 9
    # reads the class token alone.
    maps = draw_attention(4 + 4 * 6)
    maps[1, 9] = 0
    maps[1, 9, 0] = 1
    kinds = {"class": [0], "distillation": [1], "registers": [2, 3]}
    write_numbers(out, "vit", maps, 4, kinds, centers(4, 6, 8, 8))
    # Windows of 8 pixels, strides 6 down and 5 across, no prefix tokens. Two rows are blocked.
    maps = draw_attention(6 * 5)
    maps[0, 3] = maps[2, 29] = 0
    write_numbers(out, "overlap", maps, 0, {}, centers(6, 5, 8, 5))

    logits = 3 * torch.randn(1, 1000)
    probabilities = logits.double().softmax(-1)
    top = logits.topk(5)
    out |= {"prediction.logits": logits, "prediction.probabilities": probabilities,
            "prediction.top.index": top.indices.float(), "prediction.top.logit": top.values}

    write_safetensors(HERE / "analysis.safetensors",
                      {name: tensor.float() for name, tensor in out.items()})


if __name__ == "__main__":
    main()
