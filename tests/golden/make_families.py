#!/usr/bin/python3
"""Writes small models of every naming family, and every number that they compute.

    /usr/bin/python3 tests/golden/make_families.py [NAME...]      (Debian: python3-torch)

For each case, in tests/golden/families:
    NAME.model.safetensors or .npz   random weights, named and laid out as the family does
    NAME.config.json                 what tensors so small cannot say, where that is needed
    NAME.input.safetensors           pixels [B, 3, H, W], already normalised
    NAME.safetensors                 every intermediate, under the names that `headlight trace` writes

As in make_golden.py, the intermediates are computed in float64 from float32 weights and inputs and
rounded once. `concat` is left out, as it only lists the numbers of `heads` in another order.
"""
import json
import pathlib
import sys
import zlib

import torch

from families.timm import VisionTransformer, dino_head
from make_golden import relative_error, write_safetensors

HERE = pathlib.Path(__file__).resolve().parent / "families"


def double(tensors):
    return {name: tensor.double() for name, tensor in tensors.items()}


@torch.no_grad()
def write_case(name, model, pixels, config=None):
    in_float = model.steps(pixels)
    file = model.file()
    model.w.update(double(model.w))
    exact = model.steps(pixels.double())
    worst = max((relative_error(in_float[step], tensor), step) for step, tensor in exact.items())
    print(f"{name:22} {len(file):4} tensors {len(exact):4} steps, "
          f"PyTorch float32 {worst[0]:.1e} in {worst[1]}")
    write_model(name, file)
    if config:
        (HERE / f"{name}.config.json").write_text(json.dumps(config, indent=2) + "\n")
    write_safetensors(HERE / f"{name}.input.safetensors", {"pixels": pixels})
    write_safetensors(HERE / f"{name}.safetensors",
                      {step: tensor.float() for step, tensor in exact.items()})


def write_model(name, file):
    write_safetensors(HERE / f"{name}.model.safetensors", file)


CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def heads(count, **more):
    """Widths so small are no family's, so the number of heads has to be said."""
    return {"num_heads": count, **more}


@case
def timm():
    model = VisionTransformer(24, 3, 2, 48, 4, (3, 3), classes=5)
    return model, torch.randn(2, 3, 12, 12), heads(3)


@case
def timm_registers():
    model = VisionTransformer(24, 3, 2, 48, 4, (4, 4), prefix_tokens=("cls_token", "reg_token"),
                              covered=0, registers=2, qkv_bias=False, qk_norm=True,
                              layer_scale=True, classes=5)
    return model, torch.randn(1, 3, 12, 20), heads(3)


@case
def timm_pooled():
    model = VisionTransformer(32, 4, 2, 40, 4, (2, 5), prefix_tokens=(), covered=0, pre_norm=True,
                              pooled=True, classes=3)
    return model, torch.randn(1, 3, 16, 12), heads(4, image_size=[8, 20], layer_norm_eps=1e-6)


@case
def timm_swiglu():
    model = VisionTransformer(24, 2, 2, 20, 4, (3, 3), prefix_tokens=("cls_token", "reg_token"),
                              covered=3, registers=2, layer_scale=True, swiglu=("fc1", "fc2"))
    return model, torch.randn(2, 3, 12, 8), heads(2)


@case
def deit_distilled():
    model = VisionTransformer(24, 3, 2, 48, 4, (3, 3), prefix_tokens=("cls_token", "dist_token"),
                              covered=2, classes=5, distilled=True)
    return model, torch.randn(1, 3, 12, 12), heads(3)


@case
def dino():
    model = VisionTransformer(24, 3, 2, 48, 4, (4, 4), resampling="offset",
                              prefix="teacher.backbone.")
    plain = model.file
    extra = dino_head(model, 24)
    model.file = lambda: plain() | extra
    return model, torch.randn(1, 3, 20, 12), heads(3)


@case
def dinov2():
    model = VisionTransformer(24, 3, 2, 48, 4, (5, 5), layer_scale=True, mask_token=True,
                              resampling="offset")
    return model, torch.randn(2, 3, 16, 12), heads(3)


@case
def dinov2_registers():
    model = VisionTransformer(24, 3, 4, 16, 4, (5, 5), registers=4, layer_scale=True,
                              prefix_tokens=("cls_token", "register_tokens"), mask_token=True,
                              swiglu=("w12", "w3"), chunk=2)
    return model, torch.randn(1, 3, 12, 16), heads(3)


def main():
    names = sys.argv[1:] or list(CASES)
    for name in names:
        torch.manual_seed(zlib.crc32(name.encode()))  # one case can be made again alone
        write_case(name, *CASES[name]())


if __name__ == "__main__":
    main()
