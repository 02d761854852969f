#!/usr/bin/python3
"""Writes the reference numbers of transformer layers that stand alone, with which
tests/cli/blocks_test.cpp compares.

    /usr/bin/python3 tests/golden/make_blocks.py        (Debian: python3-torch)

blocks/NAME.{model,input,}.safetensors: weights under the names of their source, tokens, and every
intermediate, computed in float64 and rounded once. What PyTorch itself has a module for is held
against that.
"""
import math

import torch
from torch import nn
from torch.nn import functional as F

from families import formulas as f
from make_golden import HERE, relative_error, write_safetensors


class Names:
    """One layer's tensors, in a file where they have the prefix `prefix`."""

    def __init__(self, model, prefix=""):
        self.model, self.prefix = model, prefix

    def __getitem__(self, name):
        return self.model[self.prefix + name]

    def get(self, name):
        return self.model.get(self.prefix + name)

    def linear(self, name, x):
        return F.linear(x, self[f"{name}.weight"], self.get(f"{name}.bias"))

    def norm(self, name, x, eps=1e-5):
        gamma, beta = self[f"{name}.weight"], self.get(f"{name}.bias")
        if (mean := self.get(f"{name}.running_mean")) is None:
            return F.layer_norm(x, gamma.shape, gamma, beta, eps)
        return F.batch_norm(x.mT, mean, self[f"{name}.running_var"], gamma, beta, eps=1e-5).mT


def torch_layer(w, x, heads, norm_first, activation):
    """torch.nn.TransformerEncoderLayer in evaluation."""
    def attention(tokens):
        qkv = F.linear(tokens, w["self_attn.in_proj_weight"], w.get("self_attn.in_proj_bias"))
        query, key, value = (f.cut_heads(part, heads) for part in qkv.chunk(3, -1))
        found = f.attend(query, key, value, query.shape[-1] ** -0.5)
        found["projection"] = w.linear("self_attn.out_proj", found.pop("concat"))
        return found

    def mlp(tokens):
        found = {"mlp_hidden": w.linear("linear1", tokens)}
        found["mlp_activation"] = activation(found["mlp_hidden"])
        found["mlp"] = w.linear("linear2", found["mlp_activation"])
        return found

    if norm_first:
        found = {"norm1": w.norm("norm1", x)}
        found |= attention(found["norm1"])
        found["residual1"] = x + found["projection"]
        found["norm2"] = w.norm("norm2", found["residual1"])
        found |= mlp(found["norm2"])
        return found | {"output": found["residual1"] + found["mlp"]}
    found = attention(x)
    found["residual1"] = x + found["projection"]
    found["norm1"] = w.norm("norm1", found["residual1"])
    found |= mlp(found["norm1"])
    found["residual2"] = found["norm1"] + found["mlp"]
    found["norm2"] = w.norm("norm2", found["residual2"])
    return found | {"output": found["norm2"]}


def torch_encoder(module, heads, norm_first=False, activation=F.relu):
    """Every layer's steps; the output must be PyTorch's own."""
    def steps(model, tokens):
        found, x, layer = {}, tokens, 0
        alone = isinstance(module, nn.TransformerEncoderLayer)
        while alone or f"layers.{layer}.linear1.weight" in model:
            names = Names(model, "" if alone else f"layers.{layer}.")
            for step, tensor in torch_layer(names, x, heads, norm_first, activation).items():
                found[f"layer.{layer}.{step}"] = tensor
            x, layer = found[f"layer.{layer}.output"], layer + 1
            if alone:
                break
        if "norm.weight" in model:
            x = found["norm"] = Names(model).norm("norm", x)
        theirs = module.to(tokens.dtype).eval()(tokens)
        assert relative_error(theirs, x) < 1e-5
        return found
    return module.state_dict(), steps


