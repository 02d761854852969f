#!/usr/bin/python3
"""Writes the pixels that tests/engine/processor_test.cpp compares with: what Hugging Face's and
timm's own preprocessing makes of pictures under many configs.

    /usr/bin/python3 tests/golden/make_processors.py   (Debian: python3-pil, python3-torch)

processors.safetensors beside this script. The name of each tensor [height, width, 3] is JSON:
    file     what the config beside the model is called
    config   its content
    picture  [height, width] of the picture, which pixels() draws
    asked    an image_size that is asked for, or null
What is computed here is written from the documentation of both, with Pillow for resizing, in
float64: hugging_face() as image processors do it step by step, timm() as its evaluation transforms.
"""
import json
import math
import pathlib

import numpy
import torch
from PIL import Image

from make_golden import write_safetensors

HERE = pathlib.Path(__file__).resolve().parent


def pixels(height, width):
    """The same noise as make_preprocessing.py draws."""
    row, col, channel = numpy.ogrid[:height, :width, :3]
    noise = (row * 7919 + col * 104729 + channel * 1299709 + row * col * 31) % 256
    noise = numpy.where((row // 3 + col // 5) % 4 == 0, noise // 128 * 255, noise)
    return Image.fromarray(noise.astype(numpy.uint8))


# By processor: whether a lone size is a square, whether it cuts, what it takes where its config
# says nothing.
CLIP_PIXELS = {"image_mean": [0.48145466, 0.4578275, 0.40821073],
               "image_std": [0.26862954, 0.26130258, 0.27577711]}
HALF_PIXELS = {"image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}
PROCESSORS = {
    "ViTImageProcessor": (True, None, HALF_PIXELS | {"resample": 2}),
    "ViTFeatureExtractor": (True, None, HALF_PIXELS | {"resample": 2}),
    "SiglipImageProcessor": (True, None, HALF_PIXELS | {"resample": 3}),
    "DeiTImageProcessor": (True, True, HALF_PIXELS | {"resample": 3}),
    "BeitImageProcessor": (True, True, HALF_PIXELS | {"resample": 3}),
    "CLIPImageProcessor": (False, True, CLIP_PIXELS | {"resample": 3}),
    "BitImageProcessor": (False, True, CLIP_PIXELS | {"resample": 3}),
    "ConvNextImageProcessor": (False, None, HALF_PIXELS | {"resample": 3}),
}


def as_read(config):
    """The settings that the named processor reads from its config, in the keys of
    hugging_face()."""
    name = config.get("image_processor_type") or config.get("feature_extractor_type")
    if name is None:
        return config
    square, cuts, usual = PROCESSORS[name]
    config = usual | config
    size = config["size"]
    if isinstance(size, int):
        size = {"height": size, "width": size} if square else {"shortest_edge": size}
    config["size"] = size
    if not cuts:
        config["do_center_crop"] = False
    else:
        config.setdefault("do_center_crop", True)
    if name.startswith("ConvNext"):
        edge = size["shortest_edge"]
        config |= {"size": {"shortest_edge": int(edge / config.get("crop_pct", 224 / 256))},
                   "do_center_crop": True, "crop_size": edge}
        if edge >= 384:
            config |= {"size": {"height": edge, "width": edge}, "do_center_crop": False}
    return config


def resized(image, height, width, kernel):
    return image.resize((width, height), kernel)


def hf_cut(values, height, width):
    """center_crop of transformers' image_transforms.py: pads with zeros where the image is too
    small."""
    top, left = (values.shape[0] - height) // 2, (values.shape[1] - width) // 2
    if top >= 0 and left >= 0:
        return values[top:top + height, left:left + width]
    tall, wide = max(height, values.shape[0]), max(width, values.shape[1])
    padded = numpy.zeros((tall, wide, 3), values.dtype)
    down, across = math.ceil((tall - values.shape[0]) / 2), math.ceil((wide - values.shape[1]) / 2)
    padded[down:down + values.shape[0], across:across + values.shape[1]] = values
    top, left = top + down, left + across
    return padded[max(0, top):top + height, max(0, left):left + width]


def hugging_face(config, image, asked):
    config = as_read(config)
    size, crop = config.get("size"), config.get("crop_size")
    if isinstance(crop, int):
        crop = {"height": crop, "width": crop}
    if not config.get("do_center_crop", crop is not None):
        crop = None
    if asked:  # the same share of the picture as of its own size
        own = crop or size
        own = own.get("height", own.get("shortest_edge"))
        scale = {k: math.floor(asked[0] / (own / v) + 1e-9) for k, v in size.items()}
        crop = crop and {"height": asked[0], "width": asked[1]}
        size = scale if crop or "shortest_edge" not in size else scale
    if config.get("do_resize", True):
        if isinstance(size, int):
            size = {"height": size, "width": size}
        kernel = Image.Resampling(config.get("resample", 2))
        if "shortest_edge" in size:
            short, long = min(image.size), max(image.size)
            length = int(size["shortest_edge"] * long / short)
            to = (size["shortest_edge"], length)
            image = resized(image, *(to if image.width >= image.height else to[::-1]), kernel)
        else:
            image = resized(image, size["height"], size["width"], kernel)
    values = numpy.asarray(image)
    if crop:
        values = hf_cut(values, crop["height"], crop["width"])
    values = values.astype(numpy.float64)
    if config.get("do_rescale", True):
        values = values * config.get("rescale_factor", 1 / 255)
        if config.get("rescale_offset"):
            values = values - 1
    if config.get("do_normalize", True):
        values = (values - numpy.array(config["image_mean"])) / numpy.array(config["image_std"])
    return values


def torchvision_cut(image, height, width, fill):
    """CenterCrop of torchvision, and timm's CenterCropOrPad."""
    pad = [max(0, height - image.height), max(0, width - image.width)]
    if any(pad):
        larger = Image.new("RGB", (image.width + pad[1], image.height + pad[0]), fill)
        larger.paste(image, (pad[1] // 2, pad[0] // 2))
        image = larger
    top, left = round((image.height - height) / 2), round((image.width - width) / 2)
    return image.crop((left, top, left + width, top + height))


def timm(config, image, asked):
    config = {"crop_pct": 0.875, "interpolation": "bicubic", "mean": [0.485, 0.456, 0.406],
              "std": [0.229, 0.224, 0.225]} | config
    height, width = asked or config["input_size"][1:]
    to = [math.floor(side / config["crop_pct"]) for side in (height, width)]
    kernel = Image.Resampling[config["interpolation"].upper()]
    mode, fill = config.get("crop_mode", "center"), (0, 0, 0)
    ratios = image.height / to[0], image.width / to[1]
    if mode == "squash":
        image = resized(image, *to, kernel)
    elif mode == "border":
        fill = tuple(round(255 * v) for v in config["mean"])
        image = resized(image, *(round(s / max(ratios)) for s in image.size[::-1]), kernel)
    elif to[0] == to[1]:
        short = min(image.size)
        image = resized(image, *(int(to[0] * s / short) for s in image.size[::-1]), kernel)
    else:
        image = resized(image, *(round(s / min(ratios)) for s in image.size[::-1]), kernel)
    image = torchvision_cut(image, height, width, fill)
    values = numpy.asarray(image).astype(numpy.float64) / 255
    return (values - numpy.array(config["mean"])) / numpy.array(config["std"])


IMAGENET = {"image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]}
HALF = {"image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}
BYTES = {"image_mean": [123.675, 116.28, 103.53], "image_std": [58.395, 57.12, 57.375]}
SQUARE = {"size": {"height": 24, "width": 24}}
SHORTER = {"size": {"shortest_edge": 32}, "crop_size": {"height": 28, "width": 28},
           "do_center_crop": True, "resample": 3}
DEIT = {"size": {"height": 32, "width": 32}, "crop_size": {"height": 28, "width": 28},
        "do_center_crop": True, "resample": 3}
HUGGING_FACE = [  # config, picture, asked
    (SQUARE | HALF, (60, 83), None),
    (SQUARE | HALF, (60, 83), (36, 36)),
    (SQUARE | HALF | {"resample": 4}, (60, 83), None),
    (SQUARE | HALF | {"resample": 5}, (83, 60), None),
    (SQUARE | HALF | {"resample": 1}, (83, 60), None),
    (SQUARE | HALF | {"resample": 0}, (83, 60), None),
    ({"size": 24} | HALF, (60, 83), None),
    (SQUARE | BYTES | {"do_rescale": False}, (60, 83), None),
    (SQUARE | BYTES | {"rescale_factor": 1.0}, (60, 83), None),
    (SQUARE | HALF | {"rescale_factor": 1 / 127.5}, (60, 83), None),
    (SQUARE | HALF | {"rescale_factor": 1 / 127.5, "rescale_offset": True}, (60, 83), None),
    (SQUARE | HALF | {"do_normalize": False}, (60, 83), None),
    (SQUARE | HALF | {"do_normalize": False, "do_rescale": False}, (60, 83), None),
    (SQUARE | HALF | {"do_rescale": False}, (60, 83), None),
    (SHORTER | IMAGENET, (60, 83), None),
    (SHORTER | IMAGENET, (83, 61), None),
    (SHORTER | IMAGENET, (40, 95), None),
    (SHORTER | IMAGENET, (60, 83), (28, 28)),
    (SHORTER | IMAGENET, (60, 83), (56, 56)),
    (SHORTER | IMAGENET, (60, 83), (14, 14)),
    (SHORTER | IMAGENET | {"crop_size": 28}, (60, 83), None),
    (SHORTER | IMAGENET | {"crop_size": {"height": 20, "width": 26}}, (83, 61), None),
    (SHORTER | IMAGENET | {"crop_size": 36}, (60, 83), None),
    (SHORTER | IMAGENET | {"size": {"shortest_edge": 31}, "crop_size": 36}, (60, 61), None),
    (DEIT | IMAGENET, (74, 106), None),
    (DEIT | IMAGENET, (106, 74), (42, 42)),
    (DEIT | IMAGENET | {"do_center_crop": False}, (106, 74), None),
    (DEIT | IMAGENET | {"size": {"height": 40, "width": 32}}, (106, 74), None),
    (SHORTER | IMAGENET | {"do_resize": False}, (60, 83), None),
    (SHORTER | IMAGENET | {"do_resize": False}, (22, 37), None),
    ({"size": {"height": 4, "width": 4}, "do_resize": False} | HALF, (4, 4), None),
    ({"image_processor_type": "ViTImageProcessor", "do_center_crop": True, "crop_size": 16} | SQUARE,
     (60, 83), None),
    ({"feature_extractor_type": "ViTFeatureExtractor", "size": 24, "crop_pct": 0.5}, (60, 83), None),
    ({"image_processor_type": "ViTImageProcessor", "do_rescale": False, "image_mean": [127.5] * 3,
      "image_std": [127.5] * 3} | SQUARE, (60, 83), None),
    ({"image_processor_type": "SiglipImageProcessor", "crop_size": 16} | SQUARE, (60, 83), None),
    ({"image_processor_type": "DeiTImageProcessor", "size": 32, "crop_size": 28}, (74, 106), None),
    ({"image_processor_type": "BeitImageProcessor", "size": 32, "crop_size": 28}, (74, 106), None),
    ({"image_processor_type": "CLIPImageProcessor", "size": 32, "crop_size": 28, "crop_pct": 0.5},
     (60, 83), None),
    ({"image_processor_type": "CLIPImageProcessor", "size": {"height": 32, "width": 30},
      "crop_size": 28, "do_center_crop": True}, (60, 83), None),
    ({"image_processor_type": "BitImageProcessor", "size": {"shortest_edge": 32}, "crop_size": 28}
     | IMAGENET, (83, 61), None),
    ({"image_processor_type": "ConvNextImageProcessor", "size": {"shortest_edge": 28},
      "crop_pct": 0.8}, (60, 83), None),
    ({"image_processor_type": "ConvNextImageProcessor", "size": 28, "crop_size": 8}, (60, 83), None),
]
TIMM = {"input_size": [3, 28, 28], "crop_pct": 0.9, "interpolation": "bicubic",
        "mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225]}
TIMM_CASES = [
    (TIMM, (60, 83), None),
    (TIMM, (83, 60), (28, 28)),
    (TIMM, (60, 83), (56, 56)),
    (TIMM, (60, 83), (26, 26)),
    (TIMM, (60, 83), (20, 36)),
    (TIMM | {"input_size": [3, 20, 36]}, (83, 60), None),
    (TIMM | {"crop_pct": 1.0}, (60, 83), None),
    (TIMM | {"crop_pct": 1.2}, (60, 83), None),
    (TIMM | {"crop_mode": "squash"}, (60, 83), None),
    (TIMM | {"crop_mode": "squash"}, (60, 83), (42, 42)),
    (TIMM | {"crop_mode": "border"}, (60, 83), None),
    (TIMM | {"crop_mode": "border", "crop_pct": 1.0}, (60, 83), (30, 30)),
    (TIMM | {"interpolation": "bilinear", "crop_pct": 0.875}, (90, 40), None),
    (TIMM | {"interpolation": "lanczos"}, (90, 40), None),
    ({"input_size": [3, 28, 28]}, (60, 83), None),
    ({"input_size": [3, 28, 28], "interpolation": "bilinear"}, (60, 83), None),
    ({"input_size": [3, 28, 28], "mean": [0.5] * 3, "std": [0.5] * 3}, (60, 83), None),
    ({"input_size": [3, 28, 28], "crop_mode": "squash"}, (60, 83), None),
]


def main():
    found = {}
    for config, picture, asked in HUGGING_FACE:
        name = json.dumps({"file": "preprocessor_config.json", "config": config,
                           "picture": picture, "asked": asked})
        found[name] = hugging_face(config, pixels(*picture), asked)
    for config, picture, asked in TIMM_CASES:
        name = json.dumps({"file": "config.json", "config": {
            "architecture": "vit_tiny_patch16_224", "pretrained_cfg": config},
            "picture": picture, "asked": asked})
        found[name] = timm(config, pixels(*picture), asked)
    assert len(found) == len(HUGGING_FACE) + len(TIMM_CASES)
    write_safetensors(HERE / "processors.safetensors",
                      {name: torch.tensor(values.copy()).float() for name, values in found.items()})


if __name__ == "__main__":
    main()
