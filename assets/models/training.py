"""What the trainings of the models that Headlight ships share: AdamW, continued where its folder's last.pt stands."""

import argparse
import math
import os
import time

import torch


def groups(model):
    """Weight decay applies to matrices, not to biases, norms, positions and the class token."""
    return [{"params": [p for p in model.parameters() if p.dim() in (2, 4)], "weight_decay": 0.05},
            {"params": [p for p in model.parameters() if p.dim() not in (2, 4)], "weight_decay": 0}]


def options_for(description, steps, threads=1):
    """A parser of the options that Training reads; others can be added."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", required=True, help="folder for the state of the training")
    parser.add_argument("--steps", type=int, default=steps)
    parser.add_argument("--threads", type=int, default=threads, help="of PyTorch on the CPU")
    return parser


class Training:
    """Learning rate: from `start` of its peak up to the peak in `warm_up` of the steps, then down along a cosine. It depends on
    nothing else, so a training can be continued with another number of steps. weights: of the losses in their sum."""

    def __init__(self, model, options, peak, warm_up, start, weights):
        torch.set_num_threads(options.threads)
        torch.set_flush_denormal(True)
        self.model, self.steps = model, options.steps
        self.peak, self.warm_up, self.start = peak, warm_up, start
        self.weights = torch.tensor(weights, device=next(model.parameters()).device)
        self.optimizer = torch.optim.AdamW(groups(model), lr=peak, betas=(0.9, 0.98))
        self.folder, self.first = options.work, 0
        self.last = os.path.join(options.work, "last.pt")
        if os.path.exists(self.last):
            state = torch.load(self.last)
            model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.first = state["step"]
        self.began, self.mean = time.time(), None

    def rate(self, done):
        if done < self.warm_up:
            return self.peak * (self.start + (1 - self.start) * done / self.warm_up)
        return self.peak * 0.5 * (1 + math.cos(math.pi * (done - self.warm_up) / (1 - self.warm_up)))

    def step(self, step, losses):
        """One step down the losses, a tensor of them; `mean` follows them."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate(step / self.steps)
        self.optimizer.zero_grad()
        (losses @ self.weights).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.mean = losses.detach() if self.mean is None else 0.98 * self.mean + 0.02 * losses.detach()

    def report(self, step, names):
        means = " ".join(f"{name} {mean:.3f}" for name, mean in zip(names, self.mean))
        print(f"step {step + 1}: {means}, {(time.time() - self.began) / (step + 1 - self.first):.3f} s a step", flush=True)

    def is_due(self, step, every):
        return (step + 1) % every == 0 or step + 1 == self.steps

    def save(self, step):
        torch.save({"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict(), "step": step + 1},
                   self.last + ".part")
        os.replace(self.last + ".part", self.last)