def torch_decoder_layer(w, x, memory, heads, norm_first, activation, causal):
    """torch.nn.TransformerDecoderLayer in evaluation: the steps of self-attention, then those of cross-attention and MLP."""
    def attention(name, tokens, others):
        weight, bias = w[f"{name}.in_proj_weight"], w.get(f"{name}.in_proj_bias")
        width = tokens.shape[-1]
        own, theirs = (F.linear(rows, weight, bias) for rows in (tokens, others))
        query, key, value = (f.cut_heads(part, heads) for part in
                             (own[..., :width], theirs[..., width:2 * width], theirs[..., 2 * width:]))
        found = {"query": query, "key": key, "value": value}
        scores = query @ key.mT * query.shape[-1] ** -0.5
        if causal and name == "self_attn":
            scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=bool).triu(1), -math.inf)
        else:
            found["scores"] = scores
        found["attention"] = scores.softmax(-1)
        found["heads"] = found["attention"] @ value
        found["projection"] = w.linear(f"{name}.out_proj", found["heads"].transpose(1, 2).flatten(2))
        return found

    def half(name, norm, tokens, others):
        """Attention with its norm, before it or after the sum."""
        found = {"norm1": w.norm(norm, tokens)} if norm_first else {}
        read = found["norm1"] if norm_first else tokens
        found |= attention(name, read, read if others is None else others)
        found["residual1"] = tokens + found["projection"]
        if not norm_first:
            found["norm1"] = w.norm(norm, found["residual1"])
        return found, found["residual1" if norm_first else "norm1"]

    own, x = half("self_attn", "norm1", x, None)
    own["output"] = x
    if norm_first:
        del own["residual1"]  # the same matrix
    across, x = half("multihead_attn", "norm2", x, memory)
    if norm_first:
        across["norm2"] = w.norm("norm3", x)
    across["mlp_hidden"] = w.linear("linear1", across["norm2"] if norm_first else x)
    across["mlp_activation"] = activation(across["mlp_hidden"])
    across["mlp"] = w.linear("linear2", across["mlp_activation"])
    across["output"] = x + across["mlp"]
    if not norm_first:
        across["residual2"] = across["output"]
        across["norm2"] = across["output"] = w.norm("norm3", across["residual2"])
    return own, across


def torch_decoder(module, heads, norm_first=False, activation=F.relu, causal=True):
    """Every layer's steps, two of Headlight's layers for each of PyTorch's; the output must be PyTorch's own."""
    def steps(model, tokens):
        x, memory = tokens["query"], tokens["value"]
        found, layer = {}, 0
        alone = isinstance(module, nn.TransformerDecoderLayer)
        while alone or f"layers.{layer}.linear1.weight" in model:
            names = Names(model, "" if alone else f"layers.{layer}.")
            for half in torch_decoder_layer(names, x, memory, heads, norm_first, activation, causal):
                number = sum(name.endswith(".output") for name in found)
                found |= {f"layer.{number}.{step}": tensor for step, tensor in half.items()}
                x = half["output"]
            layer += 1
            if alone:
                break
        if "norm.weight" in model:
            x = found["norm"] = Names(model).norm("norm", x)
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1]).to(x.dtype) if causal else None
        theirs = module.to(x.dtype).eval()(tokens["query"], memory, tgt_mask=mask)
        assert relative_error(theirs, x) < 1e-5
        return found
    return module.state_dict(), steps


class BatchNormLayer(nn.TransformerEncoderLayer):
    """Batch norms in the places of both norms, as Zerveas et al. use it for series; channels go
    second, as BatchNorm1d wants them."""

    class Norm(nn.BatchNorm1d):
        def forward(self, x):
            return super().forward(x.mT).mT

    def __init__(self, width, *more, **options):
        super().__init__(width, *more, **options)
        self.norm1, self.norm2 = self.Norm(width), self.Norm(width)


def shake(module):
    """Changes the ones and zeros that norms are initialized with."""
    with torch.no_grad():
        for name, tensor in module.state_dict().items():
            if tensor.dtype.is_floating_point:
                if name.endswith("running_var"):
                    tensor.copy_(torch.rand_like(tensor) + 0.3)
                else:
                    tensor.add_(0.3 * torch.randn_like(tensor))
    return module


