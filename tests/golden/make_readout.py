#!/usr/bin/python3
"""Writes the reference numbers that tests/engine/readout_test.cpp compares with: readout.safetensors,
beside this script.

    /usr/bin/python3 tests/golden/make_readout.py        (Debian: python3-torch)

NAME.tokens [P, D] and NAME.targets [P, T], float32; NAME.left_out [1, T]: R² of each target where
every token is read by a map that numpy.linalg.lstsq fitted to all others. The map has an intercept,
and its penalty is 1e-3 of the mean squared length of a token from the mean of all, as rows of
sqrt(penalty) times the unit matrix under the tokens. NAME.taught [1, T]: the same of the last third
of the rows, read by one map that was fitted to the others. In float64, rounded once.
"""
import numpy
import torch

from make_golden import HERE, write_safetensors

RIDGE = 1e-3
CASES = {"narrow": (40, 6, 2), "square": (24, 24, 2), "wide": (30, 90, 3)}


def penalty_of(tokens):
    return RIDGE * ((tokens - tokens.mean(0)) ** 2).sum() / len(tokens)


def fitted(tokens, targets, penalty):
    """Weights [D, T] and intercept [T] of least squares over the rows and those of the penalty."""
    rows = numpy.hstack([tokens, numpy.ones((len(tokens), 1))])
    held = numpy.sqrt(penalty) * numpy.eye(rows.shape[1])[:-1]  # not the intercept
    found = numpy.linalg.lstsq(numpy.vstack([rows, held]),
                               numpy.vstack([targets, numpy.zeros((len(held), targets.shape[1]))]),
                               rcond=None)[0]
    return found[:-1], found[-1]


def r_squared(targets, read):
    return 1 - ((targets - read) ** 2).sum(0) / ((targets - targets.mean(0)) ** 2).sum(0)


def left_out(tokens, targets):
    penalty, read = penalty_of(tokens), numpy.empty_like(targets)
    for i in range(len(tokens)):
        others = numpy.arange(len(tokens)) != i
        weight, offset = fitted(tokens[others], targets[others], penalty)
        read[i] = tokens[i] @ weight + offset
    return r_squared(targets, read)


def taught(tokens, targets):
    first = len(tokens) - len(tokens) // 3
    weight, offset = fitted(tokens[:first], targets[:first], penalty_of(tokens[:first]))
    return r_squared(targets[first:], tokens[first:] @ weight + offset)


def main():
    drawn, found = numpy.random.default_rng(20), {}
    for name, (rows, width, count) in CASES.items():
        tokens = (drawn.normal(size=(rows, width)) + drawn.normal(size=width)).astype(numpy.float32)
        known = tokens.astype(numpy.float64) @ drawn.normal(size=(width, count))
        targets = (known + drawn.normal(size=known.shape)).astype(numpy.float32)
        wide = tokens.astype(numpy.float64), targets.astype(numpy.float64)
        found |= {f"{name}.tokens": tokens, f"{name}.targets": targets,
                  f"{name}.left_out": left_out(*wide)[None].astype(numpy.float32),
                  f"{name}.taught": taught(*wide)[None].astype(numpy.float32)}
    write_safetensors(HERE / "readout.safetensors",
                      {name: torch.from_numpy(value) for name, value in found.items()})


if __name__ == "__main__":
    main()
