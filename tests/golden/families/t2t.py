"""Tokens-to-Token ViT: three soft splits, a token transformer after each of the first two."""
import numpy
import torch
from torch.nn import functional as F

from . import formulas as f

SPLITS = ((7, 4, 2), (3, 2, 1), (3, 2, 1))  # kernel, stride, padding


def sinusoids(rows, width):
    """Row p has sin in its even and cos in its odd columns, of p / 10000^(2·⌊j/2⌋ / width)."""
    wave = 2 * (numpy.arange(width) // 2) / width
    table = numpy.arange(rows)[:, None] / 10000.0 ** wave
    table[:, 0::2] = numpy.sin(table[:, 0::2])
    table[:, 1::2] = numpy.cos(table[:, 1::2])
    return torch.tensor(table, dtype=torch.float32)[None]


class T2T:
    splits, channels = SPLITS, 3
    transformer, backbone, mlp = "attention", "", "mlp"  # in its names

    def __init__(self, width, heads, depth, hidden, token_dim, grid, *, classes=5, qk_scale=None):
        self.heads, self.depth, self.eps = heads, depth, 1e-5
        self.scale = qk_scale or (width // heads) ** -0.5
        w, back = f.Weights(), self.backbone
        self.w = w
        f.draw(w, f"{back}cls_token", 1, 1, width, std=1.0)
        w[f"{back}pos_embed"] = sinusoids(1 + grid[0] * grid[1], width)
        kernels = [kernel for kernel, _, _ in self.splits]
        for number, inputs in ((1, self.channels * kernels[0] ** 2),
                               (2, token_dim * kernels[1] ** 2)):
            at = f"tokens_to_token.{self.transformer}{number}"
            self.draw_token_transformer(at, inputs, token_dim)
        f.draw_linear(w, "tokens_to_token.project", width, token_dim * kernels[2] ** 2)
        for layer in range(depth):
            self.draw_layer(f"{back}blocks.{layer}", width, width, hidden)
        f.draw_norm(w, f"{back}norm", width)
        f.draw_linear(w, f"{back}head", classes, width)

    def draw_token_transformer(self, at, inputs, width):
        self.draw_layer(at, inputs, width, width)

    def draw_layer(self, at, inputs, width, hidden):
        f.draw_norm(self.w, f"{at}.norm1", inputs)
        f.draw_linear(self.w, f"{at}.attn.qkv", 3 * width, inputs, bias=False)
        f.draw_linear(self.w, f"{at}.attn.proj", width, width)
        f.draw_norm(self.w, f"{at}.norm2", width)
        f.draw_linear(self.w, f"{at}.{self.mlp}.fc1", hidden, width)
        f.draw_linear(self.w, f"{at}.{self.mlp}.fc2", width, hidden)

    def file(self):
        return dict(self.w)

    def attention(self, at, x, heads, scale):
        query, key, value = (f.cut_heads(part, heads)
                             for part in self.w.linear(f"{at}.attn.qkv", x).chunk(3, -1))
        found = f.attend(query, key, value, scale)
        found["projection"] = self.w.linear(f"{at}.attn.proj", found["concat"])
        return found

    def own_attention(self, at, x):
        """For a token transformer: one head, scaled by the width of its *input*."""
        return self.attention(at, x, 1, x.shape[-1] ** -0.5)

    def token_transformer(self, number, x):
        """The skip connection starts from V."""
        w, at = self.w, f"tokens_to_token.{self.transformer}{number}"
        found = {"norm1": w.norm(f"{at}.norm1", x, self.eps)}
        found |= self.own_attention(at, found["norm1"])
        found["skip"] = found["value"].transpose(1, 2).flatten(-2) + found["projection"]
        del found["concat"]
        return found | self.after_attention(at, found["skip"])

    def after_attention(self, at, x):
        found = {"norm2": self.w.norm(f"{at}.norm2", x, self.eps)}
        found["mlp_hidden"] = self.w.linear(f"{at}.{self.mlp}.fc1", found["norm2"])
        found["mlp_activation"] = F.gelu(found["mlp_hidden"])
        found["mlp"] = self.w.linear(f"{at}.{self.mlp}.fc2", found["mlp_activation"])
        found["output"] = x + found["mlp"]
        return found

    def layer(self, layer, x):
        w, at = self.w, f"blocks.{layer}"
        return f.block(x, lambda t: w.norm(f"{at}.norm1", t, self.eps),
                       lambda t: self.attention(at, t, self.heads, self.scale),
                       lambda t: w.norm(f"{at}.norm2", t, self.eps),
                       lambda t: w.linear(f"{at}.mlp.fc1", t), "gelu",
                       lambda t: w.linear(f"{at}.mlp.fc2", t))

    def steps(self, pixels):
        w, found, image = self.w, {}, pixels
        for number, (kernel, stride, padding) in enumerate(self.splits):
            tokens = F.unfold(image, kernel, stride=stride, padding=padding).transpose(1, 2)
            found[f"t2t.split{number}"] = tokens
            if number == 2:
                break
            grid = tuple((n + 2 * padding - kernel) // stride + 1 for n in image.shape[2:])
            for name, tensor in self.token_transformer(number + 1, tokens).items():
                found[f"t2t.{number + 1}.{name}"] = tensor
            image = found[f"t2t.{number + 1}.output"].transpose(1, 2).unflatten(-1, grid)
        x = found["tokens.embedded"] = w.linear("tokens_to_token.project", tokens)
        positions = found["positions"] = w[f"{self.backbone}pos_embed"]
        first = w[f"{self.backbone}cls_token"].expand(len(x), -1, -1)
        x = torch.cat([first, x], 1) + positions
        found["tokens.input"] = x
        x = f.layers(found, x, self.depth, self.layer)
        x = found["norm"] = w.norm(f"{self.backbone}norm", x, self.eps)
        found["logits"] = w.linear(f"{self.backbone}head", x[:, 0])
        return found


class Performers(T2T):
    """The variant whose token transformers use kernel attention, Token_performer."""

    def draw_token_transformer(self, at, inputs, width):
        w = self.w
        f.draw_norm(w, f"{at}.norm1", inputs)
        f.draw_linear(w, f"{at}.kqv", 3 * width, inputs)
        f.draw_linear(w, f"{at}.proj", width, width)
        f.draw_norm(w, f"{at}.norm2", width)
        f.draw_linear(w, f"{at}.mlp.0", width, width)
        f.draw_linear(w, f"{at}.mlp.2", width, width)
        count = width // 2
        w[f"{at}.w"] = torch.linalg.qr(torch.randn(width, width))[0][:count] * count ** 0.5

    def own_attention(self, at, x):
        rows = self.w[f"{at}.w"]
        key, query, value = (f.cut_heads(part, 1)
                             for part in self.w.linear(f"{at}.kqv", x).chunk(3, -1))

        def features(t):
            return torch.exp(t @ rows.T - (t * t).sum(-1, keepdim=True) / 2) / len(rows) ** 0.5

        found = {"query": query, "key": key, "value": value, "query_features": features(query),
                 "key_features": features(key)}
        products = found["query_features"] @ found["key_features"].mT
        found["attention"] = products / (products.sum(-1, keepdim=True) + 1e-8)
        found["heads"] = found["attention"] @ value
        found["concat"] = found["heads"].transpose(1, 2).flatten(-2)
        return found | {"projection": self.w.linear(f"{at}.proj", found["concat"])}

    def after_attention(self, at, x):
        found = {"norm2": self.w.norm(f"{at}.norm2", x, self.eps)}
        found["mlp_hidden"] = self.w.linear(f"{at}.mlp.0", found["norm2"])
        found["mlp_activation"] = F.gelu(found["mlp_hidden"])
        found["mlp"] = self.w.linear(f"{at}.mlp.2", found["mlp_activation"])
        return found | {
    "output" : x + found["mlp"]}


class Lanl(T2T):
    """"Vision Transformers, Explained": gray pixels, free choice of kernels, as many heads in the
    token transformers as in the encoder, and attention that adds V in both."""
    splits, channels = ((5, 3, 1), (3, 2, 1), (3, 2, 1)), 1
    transformer, backbone, mlp = "transformer", "vit_backbone.", "neuralnet"

    def own_attention(self, at, x):
        width = self.w[f"{at}.norm2.weight"].shape[0]
        return self.attention(at, x, self.heads, (width // self.heads) ** -0.5)

    def layer(self, layer, x):
        at = f"vit_backbone.blocks.{layer}"
        found = {"norm1": self.w.norm(f"{at}.norm1", x, self.eps)}
        found |= self.attention(at, found["norm1"], self.heads, self.scale)
        together = found["value"].transpose(1, 2).flatten(-2)
        del found["concat"]
        found["skip"] = together + found["projection"]
        found["residual1"] = x + found["skip"]
        return found | self.after_attention(at, found["residual1"])
