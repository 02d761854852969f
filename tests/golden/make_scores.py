#!/usr/bin/python3
"""Writes the reference numbers of a layer's other scores, weights and projections, with which
tests/cli/cli_test.cpp compares.

    /usr/bin/python3 tests/golden/make_scores.py        (Debian: python3-torch)

scores/NAME.{model,input,}.safetensors, as make_golden.py writes its cases: weights and inputs are
drawn in float32, what is made of them is computed in float64 and rounded once.
"""
import math

import torch
from torch import nn
from torch.nn import functional

from make_golden import HERE, relative_error, write_safetensors

DIM, CHANNELS, HEADS, HIDDEN = 10, 12, 3, 5
SAMPLES, TOKENS = 2, 7


class Layer(nn.Module):
    """T2T's attention with another score function. `score` is named as in --attention."""

    def __init__(self, score="scaled_dot", weights_from="softmax", relu=False, over="keys"):
        super().__init__()
        self.score_name, self.weights_from, self.relu, self.over = score, weights_from, relu, over
        self.qkv, self.proj = nn.Linear(DIM, 3 * CHANNELS), nn.Linear(CHANNELS, CHANNELS)
        width = CHANNELS // HEADS
        shapes = {"general": (HEADS, width, width), "additive": (HEADS, HIDDEN, 2 * width),
                  "location": (HEADS, TOKENS, width)}
        if score in shapes:
            self.score = nn.Module()
            self.score.weight = nn.Parameter(torch.randn(shapes[score]))
        if score == "additive":
            self.score.v = nn.Parameter(torch.randn(HEADS, HIDDEN))

    def scores(self, query, key):
        """[B, H, N, hd] and [B, H, M, hd] to [B, H, N, M]."""
        if self.score_name == "scaled_dot":
            return query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        if self.score_name == "dot":
            return query @ key.transpose(-2, -1)
        if self.score_name == "cosine":
            lengths = query.norm(dim=-1)[..., :, None] * key.norm(dim=-1)[..., None, :]
            return (query @ key.transpose(-2, -1) / lengths).nan_to_num(0.0)
        if self.score_name == "general":
            return torch.einsum("bhnd,hde,bhme->bhnm", query, self.score.weight, key)
        if self.score_name == "location":
            return torch.einsum("hmd,bhnd->bhnm", self.score.weight, query)
        pairs = torch.cat([query[..., :, None, :].expand(*[-1] * 3, key.shape[-2], -1),
                           key[..., None, :, :].expand(*[-1] * 2, query.shape[-2], *[-1] * 2)], -1)
        bent = torch.einsum("had,bhnmd->bhnma", self.score.weight, pairs).tanh()
        return torch.einsum("ha,bhnma->bhnm", self.score.v, bent)

    def steps(self, tokens):
        bend = functional.relu if self.relu else lambda x: x
        query, key, value = bend(self.qkv(tokens)).chunk(3, dim=-1)
        found = attend(self, *(x.unflatten(-1, (HEADS, -1)).transpose(1, 2)
                               for x in (query, key, value)))
        found["projection"] = self.proj(found["heads"].transpose(1, 2).flatten(-2))
        if self.relu:
            found["projection_activated"] = bend(found["projection"])
        found["output"] = bend(found["projection"]) + value
        return found


class Plain(nn.Module):
    """softmax(X·Xᵀ)·X. Its weights are not used."""

    def __init__(self):
        super().__init__()
        self.qkv, self.proj = nn.Linear(DIM, 3 * CHANNELS), nn.Linear(CHANNELS, CHANNELS)
        self.weights_from, self.over = "softmax", "keys"

    def scores(self, query, key):
        return query @ key.transpose(-2, -1)

    def steps(self, tokens):
        found = attend(self, *[tokens[:, None]] * 3)
        found["output"] = found["heads"][:, 0]
        return found


def attend(layer, query, key, value):
    scores = layer.scores(query, key)
    if layer.weights_from == "max":
        attention = functional.one_hot(scores.argmax(dim=-1), scores.shape[-1]).to(scores.dtype)
    else:
        attention = scores.softmax(dim=-1)
    found = {"query": query, "key": key, "value": value, "scores": scores, "attention": attention}
    if layer.over == "keys":
        return found | {"heads": attention @ value}
    turned = attention.transpose(-2, -1)  # as Keras' Dot(axes=1) has it
    return found | {"attention_turned": turned, "heads": turned @ value}


@torch.no_grad()
def write_case(name, layer):
    tokens = torch.randn(SAMPLES, TOKENS, DIM)
    in_float = layer.steps(tokens)
    model = {key: value.clone() for key, value in layer.state_dict().items()}
    exact = layer.double().steps(tokens.double())
    for step, tensor in exact.items():
        print(f"{name:12} {step:20} {str(list(tensor.shape)):20} "
              f"PyTorch float32 {relative_error(in_float[step], tensor):.1e}")
    folder = HERE / "scores"
    write_safetensors(folder / f"{name}.model.safetensors", model)
    write_safetensors(folder / f"{name}.input.safetensors", {"tokens": tokens})
    write_safetensors(folder / f"{name}.safetensors",
                      {f"layer.0.{step}": tensor.float() for step, tensor in exact.items()})


def main():
    torch.manual_seed(0)
    for score in ("dot", "cosine", "general", "additive", "location"):
        write_case(score, Layer(score))
    write_case("max", Layer(weights_from="max"))
    write_case("relu", Layer(relu=True))
    write_case("plain", Plain())
    write_case("queries", Layer(over="queries"))


if __name__ == "__main__":
    main()
