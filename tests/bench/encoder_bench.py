#!/usr/bin/python3
"""A forward pass of whole models beside PyTorch's, and what a walk through them costs.

    /usr/bin/python3 tests/bench/encoder_bench.py build/release/tests/bench

Debian: python3-torch, and OpenBLAS for it (apt-get install libopenblas0-pthread), for its products
are some fifty times slower with the reference BLAS. The models get random weights, the same for
both. Headlight, PyTorch (eager, without gradients) and oneDNN's plain products of the same shapes
take turns; the best time of each counts, for on a busy machine only that says something about the
code. Every layer's attention is there to be looked at until the next layer is done, in both.

`ratio` is PyTorch's time by ours, `plain` that of the plain products by ours: 1 would mean that all
beside the products costs nothing.
"""
import argparse
import ctypes
import json
import os
import pathlib
import struct
import subprocess
import tempfile
import time

import torch
from torch.nn import functional as F

HEAD_DIM, LAYERS, CLASSES = 64, 12, 1000
MODELS = {  # width, patch size, image size
    "ViT-Ti/16 224": (192, 16, 224),
    "ViT-S/16 224": (384, 16, 224),
    "ViT-B/16 224": (768, 16, 224),
    "ViT-S/8 480": (384, 8, 480),
}
SLOWEST_BLAS = 20  # GFLOP/s of one thread; the reference BLAS has 2, OpenBLAS 30 to 100


def write_safetensors(path, tensors):
    header, offset = {}, 0
    for name, tensor in tensors.items():
        end = offset + tensor.numel() * 4
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors.values():
            file.write(tensor.contiguous().numpy().tobytes())


