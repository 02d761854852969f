#!/usr/bin/python3
"""Trains the models that Headlight ships, on scenes that Headlight draws.

    assets/models/train_scenes.py --headlight build/release/headlight --work DIR [--steps N]
    assets/models/train_scenes.py --headlight build/release/headlight --work DIR --model layer

(Debian: python3-torch.) Continues where DIR/last.pt stands; every 500 steps tells what it can do on
scenes that it never saw. Writes DIR/model.safetensors at the end. Scenes are counted from 0 for
training, from 2·10^9 for testing.
"""

import os
import queue
import subprocess
import threading

import numpy
import torch
import torch.nn.functional as F

from safetensors_file import write_safetensors
from scene_vit import GRID, PATCHES, ArticleLayer, SceneVit, pixels_of
from training import Training, options_for

BATCH = 128
BATCHES_PER_FILE = 32
FIRST_TEST_SCENE = 2_000_000_000


class Scenes:
    """Batches of unseen scenes without end, the next file drawn while one is used."""

    def __init__(self, options, patch, first_step):
        self.files = queue.Queue(maxsize=1)
        threading.Thread(target=self._draw, args=(options, patch, first_step), daemon=True).start()

    def _draw(self, options, patch, step):
        while True:
            self.files.put(draw(options, patch, step * BATCH, BATCHES_PER_FILE * BATCH))
            step += BATCHES_PER_FILE

    def __iter__(self):
        while True:
            pictures, truth = self.files.get()
            for i in range(0, len(pictures), BATCH):
                yield pictures[i:i + BATCH], truth[i:i + BATCH]


def draw(options, patch, seed, count):
    out, truth = (os.path.join(options.work, f"{kind}{seed}.npy") for kind in ("scenes", "truth"))
    subprocess.run([options.headlight, "scenes", "--count", str(count), "--seed", str(seed),
                    "--size", str(GRID * patch), "--patch", str(patch), "--out", out,
                    "--truth", truth], check=True)
    drawn = numpy.load(out), numpy.load(truth).astype(numpy.int64)
    os.remove(out)
    os.remove(truth)
    return drawn


def split(truth):
    truth = torch.from_numpy(truth)
    return truth[:, 0], truth[:, 1:1 + PATCHES], truth[:, 1 + PATCHES:]


def losses(model, pictures, truth):
    answer, kind, twin = split(truth)
    answer_logits, kind_logits, twin_logits = model(pixels_of(pictures))
    paired = twin >= 0
    return (F.cross_entropy(answer_logits, answer),
            F.cross_entropy(kind_logits.flatten(0, 1), kind.flatten()),
            F.cross_entropy(twin_logits[paired], twin[paired]))


@torch.no_grad()
def test(model, options, count=1000):
    """Share of right classes, and of patches of paired shapes that point within one cell."""
    pictures, truth = draw(options, model.patch, FIRST_TEST_SCENE, count)
    right = near = pointing = 0
    for i in range(0, count, 500):
        answer, _, twin = split(truth[i:i + 500])
        answer_logits, _, twin_logits = model(pixels_of(pictures[i:i + 500]))
        right += (answer_logits.argmax(-1) == answer).sum().item()
        paired = twin >= 0
        guess, true = twin_logits.argmax(-1)[paired], twin[paired]
        rows = (torch.div(guess, GRID, rounding_mode="floor")
                - torch.div(true, GRID, rounding_mode="floor")).abs()
        near += ((rows <= 1) & ((guess % GRID - true % GRID).abs() <= 1)).sum().item()
        pointing += len(true)
    return right / count, near / pointing


def parse():
    parser = options_for(__doc__, steps=7000, threads=os.cpu_count())
    parser.add_argument("--headlight", required=True, help="the program")
    parser.add_argument("--model", choices=["vit", "layer"], default="vit")
    parser.add_argument("--positions", choices=["sinusoidal", "learned"], default="sinusoidal")
    return parser.parse_args()


def main():
    options = parse()
    os.makedirs(options.work, exist_ok=True)
    torch.manual_seed(0)
    model = SceneVit(options.positions) if options.model == "vit" else ArticleLayer()
    training = Training(model, options, peak=2e-3, warm_up=0.1, start=0.04, weights=[1.0, 2.0, 0.5])
    scenes = iter(Scenes(options, model.patch, training.first))
    for step in range(training.first, options.steps):
        training.step(step, torch.stack(losses(model, *next(scenes))))
        if (step + 1) % 50 == 0:
            training.report(step, ["class", "kind", "twin"])
        if training.is_due(step, 500):
            right, near = test(model, options)
            print(f"  class right {right:.3f}, twin within a cell {near:.3f}", flush=True)
            training.save(step)
    tensors = {name: t for name, t in model.state_dict().items() if not name.startswith(model.help)}
    write_safetensors(os.path.join(options.work, "model.safetensors"), tensors, {"format": "pt"})


if __name__ == "__main__":
    main()
