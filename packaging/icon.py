#!/usr/bin/env python3
"""Draws Headlight's icon: the patches of a picture, lit by how much the patch of the lamp attends to each.

    python3 packaging/icon.py >packaging/headlight.svg
"""

from math import atan2, cos, exp, hypot

SIDE = 5            # patches in a row
PATCH, GAP = 20, 3  # units
MARGIN = 8
LAMP = (4, 0)       # row and column of the query
AIM = atan2(1, 1)   # direction of the beam: up and to the right


def score(row, column):
    """The logit of a patch: how well it lies in the beam, and less with the distance."""
    up, right = LAMP[0] - row, column - LAMP[1]
    if (up, right) == (0, 0):
        return -9.0
    return 12 * cos(atan2(up, right) - AIM) - 0.12 * hypot(up, right)


def attention():
    """The softmax over all patches."""
    powers = {(row, column): exp(score(row, column)) for row in range(SIDE) for column in range(SIDE)}
    total = sum(powers.values())
    return {patch: power / total for patch, power in powers.items()}


def color(share):
    """From the background of a patch to the yellow of Headlight's accent."""
    dark, light = (0x2A, 0x2F, 0x39), (0xFF, 0xC1, 0x45)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(dark, light))


def main():
    size = 2 * MARGIN + SIDE * PATCH + (SIDE - 1) * GAP
    weights = attention()
    largest = max(weights.values())
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}" viewBox="0 0 {size} {size}">')
    print(f'<rect width="{size}" height="{size}" rx="18" fill="#12151c"/>')
    for (row, column), weight in weights.items():
        fill = "#ffffff" if (row, column) == LAMP else color((weight / largest) ** 0.8)
        x, y = (MARGIN + place * (PATCH + GAP) for place in (column, row))
        print(f'<rect x="{x}" y="{y}" width="{PATCH}" height="{PATCH}" rx="4" fill="{fill}"/>')
    print("</svg>")


if __name__ == "__main__":
    main()
