#!/usr/bin/env python3
"""Writes tests/golden/images: small pictures whose every pixel says where it belongs.

    python3 tests/golden/make_images.py        (needs Pillow: apt install python3-pil)

PNG and PSD are written byte by byte where Pillow cannot write a kind; the rest comes from Pillow,
which shares no code with stb_image. tests/engine/image_test.cpp knows the formulas again.
"""
import pathlib
import struct
import zlib

from PIL import Image

FOLDER = pathlib.Path(__file__).parent / "images"
WIDTH, HEIGHT = 7, 5


def red(row, col):
    return 40 * row + col


def rgb(row, col):
    return (red(row, col), 30 * col + row, 255 - red(row, col))


def alpha(row, col):
    return 255 * (row + col) // (WIDTH + HEIGHT - 2)


def sixteen(row, col):
    return (red(row, col) * 256 + 17 * col + 3) % 65536  # low bytes that 8 bits would lose


def pixels(value, bits=8):
    """The values of `value(row, col)` as rows of big-endian bytes."""
    rows = []
    for row in range(HEIGHT):
        line = b""
        for col in range(WIDTH):
            samples = value(row, col)
            for sample in samples if isinstance(samples, tuple) else (samples,):
                line += struct.pack(">H" if bits == 16 else ">B", sample)
        rows.append(line)
    return rows


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(name, rows, bits, colour, before=b""):
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, bits, colour, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    (FOLDER / name).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + before +
                                chunk(b"IDAT", data) + chunk(b"IEND", b""))


def exif(orientation, order=">"):
    """The smallest TIFF that names an orientation, with a decoy entry in front."""
    entries = [(0x010F, 2, 2, b"H\0\0\0"), (0x0112, 3, 1, struct.pack(order + "HH", orientation, 0))]
    tiff = (b"MM" if order == ">" else b"II") + struct.pack(order + "HIH", 42, 8, len(entries))
    for tag, kind, count, value in entries:
        tiff += struct.pack(order + "HHI", tag, kind, count) + value
    return tiff + b"\0\0\0\0"


def write_pngs():
    grey_alpha = lambda row, col: (red(row, col), alpha(row, col))
    rgba = lambda row, col: rgb(row, col) + (alpha(row, col),)
    rgb16 = lambda row, col: tuple((sixteen(row, col) + 1000 * c) % 65536 for c in range(3))
    png("grey.png", pixels(red), 8, 0)
    png("rgb.png", pixels(rgb), 8, 2)
    png("grey_alpha.png", pixels(grey_alpha), 8, 4)
    png("rgba.png", pixels(rgba), 8, 6)
    png("grey16.png", pixels(sixteen, 16), 16, 0)
    png("rgb16.png", pixels(rgb16, 16), 16, 2)
    png("rgba16.png", pixels(lambda r, c: rgb16(r, c) + (257 * alpha(r, c),), 16), 16, 6)
    # A palette of one colour a column; every second one is transparent, the others have no entry
    # in tRNS or a full one.
    palette = chunk(b"PLTE", bytes(v for col in range(WIDTH) for v in rgb(0, col)))
    palette += chunk(b"tRNS", bytes(0 if col % 2 else 255 for col in range(WIDTH - 1)))
    png("palette.png", pixels(lambda row, col: col), 8, 3, palette)
    # One bit a pixel: a chessboard.
    bits = [bytes([sum(128 >> c for c in range(WIDTH) if (r + c) % 2)]) for r in range(HEIGHT)]
    png("bits.png", bits, 1, 0)
    png("exif6.png", pixels(rgb), 8, 2, chunk(b"eXIf", exif(6, "<")))


