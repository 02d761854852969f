#!/usr/bin/python3
"""Writes the pictures that tests/engine/preprocessing_test.cpp compares with.

    /usr/bin/python3 tests/golden/make_preprocessing.py   (Debian: python3-pil, python3-torchvision)

preprocessing.safetensors beside this script; each tensor's name says what was done:
    KIND FILTER SOURCE TARGET [RESIZE]       sizes as HEIGHTxWIDTHxCHANNELS and HEIGHTxWIDTH
    stretch   Pillow's resize to the target                                          bytes
    crop      Pillow's resize of the largest centered box of the target's aspect      bytes
    resize    torchvision's Resize(RESIZE) and CenterCrop(TARGET) of a Pillow image  bytes
    floats    the same of a tensor with antialias=True, cut at 0 and 1               floats
    file      images/rgb16.png as Pillow converts it to RGB                          bytes
The floats are computed in float64: in float32 PyTorch rounds the pixels' places too, up to 3e-6.
"""
import pathlib

import numpy
import torch
from PIL import Image
from torchvision import transforms

from make_golden import TYPES, write_safetensors

HERE = pathlib.Path(__file__).resolve().parent
FILTERS = {"bilinear": Image.Resampling.BILINEAR, "bicubic": Image.Resampling.BICUBIC,
           "lanczos": Image.Resampling.LANCZOS, "nearest": Image.Resampling.NEAREST}
MODES = {name: transforms.InterpolationMode(name) for name in FILTERS}


def pixels(height, width, channels):
    """Noise with black and white parts, where negative lobes reach beyond 0 and 255."""
    row, col, channel = numpy.ogrid[:height, :width, :channels]
    noise = (row * 7919 + col * 104729 + channel * 1299709 + row * col * 31) % 256
    return numpy.where((row // 3 + col // 5) % 4 == 0, noise // 128 * 255, noise).astype(numpy.uint8)


def picture(source):
    values = pixels(*source)
    return Image.fromarray(values[:, :, 0] if source[2] == 1 else values)


def as_tensor(image):
    return torch.from_numpy(numpy.array(image))


def centered_box(source, target):
    used = (min(source[0], target[0] * source[1] / target[1]),
            min(source[1], target[1] * source[0] / target[0]))
    top, left = ((source[i] - used[i]) / 2 for i in (0, 1))
    return left, top, source[1] - left, source[0] - top


STRETCHES = [  # source, target
    ((40, 30, 3), (7, 5)), ((7, 5, 3), (40, 30)), ((31, 47, 1), (16, 16)), ((1, 300, 3), (4, 6)),
    ((300, 1, 1), (5, 3)), ((17, 23, 3), (17, 11)), ((17, 23, 3), (9, 23)), ((9, 9, 3), (9, 9)),
    ((211, 307, 3), (16, 24)), ((3, 2, 1), (50, 1)), ((64, 64, 3), (32, 32)), ((10, 10, 1), (25, 15)),
]
CROPS = [((40, 30, 3), (8, 8)), ((30, 47, 3), (16, 12)), ((9, 200, 1), (12, 7)), ((5, 6, 3), (14, 14))]
RESIZES = [  # source, target, length of the shorter side
    ((60, 83, 3), (28, 28), 32), ((83, 60, 3), (28, 28), 31), ((50, 51, 3), (13, 14), 20),
    ((20, 33, 3), (24, 24), 16), ((33, 20, 1), (25, 40), 17), ((48, 48, 3), (24, 24), 24),
    ((12, 90, 3), (16, 16), 18), ((7, 9, 3), (21, 22), 24),
]


def name(kind, mode, source, target, *resize):
    return " ".join([kind, mode, "x".join(map(str, source)), "x".join(map(str, target)),
                     *map(str, resize)])


def main():
    TYPES[torch.uint8] = ("U8", "|u1")
    found = {}
    for mode, filter_ in FILTERS.items():
        for source, target in STRETCHES:
            small = picture(source).resize(target[::-1], filter_)
            found[name("stretch", mode, source, target)] = as_tensor(small)
        for source, target in CROPS:
            small = picture(source).resize(target[::-1], filter_, box=centered_box(source, target))
            found[name("crop", mode, source, target)] = as_tensor(small)
        for source, target, length in RESIZES:
            steps = transforms.Compose([transforms.Resize(length, MODES[mode]),
                                        transforms.CenterCrop(target)])
            found[name("resize", mode, source, target, length)] = as_tensor(steps(picture(source)))
    for mode in ("bilinear", "bicubic"):  # the two for which torchvision smoothes tensors
        for source, target, length in RESIZES[::2]:
            steps = transforms.Compose([transforms.Resize(length, MODES[mode], antialias=True),
                                        transforms.CenterCrop(target)])
            tensor = transforms.functional.to_tensor(picture(source)).double()
            cut = steps(tensor).clamp(0, 1).permute(1, 2, 0)
            found[name("floats", mode, source, target, length)] = cut.float()
    with Image.open(HERE / "images" / "rgb16.png") as deep:
        size = (deep.height, deep.width)
        found[name("file", "bilinear", (*size, 3), size)] = as_tensor(deep.convert("RGB"))
    write_safetensors(HERE / "preprocessing.safetensors", found)


if __name__ == "__main__":
    main()