def after_attention(w, x, found, mlp):
    """The second half of T2T's layers; `mlp` names both products."""
    found["norm2"] = w.norm("norm2", x)
    found["mlp_hidden"] = w.linear(mlp[0], found["norm2"])
    found["mlp_activation"] = F.gelu(found["mlp_hidden"])
    found["mlp"] = w.linear(mlp[1], found["mlp_activation"])
    return found | {"output": x + found["mlp"]}


def with_layer(steps):
    return lambda model, tokens: {f"layer.0.{step}": tensor
                                  for step, tensor in steps(Names(model), tokens).items()}


def softmax_steps(w, tokens, scale):
    found = {"norm1": w.norm("norm1", tokens)}
    query, key, value = (f.cut_heads(part, 1)
                         for part in w.linear("attn.qkv", found["norm1"]).chunk(3, -1))
    found |= f.attend(query, key, value, scale)
    found["projection"] = w.linear("attn.proj", found.pop("concat"))
    found["skip"] = value[:, 0] + found["projection"]
    return found


@with_layer
def t2t(w, tokens):
    """T2T-ViT's Token_transformer: scaled by the width of its input, skip connection from V."""
    found = softmax_steps(w, tokens, tokens.shape[-1] ** -0.5)
    return after_attention(w, found["skip"], found, ("mlp.fc1", "mlp.fc2"))


@with_layer
def lanl(w, tokens):
    """TokenTransformer of lanl's T2T-ViT: scaled by the head's width."""
    found = softmax_steps(w, tokens, w["norm2.weight"].shape[0] ** -0.5)
    return after_attention(w, found["skip"], found, ("neuralnet.fc1", "neuralnet.fc2"))


@with_layer
def lanl_block(w, tokens):
    """Its Encoding: attention adds V, and then the block adds its input."""
    found = softmax_steps(w, tokens, tokens.shape[-1] ** -0.5)
    found["residual1"] = tokens + found["skip"]
    return after_attention(w, found["residual1"], found, ("neuralnet.fc1", "neuralnet.fc2"))


def performer_attention(w, tokens):
    found = {"norm1": w.norm("norm1", tokens)}
    key, query, value = w.linear("kqv", found["norm1"]).chunk(3, -1)

    def features(x):
        half = (x * x).sum(-1, keepdim=True) / 2
        return torch.exp(x @ w["w"].T - half) / math.sqrt(len(w["w"]))

    query_features, key_features = features(query), features(key)
    products = query_features @ key_features.mT
    attention = products / (products.sum(-1, keepdim=True) + 1e-8)
    heads = attention @ value
    # As Token_performer computes it, without the square.
    sums = query_features @ key_features.sum(1)[..., None]
    theirs = query_features @ (key_features.mT @ value) / (sums + 1e-8)
    assert relative_error(theirs, heads) < 1e-4
    per_head = {"query": query, "key": key, "value": value, "query_features": query_features,
                "key_features": key_features, "attention": attention, "heads": heads}
    found |= {step: tensor[:, None] for step, tensor in per_head.items()}
    found["projection"] = w.linear("proj", heads)
    found["skip"] = value + found["projection"]
    return found


@with_layer
def performer(w, tokens):
    found = performer_attention(w, tokens)
    return after_attention(w, found["skip"], found, ("mlp.0", "mlp.2"))


