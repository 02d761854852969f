#!/usr/bin/python3
"""Attention among four points of the plane that learns W_Q and W_K, by PyTorch's autograd and SGD.

    /usr/bin/python3 tests/golden/make_toy.py        (Debian: python3-torch)

toy.safetensors: points [4, 2], weights [1, 8] (W_Q, then W_K, row by row), attention [4, 4], loss [1, 1] and
gradient [1, 8] at the start; trained [1, 8] and losses [1, 201] after 200 steps of torch.optim.SGD with rate 0.5.
Each point should attend to the next one, and the last to the first.
"""
import torch

from make_recurrent import HERE, write_safetensors

POINTS = torch.tensor([[1.4, 0.35], [1.1, 0.92], [-0.8, 1.1], [0.2, -1.3]]).double()
START = torch.tensor([0.3, 0.1, -0.1, 0.3, 0.3, -0.1, 0.1, 0.3]).double()


def main():
    weights = START.clone().requires_grad_()
    targets = torch.tensor([1, 2, 3, 0])

    def scores():
        queries, keys = POINTS.float().double() @ weights[:4].view(2, 2).T, POINTS.float().double() @ weights[4:].view(2, 2).T
        return queries @ keys.T / 2 ** 0.5

    loss = torch.nn.functional.cross_entropy
    first = loss(scores(), targets)
    made = {"points": POINTS, "weights": START[None], "attention": scores().softmax(-1), "loss": first[None, None],
            "gradient": torch.autograd.grad(first, weights)[0][None]}
    optimizer = torch.optim.SGD([weights], lr=0.5)
    losses = []
    for _ in range(200):
        optimizer.zero_grad()
        now = loss(scores(), targets)
        losses.append(now.item())
        now.backward()
        optimizer.step()
    losses.append(loss(scores(), targets).item())
    made["trained"] = weights[None]
    made["losses"] = torch.tensor(losses)[None]
    write_safetensors(HERE / "toy.safetensors", made)
    print("loss", losses[0], losses[-1])


if __name__ == "__main__":
    main()
