#!/usr/bin/env python3
"""Draws shapes.png and lighthouse.jpg, and saves the photographs as JPEG.

    python3 assets/images/make_images.py                     the two drawings
    python3 assets/images/make_images.py DIR                 the photographs as well, from Debian's packages
                                                             unpacked in DIR (README.md)

Needs numpy and Pillow (apt install python3-numpy python3-pil). Everything is drawn as smooth coverage
functions on a grid, so edges are antialiased without oversampling.
"""
import pathlib
import sys

import numpy as np
from PIL import Image

FOLDER = pathlib.Path(__file__).parent


def grid(height, width):
    """Rows and columns of the pixels' centers."""
    return np.mgrid[0.5:height, 0.5:width]


def color(hexadecimal):
    return np.array([int(hexadecimal[i:i + 2], 16) for i in (0, 2, 4)]) / 255


def gradient(amount, stops):
    """Colors between `stops`, a list of (position, color), where `amount` says how far."""
    positions = [position for position, _ in stops]
    return np.stack([np.interp(amount, positions, [color(c)[k] for _, c in stops]) for k in range(3)], axis=-1)


def paint(picture, distance, colors, opacity=1.0):
    """Lays color where the signed distance (in pixels) is negative, fading over one pixel."""
    coverage = opacity * np.clip(0.5 - distance, 0, 1)[..., None]
    picture += coverage * (colors - picture)


def disc(y, x, row, col, radius):
    return np.hypot(y - row, x - col) - radius


def box(y, x, row, col, half, angle=0.0):
    c, s = np.cos(angle), np.sin(angle)
    u = np.abs((x - col) * c + (y - row) * s) - half
    v = np.abs((y - row) * c - (x - col) * s) - half
    return np.hypot(np.maximum(u, 0), np.maximum(v, 0)) + np.minimum(np.maximum(u, v), 0)


def polygon(y, x, corners):
    """Of a convex polygon, corners (row, col) clockwise: the farthest of its edges' half-planes."""
    distance = np.full(y.shape, -np.inf)
    for (r0, c0), (r1, c1) in zip(corners, corners[1:] + corners[:1]):
        normal = np.array([-(c1 - c0), r1 - r0]) / np.hypot(r1 - r0, c1 - c0)  # (row, col), outwards
        distance = np.maximum(distance, (y - r0) * normal[0] + (x - c0) * normal[1])
    return distance


def save(picture, name):
    # Half a step of fixed noise hides the bands that a calm gradient shows in 8 bits.
    noise = np.random.default_rng(1).uniform(-0.5, 0.5, picture.shape[:2])[..., None]
    levels = np.clip(np.round(picture * 255 + noise * 0.98), 0, 255).astype(np.uint8)
    Image.fromarray(levels).save(FOLDER / name, quality=92, optimize=True)


def draw_shapes():
    height = width = 512
    y, x = grid(height, width)
    picture = gradient((0.35 * x + 0.65 * y) / height, [(0, "5b6b7d"), (0.5, "475667"), (1, "333f4e")])

    def shape(distance_of, hexadecimal, lift=7):
        """A flat shape above a soft shadow of itself."""
        shadow = np.clip(0.5 - distance_of(y - lift * 1.4, x - lift * 0.4) / 18, 0, 1)
        picture[:] *= (1 - 0.34 * shadow)[..., None]
        paint(picture, distance_of(y, x), color(hexadecimal))

    shape(lambda v, u: disc(v, u, 148, 142, 70), "f4c542")
    shape(lambda v, u: box(v, u, 170, 366, 62, 0.16), "24407f")
    shape(lambda v, u: polygon(v, u, [(286, 196), (430, 283), (430, 109)]), "d8453a")
    shape(lambda v, u: disc(v, u, 366, 388, 70), "f0a13c")
    shape(lambda v, u: box(v, u, 290, 268, 22, -0.3), "2f5299", 4)
    shape(lambda v, u: disc(v, u, 62, 268, 24), "f2b845", 4)
    shape(lambda v, u: polygon(v, u, [(424, 462), (484, 497), (484, 427)]), "c8524a", 4)
    save(picture, "shapes.png")


