#!/usr/bin/python3
"""Writes the reference numbers that tests/engine/heads_golden_test.cpp compares with: what is asked of
all heads of a model at once. Beside this script:

    heads.model.safetensors   random weights under timm's names: 2 layers of 3 heads, LayerScale
    heads.config.json         what tensors so small cannot say
    heads.safetensors         two pictures (normalised), and what is asked of the model on them

    /usr/bin/python3 tests/golden/make_heads.py        (Debian: python3-torch)

Everything follows in float64 from float32 weights and pixels by the formulas below, each intervention
by running the whole model again, and is rounded to float32 once. Nothing here knows how Headlight
computes it: the contributions, which Headlight finds layer by layer, are the logit's gradient with
respect to each part of the last stream, times that part.
"""
import json

import torch
from torch.nn import functional as F

from families.timm import VisionTransformer
from make_golden import HERE, write_safetensors

WIDTH, HEADS, LAYERS, PATCH, GRID, CLASSES, EPS = 24, 3, 2, 4, 3, 5, 1e-6
SIZE = PATCH * GRID
TOKEN = 5  # besides the class token


def picture(seed):
    """The picture of tests/engine/picture.h, normalized by timm's default: [1, 3, H, W]."""
    y, x, c = torch.meshgrid(torch.arange(SIZE), torch.arange(SIZE), torch.arange(3), indexing="ij")
    bytes_ = (seed + 7 * y + 13 * x + x * y * (c + 1)) % 256
    pixels = (bytes_.double() / 255 - 0.5) / 0.5
    return pixels.permute(2, 0, 1)[None]


def norm(w, name, x):
    return F.layer_norm(x, x.shape[-1:], w[name + ".weight"], w[name + ".bias"], EPS)


class Walk:
    """One run, under interventions: {(what, layer[, head or token]): what takes its place}.

    heads      a head's A·V of all tokens, [N, head_dim]
    stream     a token of what enters a layer, or of what the last one leaves, [D]
    attention  what that branch adds for all tokens, [N, D]; likewise mlp
    """

    def __init__(self, w, pixels, **instead):
        self.w, self.instead = w, instead
        self.stream, self.heads, self.maps = [], {}, {}
        self.attention, self.mlp, self.projected, self.middle = {}, {}, {}, {}
        patches = F.conv2d(pixels, w["patch_embed.proj.weight"], w["patch_embed.proj.bias"],
                           stride=PATCH).flatten(2).mT[0]
        x = torch.cat([w["cls_token"][0], patches]) + w["pos_embed"][0]
        for layer in range(LAYERS):
            x = self.layer(layer, self.patched_tokens(layer, x))
        self.stream.append(self.patched_tokens(LAYERS, x))
        self.logits = self.end(self.stream[-1][0])

    def patched_tokens(self, layer, x):
        x = x.clone()
        for (at, token), row in self.instead.get("stream", {}).items():
            if at == layer:
                x[token] = row
        return x

    def layer(self, layer, x):
        w, at = self.w, f"blocks.{layer}"
        self.stream.append(x)
        qkv = F.linear(norm(w, f"{at}.norm1", x), w[f"{at}.attn.qkv.weight"], w[f"{at}.attn.qkv.bias"])
        query, key, value = (t.unflatten(-1, (HEADS, -1)).transpose(0, 1) for t in qkv.chunk(3, -1))
        self.maps[layer] = (query @ key.mT * query.shape[-1] ** -0.5).softmax(-1)
        mixed = self.maps[layer] @ value
        for head in range(HEADS):
            self.heads[layer, head] = mixed[head]
        mixed = torch.stack([self.instead.get("heads", {}).get((layer, head), mixed[head])
                             for head in range(HEADS)])
        joined = mixed.transpose(0, 1).flatten(1)
        weight, bias = w[f"{at}.attn.proj.weight"], w[f"{at}.attn.proj.bias"]
        self.projected[layer] = [w[f"{at}.ls1.gamma"] * (part @ columns.mT) for part, columns in zip(
            joined.chunk(HEADS, -1), weight.chunk(HEADS, -1))]
        self.attention[layer] = w[f"{at}.ls1.gamma"] * F.linear(joined, weight, bias)
        x = x + self.instead.get("attention", {}).get(layer, self.attention[layer])
        self.middle[layer] = x
        hidden = F.gelu(F.linear(norm(w, f"{at}.norm2", x), w[f"{at}.mlp.fc1.weight"],
                                 w[f"{at}.mlp.fc1.bias"]))
        self.mlp[layer] = w[f"{at}.ls2.gamma"] * F.linear(hidden, w[f"{at}.mlp.fc2.weight"],
                                                          w[f"{at}.mlp.fc2.bias"])
        return x + self.instead.get("mlp", {}).get(layer, self.mlp[layer])

    def end(self, row):
        return F.linear(norm(self.w, "norm", row), self.w["head.weight"], self.w["head.bias"])

    def answer(self, of_class):
        """Probability and logit."""
        return torch.stack([self.logits.softmax(-1)[of_class], self.logits[of_class]])


def lens(walk, token):
    return torch.stack([walk.end(stream[token]) for stream in walk.stream])