def draw_model(width, patch, size):
    """timm's names. Large enough that attention is not uniform."""
    torch.manual_seed(width + size)
    weights = {}

    def linear(name, outputs, inputs, *kernel):
        weights[f"{name}.weight"] = torch.randn(outputs, inputs, *kernel) * (
            inputs * patch ** len(kernel)) ** -0.5
        weights[f"{name}.bias"] = torch.randn(outputs) * 0.1

    def norm(name):
        weights[f"{name}.weight"] = 1 + 0.1 * torch.randn(width)
        weights[f"{name}.bias"] = 0.1 * torch.randn(width)

    weights["cls_token"] = torch.randn(1, 1, width)
    weights["pos_embed"] = torch.randn(1, (size // patch) ** 2 + 1, width) * 0.5
    linear("patch_embed.proj", width, 3, patch, patch)
    for layer in range(LAYERS):
        norm(f"blocks.{layer}.norm1")
        linear(f"blocks.{layer}.attn.qkv", 3 * width, width)
        linear(f"blocks.{layer}.attn.proj", width, width)
        norm(f"blocks.{layer}.norm2")
        linear(f"blocks.{layer}.mlp.fc1", 4 * width, width)
        linear(f"blocks.{layer}.mlp.fc2", width, 4 * width)
    norm("norm")
    linear("head", CLASSES, width)
    return weights


class VisionTransformer:
    """timm's model, computed as in its eager code; `attention` is the last layer's."""

    def __init__(self, weights):
        self.w = weights
        self.attention = None

    def linear(self, name, x):
        return F.linear(x, self.w[f"{name}.weight"], self.w[f"{name}.bias"])

    def norm(self, name, x):
        return F.layer_norm(x, x.shape[-1:], self.w[f"{name}.weight"], self.w[f"{name}.bias"], 1e-6)

    def attend(self, name, x):
        batch, tokens, width = x.shape
        heads = width // HEAD_DIM
        qkv = self.linear(f"{name}.qkv", x).reshape(batch, tokens, 3, heads, HEAD_DIM)
        query, key, value = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        self.attention = (query @ key.transpose(-2, -1) * HEAD_DIM ** -0.5).softmax(-1)
        heads_side_by_side = (self.attention @ value).transpose(1, 2).reshape(batch, tokens, width)
        return self.linear(f"{name}.proj", heads_side_by_side)

    @torch.inference_mode()
    def __call__(self, pixels):
        kernel = self.w["patch_embed.proj.weight"]
        x = F.conv2d(pixels, kernel, self.w["patch_embed.proj.bias"], stride=kernel.shape[-1])
        x = torch.cat([self.w["cls_token"], x.flatten(2).transpose(1, 2)], 1) + self.w["pos_embed"]
        for layer in range(LAYERS):
            name = f"blocks.{layer}"
            x = x + self.attend(f"{name}.attn", self.norm(f"{name}.norm1", x))
            hidden = F.gelu(self.linear(f"{name}.mlp.fc1", self.norm(f"{name}.norm2", x)))
            x = x + self.linear(f"{name}.mlp.fc2", hidden)
        return self.linear("head", self.norm("norm", x)[:, 0])


class Headlight:
    """The program encoder_bench.cpp, which waits for commands."""

    def __init__(self, binary, model, pixels):
        self.process = subprocess.Popen([binary, model, pixels], text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, command):
        print(command, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"encoder_bench ended at '{command}'")
        return answer.split()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def products_of(width, patch, size):
    """Multiplications and additions in all products of a forward pass."""
    patches = (size // patch) ** 2
    tokens = patches + 1
    layer = tokens * width * 12 * width + 2 * tokens * tokens * width
    return 2 * (patches * 3 * patch ** 2 * width + LAYERS * layer + width * CLASSES)


def seconds_of(work):
    """Wall-clock and processor time."""
    wall, spent = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - spent


def use_threads(count):
    """OpenBLAS has threads of its own, which torch.set_num_threads does not control."""
    torch.set_num_threads(count)
    try:
        ctypes.CDLL("libopenblas.so.0").openblas_set_num_threads(count)
    except OSError:  # another BLAS
        pass


def refuse_slow_blas():
    use_threads(1)
    a = torch.randn(1024, 1024)
    speed = 2e-9 * 1024 ** 3 / min(seconds_of(lambda: a @ a)[1] for _ in range(5))
    if speed < SLOWEST_BLAS:
        raise SystemExit(
            f"PyTorch's products run at {speed:.1f} GFLOP/s: beside that any program looks fast. "
            "Install OpenBLAS (apt-get install libopenblas0-pthread) and see that "
            "`update-alternatives --list libblas.so.3-x86_64-linux-gnu` has it.")
    print(f"PyTorch {torch.__version__}, products {speed:.0f} GFLOP/s on one thread "
          "(1024 x 1024, processor time)\n")


def compare(headlight, model, pixels, threads, options):
    """Best seconds of all three, alternating; each waits until the other's threads sleep."""
    headlight.ask(f"threads {threads}")
    use_threads(threads)
    clock = 1 if options.cpu else 0
    runners = {
        "ours": lambda: float(headlight.ask("ours")[clock]),
        "torch": lambda: seconds_of(lambda: model(pixels))[clock],
        "plain": lambda: float((headlight.ask("plain") + ["nan"])[clock].replace("none", "nan")),
    }
    best = dict.fromkeys(runners, float("inf"))
    begun = time.monotonic()
    rounds = 0
    while rounds < 2 or (time.monotonic() - begun < options.seconds and rounds < 40):
        for name, run in runners.items():
            time.sleep(0.05)
            best[name] = min(best[name], run())
        rounds += 1
    return best, rounds


def disagreement(headlight, model, pixels):
    """Largest difference of the logits relative to the largest logit."""
    headlight.ask("ours")
    ours = torch.tensor([float(number) for number in headlight.ask("logits")])
    theirs = model(pixels)[0]
    return float((ours - theirs).abs().max() / theirs.abs().max())


def forwards(options, folder):
    print(f"{'model':14} threads   ours ms  GFLOP/s  torch ms   ratio  plain ms   plain   logits")
    for name in options.models:
        width, patch, size = MODELS[name]
        weights = draw_model(width, patch, size)
        model = VisionTransformer(weights)
        pixels = torch.randn(1, 3, size, size)
        write_safetensors(folder / "model.safetensors", weights)
        write_safetensors(folder / "pixels.safetensors", {"pixels": pixels})
        headlight = Headlight(options.folder / "encoder_bench", folder / "model.safetensors",
                              folder / "pixels.safetensors")
        flops = products_of(width, patch, size)
        apart = disagreement(headlight, model, pixels)
        for threads in options.threads:
            best, rounds = compare(headlight, model, pixels, threads, options)
            print(f"{name:14} {threads:7} {best['ours'] * 1e3:9.1f} "
                  f"{flops / best['ours'] * 1e-9:8.1f} {best['torch'] * 1e3:9.1f} "
                  f"{best['torch'] / best['ours']:7.2f} {best['plain'] * 1e3:9.1f} "
                  f"{best['plain'] / best['ours']:7.2f} {apart:8.0e}  best of {rounds}", flush=True)
        headlight.close()
        if apart > 1e-4:
            raise SystemExit(f"{name}: Headlight's logits are not PyTorch's.")


def walks(options, folder):
    """Loading, switching layers, memory: the numbers of walk_bench.cpp."""
    picture = folder / "picture.ppm"
    picture.write_bytes(b"P6 640 480 255\n" + os.urandom(640 * 480 * 3))
    for name in ("ViT-B/16 224", "ViT-S/8 480"):
        width, patch, size = MODELS[name]
        write_safetensors(folder / "model.safetensors", draw_model(width, patch, size))
        print(f"\nA walk through {name}", flush=True)
        subprocess.run([options.folder / "walk_bench", folder / "model.safetensors", picture,
                        str(size)], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="where encoder_bench was built")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--seconds", type=float, default=8, help="for a model and number of threads")
    parser.add_argument("--cpu", action="store_true",
                        help="processor time, for one thread on a busy machine")
    parser.add_argument("--no-walk", action="store_true")
    options = parser.parse_args()
    refuse_slow_blas()
    with tempfile.TemporaryDirectory() as folder:
        forwards(options, pathlib.Path(folder))
        if not options.no_walk:
            walks(options, pathlib.Path(folder))


if __name__ == "__main__":
    main()
