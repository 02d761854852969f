#!/usr/bin/python3
"""Writes the reference numbers of attention layers as people write them by hand, with which
tests/cli/cli_test.cpp compares.

    /usr/bin/python3 tests/golden/make_layers.py        (Debian: python3-torch)

layers/NAME.{model,input,}.safetensors: weights under the names of their source, tokens, and every
intermediate, computed in float64 and rounded once.
"""
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


def keras(model, tokens):
    """The formulas of keras.layers.MultiHeadAttention: EinsumDense with "abc,cde->abde", a scale of
    key_dim^-0.5, "abde,def->abf" back."""
    query, key, value = ((torch.einsum("abc,cde->abde", tokens, model[f"{name}/kernel"])
                          + model[f"{name}/bias"]).transpose(1, 2)
                         for name in ("query", "key", "value"))
    found = attend(query, key, value, query.shape[-1] ** -0.5)
    found["projection"] = torch.einsum("abde,def->abf", found["heads"].transpose(1, 2),
                                       model["attention_output/kernel"])
    found["projection"] = found["projection"] + model["attention_output/bias"]
    found["output"] = found["projection"]
    return found


def write_case(name, steps, shapes, tokens):
    model = {key: torch.randn(shape) / shape[-1] ** 0.5 for key, shape in shapes.items()}
    exact = steps({key: value.double() for key, value in model.items()}, tokens.double())
    for step, tensor in steps(model, tokens).items():
        print(f"{name:8} {step:12} {str(list(tensor.shape)):18} "
              f"PyTorch float32 {relative_error(tensor, exact[step]):.1e}")
    folder = HERE / "layers"
    write_safetensors(folder / f"{name}.model.safetensors", model)
    write_safetensors(folder / f"{name}.input.safetensors", {"tokens": tokens})
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


if __name__ == "__main__":
    main()
