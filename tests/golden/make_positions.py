#!/usr/bin/python3
"""Writes the tables that tests/engine/resample_test.cpp compares with.

    /usr/bin/python3 tests/golden/make_positions.py        (Debian: python3-torch)

positions.safetensors beside this script. Tensors named "KIND OLD NEW DIMS", as in
"bicubic 14x14 7x9 3", are random tables of OLD positions, row by row, brought to NEW; "table OLD
DIMS" is what they were made from. "KIND ROWSxCOLS DIMS PREFIX BASE" is the table of a PositionKind:
"sinusoidal" is T2T-ViT's and "sincos_2d" MAE's, which as "rows_first" is MoCo-v3's.
"rope ROWSxCOLS DIMS BASE" is DINOv3's, its sines above its cosines.
The tables are float32. What is made of them is computed in float64 and rounded once: PyTorch's own
float32, which rounds the positions' places too, is as far from that as the script prints.
"""
import pathlib

import numpy
import torch
from torch.nn import functional

from make_golden import relative_error, write_safetensors

HERE = pathlib.Path(__file__).resolve().parent
TABLES = {  # old grid, dims: new grids
    ((14, 14), 3): [(7, 9), (30, 30), (1, 1), (5, 20)],
    ((14, 14), 1): [(60, 45)],
    ((5, 7), 8): [(12, 3), (1, 9), (5, 6), (7, 5)],
    ((1, 1), 4): [(3, 2)],
    ((2, 9), 5): [(9, 2)],
}


def offset(planes, size):
    """interpolate_pos_encoding of DINO's vision_transformer.py."""
    factors = tuple((new + 0.1) / old for new, old in zip(size, planes.shape[-2:]))
    return functional.interpolate(planes, scale_factor=factors, mode="bicubic")


KINDS = {
    "bicubic_offset": offset,
    "bicubic": lambda planes, size: functional.interpolate(planes, size, mode="bicubic",
                                                           align_corners=False),
    "bicubic_antialiased": lambda planes, size: functional.interpolate(
        planes, size, mode="bicubic", align_corners=False, antialias=True),
    # What scipy.ndimage.zoom(order=1) does, which Google's JAX code calls.
    "linear_corners": lambda planes, size: functional.interpolate(planes, size, mode="bilinear",
                                                                  align_corners=True),
    "bilinear_antialiased": lambda planes, size: functional.interpolate(
        planes, size, mode="bilinear", align_corners=False, antialias=True),
    # interpolate_embeddings of torchvision's vision_transformer.py.
    "bicubic_corners": lambda planes, size: functional.interpolate(planes, size, mode="bicubic",
                                                                   align_corners=True),
}


def sinusoid(count, dims):
    """get_sinusoid_encoding of T2T-ViT's transformer_block.py."""
    position, dim = numpy.ogrid[:count, :dims]
    angles = position / numpy.power(10000, 2 * (dim // 2) / dims)
    return torch.from_numpy(numpy.where(dim % 2 == 0, numpy.sin(angles), numpy.cos(angles))).float()


def sincos(places, dims, base):
    """get_1d_sincos_pos_embed_from_grid of MAE's pos_embed.py."""
    omega = 1.0 / base ** (numpy.arange(dims // 2, dtype=float) / (dims / 2.0))
    out = numpy.einsum("m,d->md", places.reshape(-1), omega)
    return numpy.concatenate([numpy.sin(out), numpy.cos(out)], axis=1)


def sincos_2d(rows, cols, dims, prefix, base=10000):
    """get_2d_sincos_pos_embed of MAE's pos_embed.py, for a grid that need not be a square."""
    across, down = numpy.meshgrid(numpy.arange(cols, dtype=float), numpy.arange(rows, dtype=float))
    table = numpy.concatenate([sincos(across, dims // 2, base), sincos(down, dims // 2, base)], axis=1)
    return torch.from_numpy(numpy.concatenate([numpy.zeros([prefix, dims]), table], axis=0)).float()


def rows_first(side, dims, prefix, base):
    """build_2d_sincos_position_embedding of MoCo-v3's vits.py, for its grids, which are squares."""
    places = torch.arange(side, dtype=torch.float64)
    across, down = torch.meshgrid(places, places, indexing="ij")
    frequencies = base ** -(torch.arange(dims // 4, dtype=torch.float64) / (dims // 4))
    waves = [wave(grid.flatten()[:, None] * frequencies)
             for grid in (across, down) for wave in (torch.sin, torch.cos)]
    return torch.cat([torch.zeros(prefix, dims), torch.cat(waves, dim=1)]).float()


def rope(rows, cols, dims, base=100.0):
    """RopePositionEmbedding of DINOv3's rope_position_encoding.py: sine, then cosine."""
    periods = base ** (2 * torch.arange(dims // 4, dtype=torch.float64) / (dims // 2))
    middles = [(torch.arange(0.5, count, dtype=torch.float64) / count) for count in (rows, cols)]
    places = 2.0 * torch.stack(torch.meshgrid(*middles, indexing="ij"), dim=-1).flatten(0, 1) - 1.0
    angles = 2 * numpy.pi * places[:, :, None] / periods
    angles = angles.flatten(1, 2).tile(2)
    return torch.cat([angles.sin(), angles.cos()]).float()


def main():
    torch.manual_seed(1)
    found = {"sinusoidal 1x197 24 0 10000": sinusoid(197, 24)}
    for rows, cols, dims, prefix, base in [(14, 14, 64, 1, 10000), (3, 5, 12, 0, 10000),
                                           (7, 4, 8, 5, 100)]:
        found[f"sincos_2d {rows}x{cols} {dims} {prefix} {base}"] = sincos_2d(rows, cols, dims, prefix,
                                                                             base)
    for side, dims, prefix, base in [(14, 64, 1, 10000), (5, 12, 0, 100)]:
        found[f"rows_first {side}x{side} {dims} {prefix} {base}"] = rows_first(side, dims, prefix, base)
    for rows, cols, dims, base in [(14, 14, 64, 100), (3, 5, 8, 40), (1, 7, 12, 10000)]:
        found[f"rope {rows}x{cols} {dims} {base}"] = rope(rows, cols, dims, base)
    for (old, dims), news in TABLES.items():
        table = torch.randn(old[0] * old[1], dims)
        found[f"table {old[0]}x{old[1]} {dims}"] = table
        planes = table.reshape(1, *old, dims).permute(0, 3, 1, 2)
        for kind, resample in KINDS.items():
            worst = 0.0
            for new in news:
                exact = resample(planes.double(), new)
                assert exact.shape[-2:] == new
                worst = max(worst, relative_error(resample(planes, new), exact))
                rows = exact.permute(0, 2, 3, 1).reshape(-1, dims)
                name = f"{kind} {old[0]}x{old[1]} {new[0]}x{new[1]} {dims}"
                found[name] = rows.float()
            print(f"{kind:20} {old[0]}x{old[1]} PyTorch float32 {worst:.1e}")
    write_safetensors(HERE / "positions.safetensors", found)


if __name__ == "__main__":
    main()