def blocks(columns=3, rows=2):
    """Flat 8 x 8 blocks, which JPEG keeps almost exactly: block (r, c) is (60 + 100 r, 40 + 80 c, 120)."""
    image = Image.new("RGB", (8 * columns, 8 * rows))
    for y in range(8 * rows):
        for x in range(8 * columns):
            image.putpixel((x, y), (60 + 100 * (y // 8), 40 + 80 * (x // 8), 120))
    return image


def write_jpegs():
    turn = Image.Transpose  # what was done to the upright picture before it was stored
    stored = {1: None, 2: turn.FLIP_LEFT_RIGHT, 3: turn.ROTATE_180, 4: turn.FLIP_TOP_BOTTOM,
              5: turn.TRANSPOSE, 6: turn.ROTATE_90, 7: turn.TRANSVERSE, 8: turn.ROTATE_270}
    options = {"quality": 97, "subsampling": 0}
    for orientation, change in stored.items():
        image = blocks() if change is None else blocks().transpose(change)
        order = "<" if orientation % 2 else ">"
        image.save(FOLDER / f"exif{orientation}.jpg", exif=b"Exif\0\0" + exif(orientation, order), **options)
    blocks().save(FOLDER / "progressive.jpg", progressive=True, **options)
    blocks().convert("L").save(FOLDER / "grey.jpg", quality=97)
    blocks().save(FOLDER / "subsampled.jpg", quality=90, subsampling=2)


def write_gifs_and_tgas():
    palette = [v for col in range(WIDTH) for v in rgb(0, col)]
    frames = []
    for shift in (0, 3):
        frame = Image.new("P", (WIDTH, HEIGHT))
        frame.putpalette(palette)
        frame.putdata([(row + col + shift) % WIDTH for row in range(HEIGHT) for col in range(WIDTH)])
        frames.append(frame)
    frames[0].save(FOLDER / "animated.gif", save_all=True, append_images=frames[1:], duration=100, loop=0)
    frames[0].save(FOLDER / "transparent.gif", transparency=2)

    image = Image.new("RGB", (WIDTH, HEIGHT))
    image.putdata([rgb(row, col) for row in range(HEIGHT) for col in range(WIDTH)])
    image.save(FOLDER / "rgb.tga")
    image.save(FOLDER / "packed.tga", compression="tga_rle")
    image.save(FOLDER / "rgb.bmp")


def write_webps():
    """Lossless, lossy, with alpha, turned by EXIF (which Pillow writes without words in front), animated."""
    still = Image.new("RGB", (WIDTH, HEIGHT))
    still.putdata([rgb(row, col) for row in range(HEIGHT) for col in range(WIDTH)])
    still.save(FOLDER / "rgb.webp", lossless=True)
    see_through = Image.new("RGBA", (WIDTH, HEIGHT))
    see_through.putdata([rgb(r, c) + (alpha(r, c),) for r in range(HEIGHT) for c in range(WIDTH)])
    see_through.save(FOLDER / "rgba.webp", lossless=True, exact=True)
    blocks().save(FOLDER / "lossy.webp", quality=95)
    turned = blocks().transpose(Image.Transpose.ROTATE_90)
    turned.save(FOLDER / "exif6.webp", lossless=True, exif=b"Exif\0\0" + exif(6, ">"))
    whole = (FOLDER / "exif6.webp").read_bytes()  # and with the words in front that JPEG has there
    at = whole.index(b"EXIF")
    body = whole[8:at] + b"EXIF" + struct.pack("<I", 6 + len(exif(6))) + b"Exif\0\0" + exif(6)
    (FOLDER / "exif6_named.webp").write_bytes(b"RIFF" + struct.pack("<I", len(body)) + body)
    still.save(FOLDER / "animated.webp", save_all=True, append_images=[still.rotate(180)], duration=100)


def psd(name, value, bits, packed=False):
    rows = [row for plane in range(3) for row in pixels(lambda r, c: value(r, c)[plane], bits)]
    header = b"8BPS" + struct.pack(">H6xHIIHH", 1, 3, HEIGHT, WIDTH, bits, 3) + struct.pack(">III", 0, 0, 0)
    if packed:  # each row as one literal run
        rows = [bytes([len(row) - 1]) + row for row in rows]
        header += struct.pack(">H", 1) + b"".join(struct.pack(">H", len(row)) for row in rows)
    else:
        header += struct.pack(">H", 0)
    (FOLDER / name).write_bytes(header + b"".join(rows))


def write_psds():
    rgb16 = lambda row, col: tuple((sixteen(row, col) + 1000 * c) % 65536 for c in range(3))
    psd("rgb.psd", rgb, 8)
    psd("packed.psd", rgb, 8, packed=True)
    psd("rgb16.psd", rgb16, 16)
    psd("packed16.psd", rgb16, 16, packed=True)


def write_resizes():
    """What Pillow's bilinear filter makes of a float picture: source, box and target size, then values."""
    cases = [  # height, width -> height, width, box left, upper, right, lower
        (9, 12, 4, 5, (0, 0, 12, 9)),
        (4, 5, 9, 12, (0, 0, 5, 4)),
        (40, 30, 3, 7, (0, 0, 30, 40)),
        (7, 16, 6, 6, (4.5, 0, 11.5, 7)),     # the centred square of a wide picture
        (20, 6, 4, 3, (0, 6, 6, 14)),         # the centred 4:3 part of a tall one
        (1, 13, 2, 3, (0, 0, 13, 1)),
    ]
    lines = []
    for height, width, to_height, to_width, box in cases:
        image = Image.new("F", (width, height))
        image.putdata([(31 * row + 17 * col) % 101 / 100 for row in range(height) for col in range(width)])
        small = image.resize((to_width, to_height), Image.Resampling.BILINEAR, box=box)
        whole = "stretch" if box == (0, 0, width, height) else "crop"
        lines.append(f"{whole} {height} {width} {to_height} {to_width}")
        lines.append(" ".join(f"{v:.9g}" for v in small.getdata()))
    (FOLDER / "resized.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    write_pngs()
    write_jpegs()
    write_gifs_and_tgas()
    write_webps()
    write_psds()
    write_resizes()
