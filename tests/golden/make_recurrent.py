#!/usr/bin/python3
"""torch.nn.RNN, torch.nn.LSTM and attention without weights on one sequence, and the gradients by autograd.

    /usr/bin/python3 tests/golden/make_recurrent.py        (Debian: python3-torch)

recurrent.safetensors: tokens [24, 5]; rnn.input, rnn.hidden, rnn.bias, lstm.* as PyTorch has them, both biases
added up; rnn.states and lstm.states [24, 6], attention.weights [1, 24]; NAME.gradient [1, 24], the norm of the
gradient of the sum of the last output for each token.
"""
import json
import pathlib
import struct

import torch

HERE = pathlib.Path(__file__).resolve().parent


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        raw = tensor.detach().contiguous().numpy().astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def gradient(y, tokens):
    return torch.autograd.grad(y, tokens)[0].reshape(-1, tokens.shape[-1]).norm(dim=1)[None]


def main():
    torch.manual_seed(4)
    tokens = torch.randn(1, 24, 5, dtype=torch.float64).requires_grad_()
    made = {"tokens": tokens[0]}
    for name, kind in (("rnn", torch.nn.RNN), ("lstm", torch.nn.LSTM)):
        network = kind(5, 6, batch_first=True).double()
        # Rounded to float32, as the file has them, before anything is computed.
        network = network.float().double()
        given = tokens.detach().float().double().requires_grad_()
        states = network(given)[0]
        made[name + ".input"] = network.weight_ih_l0
        made[name + ".hidden"] = network.weight_hh_l0
        made[name + ".bias"] = (network.bias_ih_l0 + network.bias_hh_l0)[None]
        made[name + ".states"] = states[0]
        made[name + ".gradient"] = gradient(states[0, -1].sum(), given)
    given = tokens.detach().float().double()[0].requires_grad_()
    weights = torch.softmax(given[-1] @ given.T / 5 ** 0.5, dim=-1)
    made["attention.weights"] = weights[None]
    made["attention.gradient"] = gradient((weights @ given).sum(), given)
    write_safetensors(HERE / "recurrent.safetensors", made)


if __name__ == "__main__":
    main()