def t2t_weights(inputs, width, kind):
    w = f.Weights()
    f.draw_norm(w, "norm1", inputs)
    f.draw_norm(w, "norm2", width)
    if kind == "performer":
        f.draw_linear(w, "kqv", 3 * width, inputs)
        f.draw_linear(w, "proj", width, width)
        w["w"] = torch.linalg.qr(torch.randn(width, width))[0][:width // 2] * (width // 2) ** 0.5
        names = ("mlp.0", "mlp.2")
    else:
        f.draw_linear(w, "attn.qkv", 3 * width, inputs, bias=kind == "lanl")
        f.draw_linear(w, "attn.proj", width, width)
        names = ("mlp.fc1", "mlp.fc2") if kind == "t2t" else ("neuralnet.fc1", "neuralnet.fc2")
    f.draw_linear(w, names[0], width, width)
    f.draw_linear(w, names[1], width, width)
    return dict(w)


@torch.no_grad()
def write_case(name, case, tokens):
    model, steps = case
    model = {key: tensor.float() if tensor.is_floating_point() else tensor
             for key, tensor in model.items()}
    in_float = steps(model, tokens)
    inputs = tokens if isinstance(tokens, dict) else {"tokens": tokens}
    wide = {key: tensor.double() for key, tensor in inputs.items()}
    exact = steps({key: tensor.double() for key, tensor in model.items()},
                  wide if isinstance(tokens, dict) else wide["tokens"])
    worst = max((relative_error(in_float[step], tensor), step) for step, tensor in exact.items())
    print(f"{name:14} {len(exact):3} steps, PyTorch float32 {worst[0]:.1e} in {worst[1]}")
    folder = HERE / "blocks"
    folder.mkdir(exist_ok=True)
    write_safetensors(folder / f"{name}.model.safetensors",
                      {key: tensor for key, tensor in model.items()
                       if not key.endswith("num_batches_tracked")})
    write_safetensors(folder / f"{name}.input.safetensors", inputs)
    write_safetensors(folder / f"{name}.safetensors",
                      {step: tensor.float() for step, tensor in exact.items()})


def main():
    torch.manual_seed(14)
    options = {"batch_first": True, "dropout": 0.0}

    def layer(**more):
        return nn.TransformerEncoderLayer(12, 3, 20, **options, **more)

    tokens = torch.randn(2, 7, 12)
    write_case("post_norm", torch_encoder(shake(layer()), 3), tokens)
    write_case("pre_norm", torch_encoder(shake(layer(norm_first=True, activation="gelu")), 3,
                                         True, F.gelu), tokens)
    write_case("swish", torch_encoder(shake(layer(activation=F.silu)), 3, False, F.silu),
               tokens)
    write_case("batch_norm", torch_encoder(shake(BatchNormLayer(12, 3, 20, **options)), 3), tokens)
    encoder = nn.TransformerEncoder(layer(norm_first=True), 3, nn.LayerNorm(12),
                                    enable_nested_tensor=False)
    write_case("encoder", torch_encoder(shake(encoder), 3, True), tokens)
    post = nn.TransformerEncoder(layer(), 2, enable_nested_tensor=False)
    write_case("encoder_post", torch_encoder(shake(post), 3), tokens)
    tokens = torch.randn(2, 7, 27)
    write_case("t2t", (t2t_weights(27, 8, "t2t"), t2t), tokens)
    write_case("lanl", (t2t_weights(27, 8, "lanl"), lanl), tokens)
    write_case("lanl_block", (t2t_weights(12, 12, "lanl"), lanl_block), torch.randn(2, 7, 12))
    write_case("performer", (t2t_weights(27, 8, "performer"), performer), tokens)

    def decoder_layer(**more):
        return nn.TransformerDecoderLayer(12, 3, 20, **options, **more)

    both = {"query": torch.randn(2, 5, 12), "value": torch.randn(2, 7, 12)}
    write_case("decoder_post_norm", torch_decoder(shake(decoder_layer()), 3), both)
    write_case("decoder_pre_norm", torch_decoder(shake(decoder_layer(norm_first=True, activation="gelu")), 3,
                                                 True, F.gelu, False), both)
    decoder = nn.TransformerDecoder(decoder_layer(norm_first=True), 2, nn.LayerNorm(12))
    write_case("decoder", torch_decoder(shake(decoder), 3, True), both)
    decoder = nn.TransformerDecoder(decoder_layer(), 2)
    write_case("decoder_post", torch_decoder(shake(decoder), 3), both)


if __name__ == "__main__":
    main()
