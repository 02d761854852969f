#!/usr/bin/python3
"""Writes gradients.safetensors: autograd's gradients of the small models of make_families.py.

    /usr/bin/python3 tests/golden/make_gradients.py      (Debian: python3-torch)

Of each case, as CASE/TENSOR: ∂y/∂ pixels, tokens.input and the attention of every layer and of the
pooling, where y is the logit of class 1, or of a model without classes the sum of what it pools: its
embedding, its pooler's output, or the class token behind the last norm. All samples of a batch are
summed. Swin's attention is [samples · windows, heads, n, n]. In float64 from the float32 numbers of
the files, and rounded once.
"""
import pathlib
import sys
import zlib

import torch

from make_families import CASES, HERE, double
from make_golden import write_safetensors


def output_of(found):
    if "logits" in found:
        return found["logits"][:, 1].sum()
    for name in ("embedding", "pooler"):
        if name in found:
            return found[name].sum()
    return found["norm"][:, 0].sum()


def case_of(name):
    """The model in float64 and its pixels, the same as in the files."""
    torch.manual_seed(zlib.crc32(name.encode()))
    model, pixels, _ = CASES[name]()
    with torch.no_grad():
        model.w.update(double(model.w))
    return model, pixels.double().requires_grad_()


def gradients_by(names, found, pixels, model, of):
    """∂of/∂ the pixels and these steps. NaFlex's steps are slices of padded ones that later steps
    use."""
    read = getattr(model, "padded_steps", found)
    tensors = [pixels] + [read[step] for step in names]
    gradients = torch.autograd.grad(of, tensors, allow_unused=True)
    result = {"pixels": gradients[0]}
    for step, gradient in zip(names, gradients[1:]):
        if gradient is not None:
            result[step] = gradient[tuple(slice(n) for n in found[step].shape)]
    return result


def gradients_of(name):
    model, pixels = case_of(name)
    found = model.steps(pixels)
    names = ["tokens.input"] + [step for step in found if step.endswith(".attention")]
    return {f"{name}/{step}": gradient.float() for step, gradient in
            gradients_by(names, found, pixels, model, output_of(found)).items()}


def main():
    gradients = {}
    for name in CASES:
        gradients |= gradients_of(name)
    write_safetensors(HERE.parent / "gradients.safetensors", gradients)
    print(len(gradients), "gradients of", len(CASES), "models")


if __name__ == "__main__":
    sys.exit(main())
