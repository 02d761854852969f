#!/usr/bin/python3
"""Trains the model of photographs further, on a GPU with PyTorch 2.

    assets/models/refine_photos.py --work DIR --start MODEL.safetensors [--steps N]

Starts from what train_photos.py wrote, continues from DIR/last.pt, and writes DIR/model.safetensors. Composites come from
fast_composites.py; the model sees grids of several sizes and shapes. At the end it reports what the model can do on held-out
objects over held-out backgrounds. A CPU would take days.
"""

import os

import torch

import photo_composites
from fast_composites import Composer, Textures
from measure_photos import model_of
from photo_vit import PATCH, shipped
from safetensors_file import write_safetensors
from scene_vit import Attention
from train_photos import LARGE, losses, test
from training import Training, options_for

PEAK_RATE = 1e-3
WEIGHTS = [2.0, 2.0, 1.0]  # of the losses: pair, object, twin
GRIDS = [(14, 14), (12, 18), (14, 14), (18, 12), (14, 14), (10, 10), (14, 14), (12, 16), (14, 14), (18, 18)]
PATCHES_A_STEP = 512 * 14 * 14


def losses_of(model, pixels, *truth):
    with torch.autocast(pixels.device.type, torch.bfloat16):
        outputs = model(pixels)
    return losses([output.float() for output in outputs], *truth)


def batch(composer, step):
    rows, columns = GRIDS[step % len(GRIDS)]
    return composer.batch(PATCHES_A_STEP // (rows * columns), rows, columns, PATCH)


def parse():
    parser = options_for(__doc__, steps=10000)
    parser.add_argument("--start", required=True, help="the model to train further")
    return parser.parse_args()


def main():
    options = parse()
    os.makedirs(options.work, exist_ok=True)
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cuda":
        Attention.fused = True
        Textures.at = torch.compile(Textures.at, dynamic=True)
    model = model_of(options.start).to(device).train()
    training = Training(model, options, PEAK_RATE, warm_up=0.03, start=0.02, weights=WEIGHTS)
    composer = Composer(*photo_composites.sources()["train"], device, seed=training.first)
    for step in range(training.first, options.steps):
        training.step(step, losses_of(model, *batch(composer, step)))
        if (step + 1) % 100 == 0:
            training.report(step, ["pair", "object", "twin"])
        if training.is_due(step, 1000):
            training.save(step)
    model = model.cpu().eval()
    write_safetensors(os.path.join(options.work, "model.safetensors"), shipped(model.state_dict()), {"format": "pt"})
    right, overlap, near = test(model, LARGE)
    print(f"held-out: pair right {right:.3f}, object IoU {overlap:.3f}, twin within a cell {near:.3f}", flush=True)


if __name__ == "__main__":
    main()
