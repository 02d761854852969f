#!/usr/bin/python3
"""Writes the reference numbers of attention layers as people write them by hand, with which
tests/cli/cli_test.cpp compares.

    /usr/bin/python3 tests/golden/make_layers.py        (Debian: python3-torch)

layers/NAME.{model,input,}.safetensors: weights under the names of their source, tokens, and every
intermediate, computed in float64 and rounded once.
"""
import numpy
import torch

from make_golden import HERE, relative_error, write_safetensors


def cut(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def attend(query, key, value, scale):
    scores = query @ key.transpose(-2, -1) * scale
    attention = scores.softmax(dim=-1)
    return {"query": query, "key": key, "value": value, "scores": scores, "attention": attention,
            "heads": attention @ value}


def from_scratch(model, tokens, heads=2):
    """Ramzi and Peyré, "Multi-head Attention from Scratch", in the einsums of the notebook."""
    query, key, value = (cut(torch.einsum("ij,bsj->bsi", model[f"{name}.weight"], tokens), heads)
                         for name in "QKV")
    found = attend(query, key, value, (query.shape[-1]) ** -0.5)
    together = found["heads"].transpose(1, 2).flatten(-2)
    found["projection"] = torch.einsum("ij,bsj->bsi", model["L.weight"], together)
    found["output"] = found["projection"]
    return found


def learn_opencv(model, tokens, heads=3):
    """MultiHeadedSelfAttention of LearnOpenCV: its key layer makes the query, its query layer the
    key; the scale is that of all heads together."""
    query, key, value = (cut(tokens @ model[f"{name}_lyr.0.weight"].T, heads)
                         for name in ("key", "query", "value"))
    hdim = model["key_lyr.0.weight"].shape[0]
    found = attend(query, key, value, hdim ** -0.5)
    together = found["heads"].transpose(1, 2).flatten(-2)
    found["projection"] = together @ model["out_layer.1.weight"].T + model["out_layer.1.bias"]
    found["output"] = found["projection"]
    return found


def keras(model, tokens, value=None):
    """The formulas of keras.layers.MultiHeadAttention: EinsumDense with "abc,cde->abde", a scale of
    key_dim^-0.5, "abde,def->abf" back. Without a key of its own, keys are made of the value."""
    read = {"query": tokens, "key": tokens if value is None else value,
            "value": tokens if value is None else value}
    query, key, value = ((torch.einsum("abc,cde->abde", x, model[f"{name}/kernel"])
                          + model[f"{name}/bias"]).transpose(1, 2) for name, x in read.items())
    found = attend(query, key, value, query.shape[-1] ** -0.5)
    found["projection"] = torch.einsum("abde,def->abf", found["heads"].transpose(1, 2),
                                       model["attention_output/kernel"])
    found["projection"] = found["projection"] + model["attention_output/bias"]
    found["output"] = found["projection"]
    return found


def cross(model, query, value, heads=2):
    """The notebook's names, keys and values made of tokens of another width."""
    q, k, v = (cut(x @ model[f"{name}.weight"].T, heads)
               for name, x in (("Q", query), ("K", value), ("V", value)))
    found = attend(q, k, v, q.shape[-1] ** -0.5)
    found["projection"] = found["heads"].transpose(1, 2).flatten(-2) @ model["L.weight"].T
    found["output"] = found["projection"]
    return found


def torch_apart(model, query, value, key=None):
    """torch.nn.MultiheadAttention with kdim and vdim, compared with PyTorch's own output."""
    key = value if key is None else key
    bias = model["in_proj_bias"].chunk(3)
    q, k, v = (cut(x @ model[f"{name}_proj_weight"].T + b, 2)
               for name, x, b in zip("qkv", (query, key, value), bias))
    found = attend(q, k, v, q.shape[-1] ** -0.5)
    found["projection"] = (found["heads"].transpose(1, 2).flatten(-2) @ model["out_proj.weight"].T
                           + model["out_proj.bias"])
    found["output"] = found["projection"]
    module = torch.nn.MultiheadAttention(query.shape[-1], 2, kdim=key.shape[-1],
                                         vdim=value.shape[-1], batch_first=True,
                                         dtype=query.dtype)
    module.load_state_dict(model)
    theirs, weights = module(query, key, value, average_attn_weights=False)
    assert relative_error(theirs, found["output"]) < 1e-5
    assert relative_error(weights, found["attention"]) < 1e-5
    return found


def convolutions(model, tokens):
    """LearnOpenCV's self-attention on a feature map [B, H, W, C], flattened row by row: 1×1
    convolutions with ReLU, and the weights summed over the keys."""
    def convolve(name, x):
        kernel = model[f"{name}/kernel"]
        assert kernel.shape[:2] == (1, 1)
        weight = kernel.permute(3, 2, 0, 1)
        return torch.nn.functional.conv2d(x, weight, model[f"{name}/bias"]).relu()

    rows, cols = tokens.shape[1:3]
    pixels = tokens.permute(0, 3, 1, 2)
    query, key, value = (convolve(name, pixels).flatten(2).transpose(1, 2)[:, None]
                         for name in ("query", "key", "value"))
    found = attend(query, key, value, query.shape[-1] ** -0.5)
    back = found["heads"][:, 0].transpose(1, 2).unflatten(-1, (rows, cols))
    weight = model["feature_map/kernel"].permute(3, 2, 0, 1)
    flat = torch.nn.functional.conv2d(back, weight, model["feature_map/bias"])
    found["projection"] = flat.flatten(2).transpose(1, 2)
    found["output"] = found["projection"].relu()
    return found


def write_case(name, steps, shapes, tokens, **more):
    """`tokens` alone, or with `more` the queries of cross-attention; a map becomes an .npy."""
    model = {key: torch.randn(shape) / shape[-1] ** 0.5 for key, shape in shapes.items()}
    exact = steps({key: value.double() for key, value in model.items()}, tokens.double(),
                  **{key: value.double() for key, value in more.items()})
    for step, tensor in steps(model, tokens, **more).items():
        print(f"{name:8} {step:12} {str(list(tensor.shape)):18} "
              f"PyTorch float32 {relative_error(tensor, exact[step]):.1e}")
    folder = HERE / "layers"
    write_safetensors(folder / f"{name}.model.safetensors", model)
    if tokens.dim() == 4:
        numpy.save(folder / f"{name}.input.npy", tokens.numpy())
    else:
        write_safetensors(folder / f"{name}.input.safetensors",
                          {"query" if more else "tokens": tokens, **more})
    write_safetensors(folder / f"{name}.safetensors",
                      {f"layer.0.{step}": tensor.float() for step, tensor in exact.items()})


def main():
    torch.manual_seed(0)
    # The notebook has 8 clouds of 80 points, as mha.safetensors.
    write_case("kqvl", from_scratch, {f"{name}.weight": (12, 12) for name in "KQVL"},
               torch.randn(2, 20, 12))
    write_case("mhsa", learn_opencv,
               {"key_lyr.0.weight": (12, 10), "query_lyr.0.weight": (12, 10),
                "value_lyr.0.weight": (12, 10), "out_layer.1.weight": (10, 12),
                "out_layer.1.bias": (10,)}, torch.randn(2, 7, 10))
    write_case("keras", keras,
               {"query/kernel": (6, 2, 3), "query/bias": (2, 3), "key/kernel": (6, 2, 3),
                "key/bias": (2, 3), "value/kernel": (6, 2, 5), "value/bias": (2, 5),
                "attention_output/kernel": (2, 5, 7), "attention_output/bias": (7,)},
               torch.randn(2, 9, 6))
    write_case("keras_cross", keras,
               {"query/kernel": (6, 2, 3), "query/bias": (2, 3), "key/kernel": (4, 2, 3),
                "key/bias": (2, 3), "value/kernel": (4, 2, 5), "value/bias": (2, 5),
                "attention_output/kernel": (2, 5, 7), "attention_output/bias": (7,)},
               torch.randn(2, 5, 6), value=torch.randn(2, 9, 4))
    write_case("kqvl_cross", cross,
               {"Q.weight": (8, 6), "K.weight": (8, 4), "V.weight": (10, 4), "L.weight": (6, 10)},
               torch.randn(2, 5, 6), value=torch.randn(2, 9, 4))
    apart = {"q_proj_weight": (6, 6), "k_proj_weight": (6, 4), "v_proj_weight": (6, 4),
             "in_proj_bias": (18,), "out_proj.weight": (6, 6), "out_proj.bias": (6,)}
    write_case("mha_apart", torch_apart, apart, torch.randn(2, 5, 6), value=torch.randn(2, 9, 4))
    write_case("mha_three", torch_apart, apart | {"k_proj_weight": (6, 3)}, torch.randn(2, 5, 6),
               value=torch.randn(2, 9, 4), key=torch.randn(2, 9, 3))
    write_case("convolutions", convolutions,
               {f"{name}/{part}": shape for name, filters, channels in
                (("query", 3, 8), ("key", 3, 8), ("value", 4, 8), ("feature_map", 3, 4))
                for part, shape in (("kernel", (1, 1, channels, filters)), ("bias", (filters,)))},
               torch.randn(2, 3, 4, 8))


if __name__ == "__main__":
    main()
