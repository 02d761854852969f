#!/usr/bin/env python3
"""Writes colormap_tables.h to the standard output.

    python3 make_colormap_tables.py PATH/TO/matplotlib/_cm_listed.py | clang-format > colormap_tables.h

viridis, magma (S. van der Walt, N. Smith) and cividis (J. Nunez, C. Anderton, R. Renslow) are
published as tables of 256 colors, given to the public domain (CC0) with matplotlib.
The diverging maps start from the eleven colors of RdBu and PuOr of ColorBrewer (C. Brewer,
M. Harrower, The Pennsylvania State University; Apache License 2.0). Those were chosen one by one for
printed maps; here both sides get the same lightness at the same distance from the center, so that
+x and -x weigh the same to the eye.
"""
import ast
import sys

RDBU = "053061 2166ac 4393c3 92c5de d1e5f0 f7f7f7 fddbc7 f4a582 d6604d b2182b 67001f"  # blue first
PUOR = "2d004b 542788 8073ac b2abd2 d8daeb f7f7f7 fee0b6 fdb863 e08214 b35806 7f3b08"  # purple first
WHITE = (0.95047, 1.0, 1.08883)  # D65


def to_lab(hexadecimal):
    r, g, b = (int(hexadecimal[i:i + 2], 16) / 255 for i in (0, 2, 4))
    r, g, b = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in (r, g, b))
    xyz = (0.4124564 * r + 0.3575761 * g + 0.1804375 * b,
           0.2126729 * r + 0.7151522 * g + 0.0721750 * b,
           0.0193339 * r + 0.1191920 * g + 0.9503041 * b)
    x, y, z = (v / w for v, w in zip(xyz, WHITE))
    x, y, z = (v ** (1 / 3) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def to_srgb(lightness, a, b):
    fy = (lightness + 16) / 116
    fx, fz = fy + a / 500, fy - b / 200
    x, y, z = (w * (f ** 3 if f ** 3 > 216 / 24389 else (116 * f - 16) * 27 / 24389)
               for w, f in zip(WHITE, (fx, fy, fz)))
    linear = (3.2404542 * x - 1.5371385 * y - 0.4985314 * z,
              -0.9692660 * x + 1.8760108 * y + 0.0415560 * z,
              0.0556434 * x - 0.2040259 * y + 1.0572252 * z)
    return tuple(12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055 for v in linear)


def into_gamut(lightness, a, b):
    """The most colorful displayable color of this lightness and hue, at most as colorful as asked."""
    chroma = 1.0
    while True:
        rgb = to_srgb(lightness, chroma * a, chroma * b)
        if all(-0.002 <= v <= 1.002 for v in rgb):
            return tuple(min(max(v, 0.0), 1.0) for v in rgb)
        chroma -= 0.005


def diverging(colors):
    lab = [to_lab(c) for c in colors.split()]
    lab = [((c[0] + mirror[0]) / 2, c[1], c[2]) for c, mirror in zip(lab, reversed(lab))]
    table = []
    for i in range(256):
        # Entries 127 and 128 are both the neutral center: zero stays neutral however t is rounded.
        distance = (abs(i - 127.5) - 0.5) / 127
        place = 5 + 5 * (distance if i > 127 else -distance)
        k = min(int(place), 9)
        table.append(into_gamut(*(p + (place - k) * (q - p) for p, q in zip(lab[k], lab[k + 1]))))
    return table


def published(path):
    """The tables in matplotlib's file, read without running it."""
    with open(path, encoding="utf-8") as file:
        statements = ast.parse(file.read()).body
    return {s.targets[0].id: ast.literal_eval(s.value)
            for s in statements if isinstance(s, ast.Assign) and isinstance(s.value, ast.List)}


def write(name, table):
    print(f"inline constexpr std::array<std::uint32_t, 256> {name} = {{")
    print(", ".join("0x" + "".join(f"{round(v * 255):02x}" for v in rgb) for rgb in table))
    print("};\n")


def main():
    tables = published(sys.argv[1])
    print("#pragma once\n")
    print("// Written by make_colormap_tables.py, which names the sources. 0xRRGGBB from low to high.\n")
    print("#include <array>\n#include <cstdint>\n")
    print("namespace headlight::gl::tables {\n")
    for name in ("viridis", "magma", "cividis"):
        write(name, tables[f"_{name}_data"])
    write("blue_white_red", diverging(RDBU))
    write("purple_orange", diverging(PUOR))
    print("}  // namespace headlight::gl::tables")


main()