def ridge(x, base, size, seed):
    """The outline of a range of hills: waves of falling size with phases of chance."""
    phases = np.random.default_rng(seed).uniform(0, 2 * np.pi, 7)
    return base + sum(size / (k + 1) ** 1.25 * np.sin((k + 1) * x / 130 + p) for k, p in enumerate(phases))


def beam(y, x, row, col, angle, spread):
    """Light from a lamp: bright along its axis, falling with angle and distance."""
    dx, dy = x - col, y - row
    reach = np.hypot(dx, dy) + 1e-6
    off = np.abs(np.arctan2(dy * np.cos(angle) - dx * np.sin(angle), dx * np.cos(angle) + dy * np.sin(angle)))
    return np.exp(-((off / spread) ** 2)) * np.exp(-reach / 330) * np.clip(reach / 14, 0, 1)


def draw_stars(picture, y, x, horizon):
    random = np.random.default_rng(7)
    for _ in range(170):
        row, col = random.uniform(4, horizon - 40), random.uniform(0, x.shape[1])
        strength, size = random.power(0.35) * 0.85, random.uniform(0.55, 1.15)
        top, left = max(int(row) - 5, 0), max(int(col) - 5, 0)
        near = np.s_[top:top + 11, left:left + 11]
        spot = strength * np.exp(-((y[near] - row) ** 2 + (x[near] - col) ** 2) / size ** 2)
        picture[near] += spot[..., None] * color("fff3dc") * (1 - row / horizon)


def draw_sea(picture, y, x, horizon, lamp, moon):
    depth = np.clip((y - horizon) / (y.shape[0] - horizon), 0, 1)
    sea = gradient(depth, [(0, "36557a"), (0.25, "1f3a5c"), (1, "0a1830")])
    # Ripples shrink towards the horizon; where they face a light they carry it.
    fine = 1 / (0.03 + depth)
    ripple = np.sin(x / 9 + 26 * fine + 2 * np.sin(x / 37 + 3 * fine)) * np.sin(40 * fine + x / 61)
    for (col, hue, width, strength) in ((moon, "dfe6ff", 26, 0.55), (lamp, "ffd58a", 16, 0.8)):
        path = np.exp(-(((x - col) / (width * (0.6 + 2.2 * depth))) ** 2)) * np.clip(ripple + 0.25, 0, 1)
        sea += (strength * path * (1 - 0.65 * depth))[..., None] * color(hue)
    sea += (0.018 * ripple)[..., None]
    below = np.clip(y - horizon + 0.5, 0, 1)[..., None]
    picture += below * (sea - picture)


def draw_tower(picture, y, x, foot, col):
    """A white tower with two red bands, a gallery and a lamp; lit from the moon's side."""
    top, wide, narrow = foot - 138, 20, 12.5
    height = np.clip((foot - y) / (foot - top), 0, 1)
    radius = wide + (narrow - wide) * height
    across = np.clip((x - col) / radius, -1, 1)
    light = np.clip(0.30 + 0.62 * np.cos(np.arcsin(across) - 0.75), 0.14, 1)[..., None]
    bands = np.abs(height - 0.30) < 0.115, np.abs(height - 0.76) < 0.115
    skin = np.where((bands[0] | bands[1])[..., None], color("c03a36"), color("f3efe6")) * light
    paint(picture, np.maximum(np.maximum(np.abs(x - col) - radius, y - foot), top - y), skin)
    for row in (0.12, 0.53):
        paint(picture, box(y, x, foot - (foot - top) * row, col + 2, 3.0), color("ffd27a"))
    dark = color("141c2c")
    paint(picture, np.maximum(np.abs(x - col) - 18, np.abs(y - top) - 2.5), dark)
    paint(picture, np.maximum(np.abs(x - col) - 9, np.abs(y - top + 13) - 11), color("fff0c0"))
    for post in (-9, 0, 9):
        paint(picture, np.maximum(np.abs(x - col - post) - 0.9, np.abs(y - top + 13) - 11), dark)
    paint(picture, polygon(y, x, [(top - 38, col), (top - 23, col + 13), (top - 23, col - 13)]), color("a8322f"))
    return top - 13


