#!/usr/bin/python3
"""Writes the reference numbers that tests/engine/subspaces_test.cpp compares with:
subspaces.safetensors, beside this script.

    /usr/bin/python3 tests/golden/make_subspaces.py        (Debian: python3-torch)

NAME.a and NAME.b are two sets of rows of one width, float32. By numpy, in float64 and rounded once:
NAME.angles, in degrees, between the spaces of their main directions, those that hold 0.95 of the
squares of the rows less their mean; NAME.numbers: how many directions both have, what part of the
squares they hold, and what part of b lies along those of a, of a along those of b.
"""
import numpy
import torch

from make_golden import HERE, write_safetensors

PART = 0.95


def main_directions(rows):
    rows = rows.double().numpy()
    rows = rows - rows.mean(0)
    _, values, directions = numpy.linalg.svd(rows, full_matrices=False)
    held = numpy.cumsum(values ** 2) / (values ** 2).sum()
    count = int((held < PART).sum()) + 1
    return rows, directions[:count], held[count - 1]


def angles(a, b):
    """Bjorck and Golub; scipy.linalg.subspace_angles does the same."""
    if len(a) > len(b):
        a, b = b, a
    cosines = numpy.linalg.svd(a @ b.T, compute_uv=False)
    sines = numpy.linalg.svd(a - a @ b.T @ b, compute_uv=False)[::-1]
    small = cosines ** 2 >= 0.5
    return numpy.degrees(numpy.where(small, numpy.arcsin(numpy.clip(sines, 0, 1)),
                                     numpy.arccos(numpy.clip(cosines, 0, 1))))


def along(rows, directions):
    return (rows @ directions.T) ** 2 / (rows ** 2).sum()


def table(rows, cols, width):
    """MAE's table of waves."""
    frequency = 10000.0 ** -(torch.arange(width // 4).double() / (width // 4))
    row, col = (place[:, None] * frequency
                for place in torch.cartesian_prod(torch.arange(rows), torch.arange(cols)).T)
    return torch.cat([col.sin(), col.cos(), row.sin(), row.cos()], 1).float()


def main():
    torch.manual_seed(0)
    smooth = torch.randn(60, 6) @ torch.randn(6, 40) + 0.05 * torch.randn(60, 40)
    pairs = {
        "waves": (torch.randn(48, 9) @ torch.randn(9, 32), table(6, 8, 32)),
        "noise": (torch.randn(30, 12), torch.randn(30, 12)),
        "wide": (smooth, table(6, 10, 40)),
        "few": (torch.randn(10, 3) @ torch.randn(3, 50), torch.randn(10, 2) @ torch.randn(2, 50)),
        "same": (smooth, smooth + 1e-3 * torch.randn(60, 40)),
    }
    tensors = {}
    for name, (a, b) in pairs.items():
        rows_a, of_a, held_a = main_directions(a)
        rows_b, of_b, held_b = main_directions(b)
        tensors[f"{name}.a"], tensors[f"{name}.b"] = a, b
        tensors[f"{name}.angles"] = torch.tensor(numpy.sort(angles(of_a, of_b))).float()
        tensors[f"{name}.numbers"] = torch.tensor(
            [len(of_a), len(of_b), held_a, held_b,
             along(rows_b, of_a).sum(), along(rows_a, of_b).sum()]).float()
        print(name, tensors[f"{name}.numbers"].tolist(), tensors[f"{name}.angles"].tolist()[:4])
    write_safetensors(HERE / "subspaces.safetensors", tensors)


if __name__ == "__main__":
    main()
