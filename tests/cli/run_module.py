#!/usr/bin/env python3
"""Runs a class that `headlight torch --module` wrote on the input of a trace, and compares with its output.

    run_module.py CLASS.py MODEL.safetensors TRACE.safetensors LAYER [PREFIX]

Weights are those of the model's file whose names end like the class's. Exit: 0 within 1e-5 of the largest
number; 1 otherwise; 77 without PyTorch.
"""

import json
import os
import runpy
import struct
import sys

sys.path[:] = [path for path in sys.path if path != os.path.dirname(os.path.abspath(__file__))]
try:
    import torch
except ImportError as missing:
    print(missing)
    sys.exit(77)


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    body = data[8 + size:]
    return {name: torch.frombuffer(bytearray(body[slice(*about["data_offsets"])]), dtype=torch.float32)
            .reshape(about["shape"])
            for name, about in json.loads(data[8:8 + size]).items()
            if name != "__metadata__" and about["dtype"] == "F32"}


def weight_for(name, weights, prefix):
    found = [w for key, w in weights.items() if key.startswith(prefix) and (key == name or key.endswith("." + name))]
    assert len(found) == 1, f"{len(found)} weights are called {name}"
    return found[0]


def main(file, model, trace, layer, prefix=""):
    names = runpy.run_path(file)
    layer_class = names.get("Layer") or names["Attention"]
    module = layer_class().eval()
    weights, numbers = read(model), read(trace)
    module.load_state_dict({name: weight_for(name, weights, prefix) for name in module.state_dict()})
    before = int(layer) - 1
    entering = numbers.get(f"layer.{before}.output") if before >= 0 else numbers["tokens.input"]
    with torch.no_grad():
        found = module(entering)
    expected = numbers[f"layer.{layer}.output"]
    error = ((found - expected).abs().max() / expected.abs().max()).item()
    print(f"largest error / largest value {error:.1e}")
    return 0 if error < 1e-5 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
