"""Rotary positions in two dimensions, one patch and one pair of channels at a time.

A pair (a, b) of a query or key becomes (a cos φ − b sin φ, b cos φ + a sin φ).
"""
import math

import torch


def turn(x, before, angles, pairs):
    """x [B, H, N, head_dim]; angles [P, head_dim / 2], a row for each patch after `before` prefix
    tokens."""
    turned = x.clone()
    for patch in range(len(angles)):
        for pair, (first, second) in enumerate(pairs):
            a, b = x[:, :, before + patch, first], x[:, :, before + patch, second]
            cos, sin = angles[patch, pair].cos(), angles[patch, pair].sin()
            turned[:, :, before + patch, first] = a * cos - b * sin
            turned[:, :, before + patch, second] = b * cos + a * sin
    return turned


def angles(rows, cols, frequencies, place):
    """Half of the pairs rotate with the row, half with the column; place(index, count) is the
    position."""
    table = [[place(at, count) * frequency for at, count in ((row, rows), (col, cols))
              for frequency in frequencies] for row in range(rows) for col in range(cols)]
    return torch.tensor(table, dtype=torch.float64)


def halves(head_dim):
    """DINOv3: channel p pairs with channel p + head_dim / 2."""
    return [(p, p + head_dim // 2) for p in range(head_dim // 2)]


def neighbors(head_dim):
    """EVA-02: channel 2p pairs with channel 2p + 1."""
    return [(2 * p, 2 * p + 1) for p in range(head_dim // 2)]


def dinov3(rows, cols, periods):
    """Positions are the patches' centers, from -1 to 1 across the picture."""
    return angles(rows, cols, [2 * math.pi / float(period) for period in periods],
                  lambda at, count: 2 * (at + 0.5) / count - 1)


def eva(rows, cols, head_dim, reference=(16, 16), base=10000.0):
    """Positions are scaled as if every grid had the rows and columns of the reference grid."""
    bands = head_dim // 4
    down, across = (n / grid for n, grid in zip(reference, (rows, cols)))
    frequencies = [base ** (-k / bands) for k in range(bands)]
    table = [[place * frequency for place in (row * down, col * across)
              for frequency in frequencies] for row in range(rows) for col in range(cols)]
    return torch.tensor(table, dtype=torch.float64)
