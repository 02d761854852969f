#!/usr/bin/env python3
"""Writes tests/golden/images: small pictures whose every pixel says where it belongs.

    python3 tests/golden/make_images.py
    (apt install python3-pil libjpeg-turbo-progs libavif-bin libheif-examples; Pillow with libjpeg-turbo)

In images/pillow stand files of the kinds whose pixels are Pillow's, each beside NAME.ppm: the pixels of
Image.open(NAME).convert("RGB"), upright.

PNG and PSD are written byte by byte where Pillow cannot write a kind; the rest comes from Pillow,
which shares no code with stb_image. tests/engine/image_test.cpp knows the formulas again.
"""
import io
import pathlib
import random
import struct
import subprocess
import zlib

from PIL import Image, ImageOps

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


def png(name, rows, bits, color, before=b""):
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, bits, color, 0, 0, 0)
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
    # A palette of one color a column; every second one is transparent, the others have no entry
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


def noisy(width, height, bands=3):
    """A picture with detail everywhere, where decoders that round or interpolate otherwise differ."""
    draw = random.Random(width * 1000 + height)
    image = Image.new(["L", "LA", "RGB", "RGBA"][bands - 1], (width, height))
    image.putdata([tuple(min(255, max(0, (23 * x + 31 * y * (c + 1)) % 256 + draw.randrange(-40, 40)))
                         for c in range(bands)) if bands > 1 else draw.randrange(256)
                   for y in range(height) for x in range(width)])
    return image


def keep(name, data):
    """Saves the file and, beside it, Pillow's pixels."""
    folder = FOLDER / "pillow"
    (folder / name).write_bytes(data)
    upright = Image.open(io.BytesIO(data))
    if not name.endswith(".tif"):  # whose orientation Pillow has followed already
        upright.load()
        upright = ImageOps.exif_transpose(upright)
    upright.convert("RGB").save(folder / (name + ".ppm"))


def saved(image, kind, **options):
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def cjpeg(*options):
    return subprocess.run(["cjpeg", *options], input=saved(noisy(21, 18), "PPM"), capture_output=True,
                          check=True).stdout


def without_segment(jpeg, marker):
    at = jpeg.index(bytes([0xFF, marker]))
    return jpeg[:at] + jpeg[at + 2 + struct.unpack(">H", jpeg[at + 2:at + 4])[0]:]


def with_adobe(jpeg, transform):
    """Instead of JFIF's segment Adobe's: 0 is RGB or CMYK, 1 YCbCr, 2 YCCK."""
    segment = b"\xff\xee\0\x0eAdobe\0d\0\0\0\0" + bytes([transform])
    return jpeg[:2] + segment + without_segment(jpeg, 0xE0)[2:]


def with_ids(jpeg, ids):
    """Without JFIF's segment, and with the given component names."""
    changed = bytearray(without_segment(jpeg, 0xE0))
    frame, scan = changed.index(b"\xff\xc0"), changed.index(b"\xff\xda")
    for c, name in enumerate(ids):
        changed[frame + 10 + 3 * c] = changed[scan + 5 + 2 * c] = name
    return bytes(changed)


