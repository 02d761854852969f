#!/usr/bin/python3
"""Trains the model of photographs that Headlight ships (photos/README.md).

    assets/models/train_photos.py --work DIR [--steps N]

(Debian: python3-torch python3-pil, and the packages that photo_composites.py names.) Continues from DIR/last.pt; every
1000 steps reports what the model can do on held-out objects over held-out backgrounds. Writes DIR/model.safetensors at
the end. The first three quarters of the steps see 10 x 10 patches, the rest 14 x 14.
"""

import argparse
import math
import multiprocessing
import os
import time

import numpy
import torch
import torch.nn.functional as F

from photo_composites import NOTHING, composite
from photo_vit import PATCH, PhotoVit, shipped
from scene_vit import pixels_of, write_safetensors

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


def loss_of(model, arrays):
    pixels, covered, twin, pair = tensors(arrays)
    pair_logit, object_logit, pointing = model(pixels)
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


def groups(model):
    """Weight decay applies to matrices, not to biases, norms and the class token."""
    return [{"params": [p for p in model.parameters() if p.dim() in (2, 4)], "weight_decay": 0.05},
            {"params": [p for p in model.parameters() if p.dim() not in (2, 4)], "weight_decay": 0}]


def rate(done):
    """Learning rate when this share of the steps is done: up for a twentieth, then down along a cosine. It depends on
    nothing else, so a training can be continued with another number of steps."""
    if done < 0.05:
        return PEAK_RATE * (0.02 + 0.98 * done / 0.05)
    return PEAK_RATE * 0.5 * (1 + math.cos(math.pi * (done - 0.05) / 0.95))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", required=True, help="folder for the state of the training")
    parser.add_argument("--steps", type=int, default=20000)
    parser.add_argument("--threads", type=int, default=1, help="of PyTorch; the composites take another")
    return parser.parse_args()


def save(model, optimizer, step, last):
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, last + ".part")
    os.replace(last + ".part", last)


def main():
    options = parse()
    os.makedirs(options.work, exist_ok=True)
    torch.manual_seed(0)
    torch.set_num_threads(options.threads)
    torch.set_flush_denormal(True)
    model = PhotoVit()
    optimizer = torch.optim.AdamW(groups(model), lr=PEAK_RATE, betas=(0.9, 0.98))
    last, first = os.path.join(options.work, "last.pt"), 0
    if os.path.exists(last):
        state = torch.load(last)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["step"]
    work = ((step * BATCH, "train", size_of(step, options.steps), BATCH) for step in range(first, options.steps))
    start, mean = time.time(), None
    with multiprocessing.Pool(1) as pool:
        ahead = [pool.apply_async(batch, (task,)) for task in [next(work) for _ in range(4)]]
        for step in range(first, options.steps):
            arrays = ahead.pop(0).get()
            ahead += [pool.apply_async(batch, (task,)) for task in [next(work, None)] if task]
            parts = loss_of(model, arrays)
            for group in optimizer.param_groups:
                group["lr"] = rate(step / options.steps)
            optimizer.zero_grad()
            (parts @ torch.tensor([1.0, 2.0, 1.0])).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            mean = parts.detach() if mean is None else 0.98 * mean + 0.02 * parts.detach()
            if (step + 1) % 100 == 0:
                print(f"step {step + 1}: pair {mean[0]:.3f} object {mean[1]:.3f} twin {mean[2]:.3f}, "
                      f"{(time.time() - start) / (step + 1 - first):.3f} s a step", flush=True)
            if (step + 1) % 1000 == 0 or step + 1 == options.steps:
                right, overlap, near = test(model, size_of(step, options.steps))
                print(f"  pair right {right:.3f}, object IoU {overlap:.3f}, twin within a cell {near:.3f}", flush=True)
                save(model, optimizer, step + 1, last)
    write_safetensors(os.path.join(options.work, "model.safetensors"), shipped(model.state_dict()), {"format": "pt"})


if __name__ == "__main__":
    main()