def draw_lighthouse():
    height, width = 420, 640
    y, x = grid(height, width)
    horizon, lamp_col, moon = 268, 448, (84, 150)
    picture = gradient(y / horizon, [(0, "0a1130"), (0.45, "1d2c5c"), (0.8, "55517f"), (0.95, "a06f80"), (1, "c98a78")])
    draw_stars(picture, y, x, horizon)

    far = disc(y, x, *moon, 27)
    picture += (0.38 * np.exp(-np.maximum(far, 0) / 42))[..., None] * color("b9c6f2")
    paint(picture, far, color("f5f0df"))
    for row, col, radius in ((-7, -9, 6), (6, 4, 8), (-10, 10, 4), (12, -8, 3.5)):
        paint(picture, disc(y, x, moon[0] + row, moon[1] + col, radius), color("d9d3c3"), 0.55)

    for base, size, hue, seed in ((250, 17, "4a4a74", 3), (261, 10, "353b62", 11)):
        paint(picture, np.maximum(ridge(x, base, size, seed) - y, y - horizon), color(hue))
    draw_sea(picture, y, x, horizon, lamp_col, moon[1])

    cliff = 292 + 150 * np.clip((400 - x) / 130, 0, 1) ** 1.6 + 5 * np.sin(x / 17) + 3 * np.sin(x / 7 + 1)
    shade = gradient((y - 285) / 135, [(0, "3c4a46"), (0.12, "28343a"), (1, "0c1420")])
    lamp_row = draw_tower(picture, y, x, 302, lamp_col)
    paint(picture, cliff - y, shade)

    for angle, strength in ((np.pi - 0.10, 0.95), (-0.10, 0.8)):
        light = strength * beam(y, x, lamp_row, lamp_col, angle, 0.085)[..., None]
        picture += light * color("ffe7a8") * (1 - 0.55 * np.clip(picture, 0, 1))
    halo = np.exp(-np.hypot(y - lamp_row, x - lamp_col) / 17)[..., None]
    picture += 0.85 * halo * color("ffdf9a")
    save(picture, "lighthouse.jpg")


SKIMAGE = "usr/lib/python3/dist-packages/skimage/data/"
SKLEARN = "usr/lib/python3/dist-packages/sklearn/datasets/images/"
PALAPELI = "usr/share/palapeli/collection/"
PHOTOGRAPHS = ((SKIMAGE + "chelsea.png", "cat"), (SKIMAGE + "coffee.png", "coffee"),
               (SKIMAGE + "astronaut.png", "astronaut"), (SKIMAGE + "coins.png", "coins"),
               (SKIMAGE + "rocket.jpg", "rocket"), (SKLEARN + "flower.jpg", "dahlia"),
               (PALAPELI + "citrus-fruits.jpg", "citrus"), (PALAPELI + "european-honey-bee.jpg", "bee"))
LONGEST = 640  # pixels of a side; larger photographs are made so small


def take_photographs(folder):
    for source, name in PHOTOGRAPHS:
        with Image.open(folder / source) as photograph:
            picture = photograph.convert("RGB")
            picture.thumbnail((LONGEST, LONGEST), Image.LANCZOS)
            picture.save(FOLDER / f"{name}.jpg", quality=90, optimize=True)


if __name__ == "__main__":
    draw_shapes()
    draw_lighthouse()
    if len(sys.argv) > 1:
        take_photographs(pathlib.Path(sys.argv[1]))
