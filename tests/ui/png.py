"""A minimal PNG reader for the pictures in tests."""

import struct
import zlib


class Png:
    def __init__(self, path):
        data = path.read_bytes()
        if data[:8] != b"\x89PNG\r\n\x1a\n":
            raise AssertionError(f"{path} is no PNG")
        pixels, at = b"", 8
        while at < len(data):
            size, kind = struct.unpack_from(">I4s", data, at)
            body = data[at + 8:at + 8 + size]
            if kind == b"IHDR":
                self.width, self.height, depth, color = struct.unpack_from(">IIBB", body)
                if depth != 8 or color not in (2, 6):
                    raise AssertionError(f"{path} is neither RGB nor RGBA with 8 bits")
                self.channels = 3 if color == 2 else 4
            if kind == b"IDAT":
                pixels += body
            at += size + 12
        pixels = zlib.decompress(pixels)
        line = 1 + self.channels * self.width
        if len(pixels) != line * self.height:
            raise AssertionError(f"{path} ends too early")
        self.lines = [pixels[y * line:(y + 1) * line] for y in range(self.height)]

    def first_pixel(self):
        """The top left one, which no filter changes."""
        return tuple(self.lines[0][1:1 + self.channels])

    def distinct_lines(self):
        """The number of distinct filtered lines. A picture of one color has only one from its
        second line on, because filters look no further than one pixel to the left and above."""
        return len(set(self.lines[2:]))

    def pixels(self):
        """All of them, by rows: (red, green, blue), or with alpha as a fourth."""
        n = self.channels
        rows, above = [], bytes(n * self.width)
        for line in self.lines:
            above = unfiltered(line[0], bytearray(line[1:]), above, n)
            rows.append(list(zip(*(above[channel::n] for channel in range(n)))))
        return rows


def unfiltered(kind, row, above, n):
    """A line's bytes, n of which are a pixel. A filter adds to each byte what PNG's specification predicts from the
    bytes to the left and above."""
    if kind == 1:
        for i in range(n, len(row)):
            row[i] = (row[i] + row[i - n]) & 255
    elif kind == 2:
        row = bytearray((value + up) & 255 for value, up in zip(row, above))
    elif kind == 3:
        for i, up in enumerate(above):
            row[i] = (row[i] + ((row[i - n] if i >= n else 0) + up) // 2) & 255
    elif kind == 4:
        for i, up in enumerate(above):
            left, corner = (row[i - n], above[i - n]) if i >= n else (0, 0)
            row[i] = (row[i] + paeth(left, up, corner)) & 255
    elif kind:
        raise AssertionError(f"PNG has no filter {kind}")
    return row


def paeth(left, above, corner):
    """Whichever is nearest to left + above - corner."""
    to_left, to_above = abs(above - corner), abs(left - corner)
    to_corner = abs(left + above - 2 * corner)
    if to_left <= to_above and to_left <= to_corner:
        return left
    return above if to_above <= to_corner else corner


def oklab_distance(one, other):
    """Between two colors (0..255 each), after Ottosson, 2020."""
    a, b = oklab(one), oklab(other)
    return sum((p - q) ** 2 for p, q in zip(a, b, strict=True)) ** 0.5


def oklab(color):
    r, g, b = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
               for part in (value / 255 for value in color))
    cones = [(row[0] * r + row[1] * g + row[2] * b) ** (1 / 3)
             for row in ((0.4122214708, 0.5363325363, 0.0514459929),
                         (0.2119034982, 0.6806995451, 0.1073969566),
                         (0.0883024619, 0.2817188376, 0.6299787005))]
    return [sum(m * c for m, c in zip(row, cones, strict=True))
            for row in ((0.2104542553, 0.7936177850, -0.0040720468),
                        (1.9779984951, -2.4285922050, 0.4505937099),
                        (0.0259040371, 0.7827717662, -0.8086757660))]
