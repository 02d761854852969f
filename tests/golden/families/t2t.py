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
    def __init__(self, width, heads, depth, hidden, token_dim, grid, *, classes=5, qk_scale=None):
        self.heads, self.depth, self.eps = heads, depth, 1e-5
        self.scale = qk_scale or (width // heads) ** -0.5
        w = self.w = f.Weights()
        f.draw(w, "cls_token", 1, 1, width, std=1.0)
        w["pos_embed"] = sinusoids(1 + grid[0] * grid[1], width)
        for number, inputs in ((1, 3 * 7 * 7), (2, token_dim * 3 * 3)):
            at = f"tokens_to_token.attention{number}"
            self.draw_layer(at, inputs, token_dim, token_dim)
        f.draw_linear(w, "tokens_to_token.project", width, token_dim * 3 * 3)
        for layer in range(depth):
            self.draw_layer(f"blocks.{layer}", width, width, hidden)
        f.draw_norm(w, "norm", width)
        f.draw_linear(w, "head", classes, width)

    def draw_layer(self, at, inputs, width, hidden):
        f.draw_norm(self.w, f"{at}.norm1", inputs)
        f.draw_linear(self.w, f"{at}.attn.qkv", 3 * width, inputs, bias=False)
        f.draw_linear(self.w, f"{at}.attn.proj", width, width)
        f.draw_norm(self.w, f"{at}.norm2", width)
        f.draw_linear(self.w, f"{at}.mlp.fc1", hidden, width)
        f.draw_linear(self.w, f"{at}.mlp.fc2", width, hidden)

    def file(self):
        return dict(self.w)

    def attention(self, at, x, heads, scale):
        query, key, value = (f.cut_heads(part, heads)
                             for part in self.w.linear(f"{at}.attn.qkv", x).chunk(3, -1))
        found = f.attend(query, key, value, scale)
        found["projection"] = self.w.linear(f"{at}.attn.proj", found["concat"])
        return found

    def token_transformer(self, number, x):
        """One head, scaled by the width of its *input*; the skip comes from the value."""
        w, at = self.w, f"tokens_to_token.attention{number}"
        found = {"norm1": w.norm(f"{at}.norm1", x, self.eps)}
        found |= self.attention(at, found["norm1"], 1, x.shape[-1] ** -0.5)
        found["skip"] = found["value"][:, 0] + found["projection"]
        del found["concat"]
        found["norm2"] = w.norm(f"{at}.norm2", found["skip"], self.eps)
        found["mlp_hidden"] = w.linear(f"{at}.mlp.fc1", found["norm2"])
        found["mlp_activation"] = F.gelu(found["mlp_hidden"])
        found["mlp"] = w.linear(f"{at}.mlp.fc2", found["mlp_activation"])
        found["output"] = found["skip"] + found["mlp"]
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
        for number, (kernel, stride, padding) in enumerate(SPLITS):
            tokens = F.unfold(image, kernel, stride=stride, padding=padding).transpose(1, 2)
            found[f"t2t.split{number}"] = tokens
            if number == 2:
                break
            grid = tuple((n + 2 * padding - kernel) // stride + 1 for n in image.shape[2:])
            for name, tensor in self.token_transformer(number + 1, tokens).items():
                found[f"t2t.{number + 1}.{name}"] = tensor
            image = found[f"t2t.{number + 1}.output"].transpose(1, 2).unflatten(-1, grid)
        x = found["tokens.embedded"] = w.linear("tokens_to_token.project", tokens)
        found["positions"] = w["pos_embed"]
        x = torch.cat([w["cls_token"].expand(len(x), -1, -1), x], 1) + w["pos_embed"]
        found["tokens.input"] = x
        x = f.layers(found, x, self.depth, self.layer)
        x = found["norm"] = w.norm("norm", x, self.eps)
        found["logits"] = w.linear("head", x[:, 0])
        return found
