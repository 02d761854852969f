#!/usr/bin/python3
"""Writes the reference numbers that tests/engine/score_spread_test.cpp compares with:
score_spread.safetensors, beside this script.

    /usr/bin/python3 tests/golden/make_score_spread.py        (Debian: python3-torch)

Queries and keys are drawn in float32 from the normal distribution. spread.D is [2, 3], with scale 1
and with 1/√D: the deviation of the scores, a row's largest weight, and the Frobenius norm of the
derivative of a row's weights by its scores, which autograd gives; both of these mean over the rows.
In float64, rounded once.
"""
import torch

from make_golden import HERE, write_safetensors

TOKENS = 20


def spread(queries, keys, scale):
    scores = queries.double() @ keys.double().T * scale
    attention = scores.softmax(-1)
    gradients = [torch.autograd.functional.jacobian(lambda s: s.softmax(-1), row).norm()
                 for row in scores]
    return torch.stack([scores.std(unbiased=False), attention.amax(-1).mean(),
                        torch.stack(gradients).mean()])


def main():
    torch.manual_seed(0)
    tensors = {}
    for width in (2, 16, 64, 256):
        queries, keys = torch.randn(TOKENS, width), torch.randn(TOKENS + 3, width)
        tensors[f"queries.{width}"], tensors[f"keys.{width}"] = queries, keys
        tensors[f"spread.{width}"] = torch.stack(
            [spread(queries, keys, scale) for scale in (1, width ** -0.5)]).float()
        print(width, tensors[f"spread.{width}"].tolist())
    write_safetensors(HERE / "score_spread.safetensors", tensors)


if __name__ == "__main__":
    main()