def write_like_pillow():
    (FOLDER / "pillow").mkdir(exist_ok=True)
    for subsampling, name in enumerate(("444", "422", "420")):
        for progressive in (False, True):
            keep(f"{name}{'_progressive' * progressive}.jpg",
                 saved(noisy(37, 29), "JPEG", quality=85, subsampling=subsampling, progressive=progressive))
    for width, height in ((1, 1), (1, 17), (17, 1), (2, 3), (7, 9), (16, 15)):
        keep(f"{width}x{height}.jpg", saved(noisy(width, height), "JPEG", quality=75, subsampling=2))
    for quality in (1, 50, 100):
        keep(f"q{quality}.jpg", saved(noisy(20, 20), "JPEG", quality=quality, optimize=True))
    keep("grey.jpg", saved(noisy(20, 13, 1), "JPEG"))
    keep("411.jpg", cjpeg("-sample", "4x1"))
    keep("restart.jpg", cjpeg("-restart", "1B", "-sample", "2x2"))
    keep("arithmetic.jpg", cjpeg("-arithmetic", "-sample", "2x2"))
    plain = saved(noisy(20, 13), "JPEG", subsampling=0)
    keep("adobe_rgb.jpg", with_adobe(plain, 0))
    keep("adobe_ycc.jpg", with_adobe(plain, 1))
    keep("ids_rgb.jpg", with_ids(plain, b"RGB"))
    keep("ids_others.jpg", with_ids(plain, bytes([5, 6, 7])))
    inks = Image.merge("CMYK", noisy(20, 13, 4).split())
    adobe = saved(inks, "JPEG", quality=90)
    keep("cmyk_adobe.jpg", adobe)
    keep("cmyk_no_marker.jpg", without_segment(adobe, 0xEE))
    at = adobe.index(b"\xff\xee")
    keep("ycck.jpg", adobe[:at + 15] + b"\2" + adobe[at + 16:])

    rgba, grey_alpha = noisy(11, 8, 4), noisy(11, 8, 2)
    palette = rgba.convert("RGB").quantize(13)
    keep("rgba.png", saved(rgba, "PNG"))
    keep("grey_alpha.png", saved(grey_alpha, "PNG"))
    keep("key.png", saved(rgba.convert("RGB"), "PNG", transparency=rgba.getpixel((2, 2))[:3]))
    keep("palette.png", saved(palette, "PNG", transparency=bytes(range(0, 247, 19))))
    keep("transparent.gif", saved(palette, "GIF", transparency=3, interlace=1))
    for name, options in (("beside.gif", {}), ("beside_transparent.gif", {"transparency": 3})):
        gif = bytearray(saved(palette, "GIF", **options))  # on a larger canvas
        gif[6:10] = struct.pack("<HH", 17, 15)
        at = gif.index(b"\x2c\0\0\0\0")
        gif[at + 1:at + 5] = struct.pack("<HH", 2, 5)
        keep(name, bytes(gif))
    keep("rgba.tga", saved(rgba, "TGA", compression="tga_rle"))
    keep("rgba.webp", saved(rgba, "WEBP", lossless=True, exact=True))
    keep("lossy.webp", saved(noisy(33, 21, 4), "WEBP", quality=60))
    frames = [noisy(12, 10, 4), noisy(12, 10, 4).rotate(180)]
    keep("animated.webp", saved(frames[0], "WEBP", save_all=True, append_images=frames[1:], lossless=True))
    write_tiffs_like_pillow(rgba, grey_alpha, palette)


def write_tiffs_like_pillow(rgba, grey_alpha, palette):
    kinds = {"rgba": rgba, "grey_alpha": grey_alpha, "palette": palette, "rgb": rgba.convert("RGB"),
             "bits": rgba.convert("1"), "cmyk": Image.merge("CMYK", rgba.split())}
    for name, image in kinds.items():
        keep(f"{name}.tif", saved(image, "TIFF", compression="tiff_lzw"))
    keep("jpeg.tif", saved(kinds["rgb"], "TIFF", compression="jpeg"))
    keep("fax.tif", saved(kinds["bits"], "TIFF", compression="group4"))
    keep("exif6.tif", saved(kinds["rgb"], "TIFF", tiffinfo={0x0112: 6}))
    keep("pages.tif", saved(kinds["rgb"], "TIFF", save_all=True, append_images=[kinds["bits"]]))


def write_avifs_and_heics():
    """Lossless, from rgb.png and rgba.png; and rotated by a box of the format."""
    for name in ("rgb", "rgba"):
        source = FOLDER / f"{name}.png"
        subprocess.run(["avifenc", "--lossless", source, FOLDER / f"{name}.avif"], check=True)
        subprocess.run(["heif-enc", "-L", "-p", "chroma=444", "--matrix_coefficients=0", source,
                        "-o", FOLDER / f"{name}.heic"], check=True)
    for angle in range(4):
        for mirror in range(2):
            subprocess.run(["avifenc", "--lossless", "--irot", str(angle), "--imir", str(mirror),
                            FOLDER / "rgb.png", FOLDER / f"turned{angle}{mirror}.avif"], check=True)
    for name, turns in (("cropped", []), ("cropped_turned", ["--irot", "1", "--imir", "1"])):
        subprocess.run(["avifenc", "--lossless", "--crop", "1,1,4,3", *turns, FOLDER / "rgb.png",
                        FOLDER / f"{name}.avif"], check=True)
    heic = (FOLDER / "rgb.heic").read_bytes()
    at = heic.index(b"pixi")  # how many bits a sample has, which nobody needs, becomes a quarter turn
    (FOLDER / "turned.heic").write_bytes(heic[:at] + b"irot\1" + heic[at + 5:])


def write_resizes():
    """Results of Pillow's bilinear filter for a float picture: source, box and target size, then
    values."""
    cases = [  # height, width -> height, width, box left, upper, right, lower
        (9, 12, 4, 5, (0, 0, 12, 9)),
        (4, 5, 9, 12, (0, 0, 5, 4)),
        (40, 30, 3, 7, (0, 0, 30, 40)),
        (7, 16, 6, 6, (4.5, 0, 11.5, 7)),     # the centered square of a wide picture
        (20, 6, 4, 3, (0, 6, 6, 14)),         # the centered 4:3 part of a tall one
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
    write_like_pillow()
    write_avifs_and_heics()
    write_psds()
    write_resizes()
