#!/usr/bin/python3
"""Writes the reference numbers that tests/engine/golden_test.cpp and tests/cli compare with.

    /usr/bin/python3 tests/golden/make_golden.py        (Debian: python3-torch)

For each case three files beside this script:
    NAME.model.safetensors   the layer's weights, under PyTorch's own names
    NAME.input.safetensors   what goes in: tokens, or query and value, and masks
    NAME.safetensors         every intermediate, under the names that `headlight trace` writes

Weights and inputs are drawn in float32. The intermediates are computed in float64 from them and
rounded to float32 once: these numbers are right to the last bit, so a difference is the engine's
own. For each tensor the script prints how far PyTorch's float32 is from them, to judge the engine's
error by. `concat` is left out, as it only lists the numbers of `heads` in another order.
"""
import json
import math
import pathlib
import struct

import torch
from torch import nn

HERE = pathlib.Path(__file__).resolve().parent
TYPES = {torch.float32: ("F32", "<f4"), torch.bool: ("BOOL", "|b1"), torch.int64: ("I64", "<i8")}


def write_safetensors(path, tensors):
    """The whole format: header length, JSON header, bytes. (Debian has no safetensors package.)"""
    header, data = {}, b""
    for name, tensor in tensors.items():
        dtype, layout = TYPES[tensor.dtype]
        raw = tensor.detach().contiguous().numpy().astype(layout).tobytes()
        header[name] = {"dtype": dtype, "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


class Attention(nn.Module):
    """The attention layer of T2T-ViT: its output width differs from its input's, so the skip comes
    from V."""

    def __init__(self, dim, chan, num_heads=1, qkv_bias=False, qk_scale=None):
        super().__init__()
        if chan % num_heads != 0:
            raise ValueError(f"{chan} channels cannot be divided among {num_heads} heads")
        self.heads = num_heads
        self.scale = qk_scale or (chan // num_heads) ** -0.5
        self.qkv = nn.Linear(dim, 3 * chan, bias=qkv_bias)
        self.proj = nn.Linear(chan, chan)

    def steps(self, tokens):
        query, key, value = self.qkv(tokens).chunk(3, dim=-1)
        found = attend(query, key, value, self.heads, self.scale)
        found["projection"] = self.proj(found.pop("concat"))
        found["output"] = found["projection"] + value
        return found


def attend(query, key, value, heads, scale, mask=None):
    """From Q, K and V of all heads, [B, N, C], to the concatenated heads. A mask that broadcasts to
    [B, H, N, M] blocks where it is true, or is added if it has numbers."""

    def cut(x):  # [B, N, C] -> [B, H, N, head_dim]
        return x.unflatten(-1, (heads, -1)).transpose(1, 2)

    found = {"query": cut(query), "key": cut(key), "value": cut(value)}
    scores = found["query"] @ found["key"].transpose(-2, -1) * scale
    if mask is not None and mask.dtype == torch.bool:
        scores = scores.masked_fill(mask, -math.inf)
    elif mask is not None:
        scores = scores + mask
    # A row with every key blocked: PyTorch has 0/0, Headlight defines zeros.
    found |= {"scores": scores, "attention": scores.softmax(dim=-1).nan_to_num(0.0)}
    found["heads"] = found["attention"] @ found["value"]
    found["concat"] = found["heads"].transpose(1, 2).flatten(-2)
    return found


def mha_steps(module, query, value, mask=None, key_padding_mask=None):
    """What happens inside torch.nn.MultiheadAttention, checked against the module's own result."""
    weights = module.in_proj_weight.chunk(3)
    biases = module.in_proj_bias.chunk(3) if module.in_proj_bias is not None else [None] * 3
    q, k, v = (nn.functional.linear(x, w, b)
               for x, w, b in zip((query, value, value), weights, biases))
    both = None
    if mask is not None:
        padding = key_padding_mask[:, None, None, :]
        if mask.dtype == torch.bool:
            both = mask | padding
        else:
            both = mask.unflatten(0, (-1, module.num_heads)) + padding
            # PyTorch 2 adds them up so itself; 1.13 cannot yet.
            mask, key_padding_mask = both.flatten(0, 1), None
    found = attend(q, k, v, module.num_heads, module.head_dim ** -0.5, both)
    found["projection"] = module.out_proj(found.pop("concat"))
    found["output"] = found["projection"]

    official, attention = module(query, value, value, attn_mask=mask, average_attn_weights=False,
                                 key_padding_mask=key_padding_mask)
    kept = ~official.isnan()
    assert torch.allclose(official[kept], found["output"][kept], rtol=1e-5, atol=1e-6)
    kept = ~attention.isnan()
    assert torch.allclose(attention[kept], found["attention"][kept], rtol=1e-5, atol=1e-6)
    return found


def relative_error(found, exact):
    finite = exact.isfinite()
    return ((found[finite].double() - exact[finite]).abs().max() / exact[finite].abs().max()).item()


@torch.no_grad()
def write_case(name, module, steps, inputs):
    # Not module.eval(): without dropout it changes no number, and PyTorch 1.13's fast path for
    # evaluation fails where MultiheadAttention has no bias.
    in_float = steps(module, **inputs)
    model = {key: value.clone() for key, value in module.state_dict().items()}
    exact = steps(module.double(),
                  **{key: x.double() if x.is_floating_point() else x for key, x in inputs.items()})
    for step, tensor in exact.items():
        print(f"{name:12} {step:10} {str(list(tensor.shape)):20} "
              f"PyTorch float32 {relative_error(in_float[step], tensor):.1e}")
    write_safetensors(HERE / f"{name}.model.safetensors", model)
    write_safetensors(HERE / f"{name}.input.safetensors", inputs)
    write_safetensors(HERE / f"{name}.safetensors",
                      {f"layer.0.{step}": tensor.float() for step, tensor in exact.items()})


def t2t(module, tokens):
    return module.steps(tokens)


def self_attention(module, tokens):
    return mha_steps(module, tokens, tokens)


def main():
    torch.manual_seed(0)
    # "Attention for Vision Transformers, Explained": 13 samples of 100 tokens of 7·7 numbers.
    tokens = torch.rand(13, 100, 7 * 7)
    write_case("t2t_1", Attention(49, 64, num_heads=1), t2t, {"tokens": tokens})
    write_case("t2t_4", Attention(49, 64, num_heads=4), t2t, {"tokens": tokens})
    # The same module with other parameters, on smaller inputs.
    write_case("t2t_bias", Attention(10, 12, num_heads=3, qkv_bias=True, qk_scale=0.3), t2t,
               {"tokens": torch.randn(2, 7, 10)})

    # "Multi-head Attention from Scratch": 8 clouds of 80 points in 12 dimensions, 2 heads, no bias.
    write_case("mha", nn.MultiheadAttention(12, 2, bias=False, batch_first=True), self_attention,
               {"tokens": torch.randn(8, 80, 12)})

    # Cross-attention with both masks. Query 4 is fully masked, sample 2 has no padding.
    cross = nn.MultiheadAttention(8, 2, batch_first=True)
    nn.init.normal_(cross.in_proj_bias)  # PyTorch begins with zeros, which would test nothing
    nn.init.normal_(cross.out_proj.bias)
    mask = torch.rand(5, 7) < 0.3
    mask[4] = True
    padding = torch.arange(7) >= torch.tensor([[5], [6], [7]])
    write_case("cross", cross, mha_steps,
               {"query": torch.randn(3, 5, 8), "value": torch.randn(3, 7, 8), "mask": mask,
                "key_padding_mask": padding})

    # Numbers that are added to the scores of every sample and head on its own. -inf blocks as well:
    # single keys, and in head 1 of sample 1 all that query 2 could read.
    added = torch.randn(3 * 2, 5, 7)
    added[torch.rand(3 * 2, 5, 7) < 0.2] = -math.inf
    added[1 * 2 + 1, 2] = -math.inf
    write_case("added", cross.float(), mha_steps,
               {"query": torch.randn(3, 5, 8), "value": torch.randn(3, 7, 8), "mask": added,
                "key_padding_mask": torch.randn(3, 7)})


if __name__ == "__main__":
    main()
