#!/usr/bin/python3
"""Trains the model of photographs that Headlight ships (photos/README.md), first stage.

    assets/models/train_photos.py --work DIR [--steps N]

(Debian: python3-torch python3-pil, and the packages that photo_composites.py names.) Continues from DIR/last.pt; every
1000 steps reports what the model can do on held-out objects over held-out backgrounds. Writes DIR/model.safetensors at
the end. The first three quarters of the steps see 10 x 10 patches, the rest 14 x 14.
"""

import multiprocessing
import os

import numpy
import torch
import torch.nn.functional as F

from photo_composites import NOTHING, composite
from photo_vit import PATCH, PhotoVit, shipped
from safetensors_file import write_safetensors
from scene_vit import pixels_of
from training import Training, options_for

BATCH = 64
SMALL, LARGE = 10 * PATCH, 14 * PATCH
PEAK_RATE = 1.2e-3


def batch(task):
    """(number of the first composite, split, size, count) -> arrays of composite(), stacked."""
    first, split, size, count = task
    parts = zip(*(composite(first + i, split, size, PATCH) for i in range(count)))
    return [numpy.stack(part) for part in parts]


def size_of(step, steps):
    return SMALL if step < 0.75 * steps else LARGE


def tensors(arrays):
    pictures, covered, twin, pair = arrays
    return pixels_of(pictures), torch.from_numpy(covered), torch.from_numpy(twin), torch.from_numpy(pair).float()


def losses(outputs, covered, twin, pair):
    """Of the model's outputs: pair, object, twin."""
    pair_logit, object_logit, pointing = outputs
    pointed = twin != NOTHING
    return torch.stack([F.binary_cross_entropy_with_logits(pair_logit, pair),
                        F.binary_cross_entropy_with_logits(object_logit, covered),
                        F.cross_entropy(pointing[pointed], twin[pointed])])


@torch.no_grad()
def test(model, size, count=600):
    """Shares on held-out composites: right about the pair, overlap of object patches with the truth (intersection over
    union), patches of paired objects that point within one cell of the twin's center."""
    right = inside = union = near = pointing_patches = 0
    grid = size // PATCH
    for first in range(0, count, 100):
        pixels, covered, twin, pair = tensors(batch((first, "test", size, 100)))
        pair_logit, object_logit, pointing = model(pixels)
        right += ((pair_logit > 0) == (pair > 0)).sum().item()
        found, true = object_logit > 0, covered > 0
        inside, union = inside + (found & true).sum().item(), union + (found | true).sum().item()
        pointed = twin != NOTHING
        guess, truth = pointing.argmax(-1)[pointed], twin[pointed]
        rows = (torch.div(guess, grid, rounding_mode="floor") - torch.div(truth, grid, rounding_mode="floor")).abs()
        near += ((rows <= 1) & ((guess % grid - truth % grid).abs() <= 1)).sum().item()
        pointing_patches += len(truth)
    return right / count, inside / union, near / pointing_patches


def main():
    options = options_for(__doc__, steps=20000).parse_args()  # another thread makes the composites
    os.makedirs(options.work, exist_ok=True)
    torch.manual_seed(0)
    model = PhotoVit()
    training = Training(model, options, PEAK_RATE, warm_up=0.05, start=0.02, weights=[1.0, 2.0, 1.0])
    first, steps = training.first, options.steps
    work = ((step * BATCH, "train", size_of(step, steps), BATCH) for step in range(first, steps))
    with multiprocessing.Pool(1) as pool:
        ahead = [pool.apply_async(batch, (task,)) for task in [next(work) for _ in range(4)]]
        for step in range(first, steps):
            arrays = ahead.pop(0).get()
            ahead += [pool.apply_async(batch, (task,)) for task in [next(work, None)] if task]
            pixels, *truth = tensors(arrays)
            training.step(step, losses(model(pixels), *truth))
            if (step + 1) % 100 == 0:
                training.report(step, ["pair", "object", "twin"])
            if training.is_due(step, 1000):
                right, overlap, near = test(model, size_of(step, steps))
                print(f"  pair right {right:.3f}, object IoU {overlap:.3f}, twin within a cell {near:.3f}", flush=True)
                training.save(step)
    write_safetensors(os.path.join(options.work, "model.safetensors"), shipped(model.state_dict()), {"format": "pt"})


if __name__ == "__main__":
    main()
