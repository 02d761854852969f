#!/usr/bin/python3
"""Writes the heads that tests/engine/classifier_test.cpp puts on models of tests/golden/families, and
their logits: classifiers.safetensors, beside this script.

    /usr/bin/python3 tests/golden/make_classifiers.py        (Debian: python3-torch)

CASE/NAME: a tensor as training code saves it. CASE//logits [B, classes]: torch.nn's modules, in
float64 and in evaluation, on the rows that the golden file TRUNK.safetensors has as "norm" (of
MODELS in this script): the class token's, or it and the patches' mean side by side.
"""
import json
import struct

import numpy
import torch
from torch import nn
from torch.nn.utils import prune, spectral_norm, weight_norm

from make_golden import HERE, write_safetensors

WIDTH, HIDDEN, CLASSES = 24, 12, 5
torch.manual_seed(0)  # masks and vectors of heads that are made below


def read(path, tensor):
    raw = path.read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    about = json.loads(raw[8:8 + size])[tensor]
    begin, end = about["data_offsets"]
    numbers = numpy.frombuffer(raw[8 + size + begin:8 + size + end], "<f4")
    return torch.tensor(numbers.reshape(about["shape"]), dtype=torch.float64)


def linear(inputs=WIDTH, outputs=CLASSES):
    return nn.Linear(inputs, outputs)


def two(*between):
    return nn.Sequential(linear(WIDTH, HIDDEN), *between, linear(HIDDEN, CLASSES))


class NormAndProduct(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.fc = nn.LayerNorm(WIDTH), linear()

    def forward(self, x):
        return self.fc(self.norm(x))


# Name: the trunk's golden, the head's root in the file, the head, whether it reads two rows.
CASES = {
    "plain": ("torchvision", "heads", linear(), False),
    "sequence": ("torchvision", "heads.0", linear(), False),
    "dropout": ("torchvision", "heads", nn.Sequential(nn.Dropout(), linear()), False),
    "nested": ("torchvision", "heads.head", nn.Sequential(nn.Dropout(), linear()), False),
    "relu": ("torchvision", "heads", two(nn.ReLU()), False),
    "gelu": ("torchvision", "heads", two(nn.GELU(), nn.Dropout()), False),
    "tanh": ("torchvision", "heads.head", two(nn.Tanh()), False),
    "silu": ("timm", "head", two(nn.SiLU()), False),
    "composed": ("torchvision", "heads", two(), False),
    "norm": ("torchvision", "heads", nn.Sequential(nn.LayerNorm(WIDTH), linear()), False),
    "norm_named": ("timm", "head", NormAndProduct(), False),
    "norm_relu": ("timm", "head", nn.Sequential(nn.LayerNorm(WIDTH), linear(WIDTH, HIDDEN),
                                                nn.ReLU(), nn.Dropout(), linear(HIDDEN)), False),
    "batch_norm": ("timm", "head", nn.Sequential(nn.BatchNorm1d(WIDTH), linear()), False),
    "batch_norm_plain": ("timm", "head",
                         nn.Sequential(nn.BatchNorm1d(WIDTH, affine=False), linear()), False),
    "batch_norm_after": ("timm", "head", two(nn.BatchNorm1d(HIDDEN), nn.ReLU()), False),
    "batch_norm_before": ("timm", "head", two(nn.ReLU(), nn.BatchNorm1d(HIDDEN)), False),
    "fc": ("timm", "fc", linear(), False),
    "classifier": ("timm", "classifier", linear(), False),
    "around": ("timm", "fc", nn.Sequential(nn.Dropout(), linear()), False),
    "around_both": ("timm", "linear_head", linear(2 * WIDTH), True),
    "huggingface": ("hf_vit", "classifier", nn.Sequential(nn.Dropout(), linear()), False),
    "weight_norm": ("timm", "head", weight_norm(linear()), False),
    "weight_norm_columns": ("timm", "head", weight_norm(linear(), dim=1), False),
    "weight_norm_whole": ("timm", "fc", weight_norm(linear(), dim=None), False),
    "weight_norm_new": ("timm", "head", weight_norm(linear()), False),
    "weight_norm_last": ("torchvision", "heads",
                         nn.Sequential(nn.Dropout(), weight_norm(linear())), False),
    "spectral_norm": ("timm", "head", spectral_norm(linear()), False),
    "spectral_norm_new": ("timm", "head", nn.utils.parametrizations.spectral_norm(linear()), False),
    "pruned": ("timm", "head", prune.random_unstructured(
        prune.random_unstructured(linear(), "weight", 0.5), "bias", 2), False),
}

# As torch.nn.utils.parametrizations.weight_norm of PyTorch 2 names the same.
NEW_NAMES = {"weight_g": "parametrizations.weight.original0",
             "weight_v": "parametrizations.weight.original1"}


def draw(head, seed):
    torch.manual_seed(seed)
    for module in head.modules():
        if isinstance(module, (nn.LayerNorm, nn.BatchNorm1d)) and module.weight is not None:
            nn.init.normal_(module.weight, 1, 0.3)
            nn.init.normal_(module.bias)
        if isinstance(module, nn.BatchNorm1d):
            module.running_mean.normal_()
            module.running_var.uniform_(0.5, 2)
    for name, parameter in head.named_parameters():
        if parameter.dim() == 2:
            nn.init.normal_(parameter, 0, 0.3)
    return head.eval()


def main():
    written = {}
    for seed, (name, (trunk, root, head, both)) in enumerate(CASES.items()):
        for tensor, value in draw(head, seed).state_dict().items():
            if value.dtype == torch.float32:  # num_batches_tracked follows from the others
                own = NEW_NAMES.get(tensor, tensor) if name.endswith("_new") else tensor
                written[f"{name}/{root}.{own}"] = value.clone()
        rows = read(HERE / "families" / f"{trunk}.safetensors", "norm")
        pooled = torch.cat([rows[:, 0], rows[:, 1:].mean(1)], 1) if both else rows[:, 0]
        with torch.no_grad():
            written[f"{name}//logits"] = head.double()(pooled).float()
    write_safetensors(HERE / "classifiers.safetensors", written)


if __name__ == "__main__":
    main()
