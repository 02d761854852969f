#!/usr/bin/env python3
"""Writes checkpoints as torch.save leaves them, and what PyTorch itself says that they hold:

    python3 tests/golden/make_pickles.py        (Debian: python3-torch, 1.13)

tests/golden/pickles/NAME.pth with their numbers in expected.safetensors, as NAME/TENSOR. Those in `refused` hold no
state_dict that Headlight reads.
"""
import argparse
import collections
import json
import struct
import zipfile
from pathlib import Path

import numpy
import torch

FOLDER = Path(__file__).parent / "pickles"
SHAPES = {"cls_token": (1, 1, 4), "norm.bias": (4,), "proj.weight": (4, 3)}


def weights(seed):
    torch.manual_seed(seed)
    return collections.OrderedDict((name, torch.randn(*shape)) for name, shape in SHAPES.items())


def prefixed(tensors, prefix):
    return {prefix + name: tensor for name, tensor in tensors.items()}


def views():
    """Tensors that are not contiguous, share a storage, repeat their numbers, or are empty."""
    whole = torch.randn(6, 7)
    return {"whole": whole, "transposed": whole.t(), "steps": whole[1:6:2, 1:7:3], "row": whole[2],
            "column": whole[:, 3], "repeated": whole[0].expand(3, 7), "number": whole[4, 5],
            "permuted": torch.randn(2, 3, 4).permute(2, 0, 1), "none": torch.zeros(0, 3),
            "channels_last": torch.randn(2, 3, 2, 2).to(memory_format=torch.channels_last)}


def types():
    numbers = torch.arange(-3, 5).view(2, 4)
    tensors = {str(kind).split(".")[1]: numbers.to(kind).t()
               for kind in (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32,
                            torch.int16, torch.int8, torch.bool)}
    return {**tensors, "uint8": numbers.abs().to(torch.uint8)}


def with_note(tensor):
    parameter = torch.nn.Parameter(tensor)
    parameter.note = "kept beside it"
    return parameter


def cases():
    """The file, and its valid tensors."""
    good, other = weights(1), weights(2)
    optimizer = {"state": {0: {"exp_avg": torch.ones(9, 9)}}, "param_groups": [{"params": [0]}]}
    head = {"weight": torch.ones(2, 4), "bias": torch.zeros(2)}
    arguments = argparse.Namespace(lr=numpy.float64(0.1), out=Path("x"), kinds={1, 2})
    yield "plain", good, good
    yield "views", views(), None
    yield "types", types(), None
    yield "training", {"state_dict": other, "state_dict_ema": good, "optimizer": optimizer, "args": arguments,
                       "epoch": 3, "best": numpy.float32(0.5), "random": numpy.random.get_state()}, good
    yield "module_ema", {"model": other, "model_ema": prefixed(good, "module.")}, prefixed(good, "module.")
    yield "ema_list", {"model": other, "ema": {"decay": 0.9, "shadow_params": list(good.values())}}, good
    yield "ema_in_part", {"model": other, "ema": {"shadow": {"norm.bias": good["norm.bias"],
                                                             "proj.weight": good["proj.weight"]}}}, \
        {**good, "cls_token": other["cls_token"]}
    yield "teacher", {"student": prefixed(other, "backbone."), "teacher": prefixed(good, "backbone.")}, \
        prefixed(good, "backbone.")
    yield "head_beside", {"backbone": good, "classifier": head}, \
        {**prefixed(good, "backbone."), **prefixed(head, "classifier.")}
    yield "mmengine", {"message_hub": {}, "state_dict": good, "ema_state_dict": other}, good
    yield "lightning", {"state_dict": prefixed(good, "model."), "callbacks": {"Early": {"best": torch.tensor(0.1)}},
                        "hyper_parameters": collections.defaultdict(list, {"a": [1]})}, prefixed(good, "model.")
    yield "parameters", {"net": {name: torch.nn.Parameter(tensor) for name, tensor in good.items()}}, good
    yield "notes", {"net": {name: with_note(tensor) for name, tensor in good.items()}}, good
    yield "in_a_list", [optimizer, {"model": good}], good
    yield "alone", good["proj.weight"], {"alone": good["proj.weight"]}


def refused():
    good = weights(1)
    yield "module", torch.nn.Linear(3, 2)
    yield "module_as_ema", {"model": good, "ema": torch.nn.Linear(3, 2)}
    yield "sparse", {**good, "proj.weight": good["proj.weight"].to_sparse()}
    yield "complex", {**good, "proj.weight": good["proj.weight"].to(torch.complex64)}
    yield "quantized", {**good, "proj.weight": torch.quantize_per_tensor(good["proj.weight"], 0.1, 0, torch.qint8)}
    yield "no_weights", {"epoch": 3, "loss": torch.tensor(1.0)}


def write_expected(tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        numbers = tensor.detach().to(torch.float32).contiguous().numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(numbers)]}
        data += numbers
    text = json.dumps(header).encode()
    (FOLDER / "expected.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)


def write_deflated():
    """An archive that another program has repacked."""
    with zipfile.ZipFile(FOLDER / "training.pth") as packed, \
            zipfile.ZipFile(FOLDER / "deflated.pth", "w", zipfile.ZIP_DEFLATED) as out:
        for name in packed.namelist():
            out.writestr(zipfile.ZipInfo(name), packed.read(name), zipfile.ZIP_DEFLATED)


def write_model():
    """A model whose buffers are compared with a formula: its weights may be zeros, its buffers may not."""
    data = (FOLDER.parent / "families" / "swin_authors.model.safetensors").read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    kinds = {"F32": numpy.float32, "I64": numpy.int64}
    tensors = {name: torch.from_numpy(numpy.frombuffer(data, kinds[about["dtype"]], numpy.prod(about["shape"], dtype=int),
                                                       8 + size + about["data_offsets"][0]).reshape(about["shape"]).copy())
               for name, about in json.loads(data[8:8 + size]).items() if name != "__metadata__"}
    (FOLDER / "models").mkdir(exist_ok=True)
    torch.save({"model": tensors}, FOLDER / "models" / "swin_authors.pth")


def main():
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "refused").mkdir(exist_ok=True)
    expected = {}
    for name, saved, right in cases():
        torch.save(saved, FOLDER / f"{name}.pth")
        expected.update(prefixed(right or saved, name + "/"))
    write_deflated()
    write_model()
    expected.update({"deflated" + name[len("training"):]: tensor for name, tensor in expected.items()
                     if name.startswith("training/")})
    write_expected(expected)
    for name, saved in refused():
        torch.save(saved, FOLDER / "refused" / f"{name}.pth")
    torch.jit.script(torch.nn.Linear(3, 2)).save(str(FOLDER / "refused" / "script.pth"))


if __name__ == "__main__":
    main()
