#!/usr/bin/python3
"""One attention layer that reads two marked cards, by PyTorch: its loss, autograd's gradient, and Adam's steps.

    /usr/bin/python3 tests/golden/make_why_heads.py        (Debian: python3-torch)

why_heads.safetensors: samples [12, 8] (six symbols, the card marked A, the card marked B), weights [1, 472] (W_Q, W_K,
W_V [16, 7], W_O [8, 16], b [8], row by row); for 1, 2 and 4 heads HEADS.loss [1, 1], HEADS.gradient [1, 472] and
HEADS.trained [1, 472] after 20 steps of torch.optim.Adam with rate 0.03, and HEADS.attention [HEADS, 7] of sample 0.
"""
import torch

from make_recurrent import HERE, write_safetensors

SHAPES = ((16, 7), (16, 7), (16, 7), (8, 16), (8,))


def tokens(samples):
    x = torch.zeros(len(samples), 7, 7, dtype=torch.float64)
    x[:, 0, 0] = 1
    for sample, row in enumerate(samples):
        for card in range(6):
            x[sample, card + 1, 1 + int(row[card])] = 1
        x[sample, int(row[6]) + 1, 5] = 1
        x[sample, int(row[7]) + 1, 6] = 1
    return x


def layer(weights, heads, x):
    parts, at = [], 0
    for shape in SHAPES:
        size = torch.Size(shape).numel()
        parts.append(weights[at:at + size].view(shape))
        at += size
    q, k, v, out, bias = parts
    split = lambda t: t.unflatten(-1, (heads, 16 // heads)).transpose(1, 2)
    marks, symbols = x.clone(), torch.zeros_like(x)
    symbols[..., 1:5] = x[..., 1:5]
    marks[..., 1:5] = 0
    queries, keys, values = split(marks[:, :1] @ q.T), split(marks @ k.T), split(symbols @ v.T)
    attention = torch.softmax(queries @ keys.transpose(-2, -1) / (16 // heads) ** 0.5, dim=-1)
    return (attention @ values).transpose(1, 2).flatten(2)[:, 0] @ out.T + bias, attention[:, :, 0]


def loss(weights, heads, x, a, b):
    logits = layer(weights, heads, x)[0]
    entropy = torch.nn.functional.cross_entropy
    return entropy(logits[:, :4], a) + entropy(logits[:, 4:], b)


def main():
    torch.manual_seed(8)
    marks = torch.stack([torch.randperm(6)[:2] for _ in range(12)])
    samples = torch.cat([torch.randint(4, (12, 6)), marks], dim=1)
    x = tokens(samples)
    a, b = (samples.gather(1, marks[:, i:i + 1])[:, 0] for i in (0, 1))
    start = (torch.randn(472) * 0.4).double()
    made = {"samples": samples.float(), "weights": start[None]}
    for heads in (1, 2, 4):
        weights = start.clone().requires_grad_()
        first = loss(weights, heads, x, a, b)
        made[f"{heads}.loss"] = first[None, None]
        made[f"{heads}.gradient"] = torch.autograd.grad(first, weights)[0][None]
        made[f"{heads}.attention"] = layer(weights, heads, x)[1][0]
        optimizer = torch.optim.Adam([weights], lr=0.03)
        for _ in range(20):
            optimizer.zero_grad()
            loss(weights, heads, x, a, b).backward()
            optimizer.step()
        made[f"{heads}.trained"] = weights[None]
    write_safetensors(HERE / "why_heads.safetensors", made)


if __name__ == "__main__":
    main()