def contributions(walk, of_class):
    """To the class's logit, with the final norm's standard deviation frozen: {name: numbers}."""
    row = walk.stream[-1][0]
    centered = row - row.mean()
    deviation = (centered.square().mean() + EPS).sqrt()
    weight = walk.w["head.weight"][of_class]

    def frozen(x):
        return ((x - x.mean()) / deviation * walk.w["norm.weight"]) @ weight

    gradient = torch.autograd.functional.jacobian(frozen, torch.zeros_like(row))
    bias = [walk.w[f"blocks.{b}.ls1.gamma"] * walk.w[f"blocks.{b}.attn.proj.bias"]
            for b in range(LAYERS)]
    return {
        "input": gradient @ walk.stream[0][0],
        "heads": torch.stack([torch.stack([gradient @ part[0] for part in walk.projected[b]])
                              for b in range(LAYERS)]),
        "rest": torch.stack([gradient @ b for b in bias]),
        "mlp": torch.stack([gradient @ walk.mlp[b][0] for b in range(LAYERS)]),
        "end": walk.w["norm.bias"] @ weight + walk.w["head.bias"][of_class],
        "logit": walk.logits[of_class]}


def effects(w, pixels, of_class, interventions):
    """Probability and logit with each intervention minus those without: [.., 2], in order."""
    usual = Walk(w, pixels).answer(of_class)
    return torch.stack([Walk(w, pixels, **instead).answer(of_class) - usual
                        for instead in interventions])


def each_head(walk, what):
    return [{"heads": {(b, h): what(walk.heads[b, h])}} for b in range(LAYERS) for h in range(HEADS)]


def rings(maps):
    """[H, rings]: the attention of a patch on those at that rounded distance; mean over patches.
    And the same for uniform attention: [rings]."""
    y, x = torch.meshgrid(torch.arange(GRID), torch.arange(GRID), indexing="ij")
    places = torch.stack([y, x], -1).reshape(-1, 2).double()
    ring = (places[:, None] - places[None]).pow(2).sum(-1).sqrt().add(0.5).floor().long()
    among = maps[:, 1:, 1:]
    found = [torch.where(ring == r, among, 0).sum(-1).mean(-1) for r in range(int(ring.max()) + 1)]
    even = [(ring == r).double().sum(-1).mean() / maps.shape[-1]
            for r in range(int(ring.max()) + 1)]
    return torch.stack(found, -1), torch.stack(even)


@torch.no_grad()
def main():
    torch.manual_seed(0)
    model = VisionTransformer(WIDTH, HEADS, LAYERS, 48, PATCH, (GRID, GRID), layer_scale=True,
                              classes=CLASSES)
    file = model.file()
    write_safetensors(HERE / "heads.model.safetensors", file)
    (HERE / "heads.config.json").write_text(json.dumps({"num_heads": HEADS}, indent=2) + "\n")
    w = {name: tensor.double() for name, tensor in file.items()}
    now, before = picture(0), picture(100)
    walk, other = Walk(w, now), Walk(w, before)
    of_class = int(walk.logits.argmax())
    out = {"pixels.now": now, "pixels.before": before, "logits": walk.logits,
           "class": torch.tensor([float(of_class)]),
           "lens.class_token": lens(walk, 0), "lens.token": lens(walk, TOKEN)}
    with torch.enable_grad():
        out |= {f"contributions.{name}": value.reshape(-1) if value.dim() < 2 else value
                for name, value in contributions(walk, of_class).items()}
    assert abs(sum(out[f"contributions.{n}"].sum() for n in ("input", "heads", "rest", "mlp", "end"))
               - walk.logits[of_class]) < 1e-12
    out["off"] = effects(w, now, of_class, each_head(walk, torch.zeros_like))
    out["level"] = effects(w, now, of_class, each_head(
        walk, lambda mixed: mixed.mean(0, keepdim=True).expand_as(mixed)))
    out["patched.heads"] = effects(w, now, of_class, [
        {"heads": {place: other.heads[place]}}
        for place in ((b, h) for b in range(LAYERS) for h in range(HEADS))])
    out["patched.tokens"] = effects(w, now, of_class, [
        {"stream": {(l, t): other.stream[l][t]}}
        for l in range(LAYERS + 1) for t in range(len(walk.stream[0]))])
    out["patched.layers"] = effects(w, now, of_class, [
        {branch: {b: getattr(other, branch)[b]} for branch in branches}
        for b in range(LAYERS) for branches in (["attention"], ["mlp"], ["attention", "mlp"])])
    out["branches"] = torch.stack([torch.stack([
        walk.attention[b].norm(dim=-1) / walk.stream[b].norm(dim=-1),
        walk.mlp[b].norm(dim=-1) / walk.middle[b].norm(dim=-1)]) for b in range(LAYERS)])
    for b in range(LAYERS):
        out[f"rings.{b}"], out["rings.even"] = rings(walk.maps[b])
    write_safetensors(HERE / "heads.safetensors",
                      {name: tensor.detach().float() for name, tensor in out.items()})


if __name__ == "__main__":
    main()
