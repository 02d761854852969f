"""Enough of PNG to tell what is in a picture."""

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
                self.width, self.height, depth, colour = struct.unpack_from(">IIBB", body)
                if (depth, colour) != (8, 2):
                    raise AssertionError(f"{path} is not RGB with 8 bits")
            if kind == b"IDAT":
                pixels += body
            at += size + 12
        pixels = zlib.decompress(pixels)
        line = 1 + 3 * self.width
        if len(pixels) != line * self.height:
            raise AssertionError(f"{path} ends too early")
        self.lines = [pixels[y * line:(y + 1) * line] for y in range(self.height)]

    def first_pixel(self):
        """The top left one, which no filter changes."""
        return tuple(self.lines[0][1:4])

    def distinct_lines(self):
        """How many, as they are filtered. From its second line on, a picture of one colour has but
        one: a filter looks no further than one pixel to the left and above."""
        return len(set(self.lines[2:]))
