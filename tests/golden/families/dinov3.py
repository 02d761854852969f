"""DINOv3 in its authors', Hugging Face's and timm's names."""
import torch

from . import formulas as f
from . import rotary

AUTHORS = {"cls": "cls_token", "registers": "storage_tokens", "mask": "mask_token",
           "patches": "patch_embed.proj", "layer": "blocks.{}.", "projection": "attn.proj",
           "ls1": "ls1.gamma", "ls2": "ls2.gamma", "mlp": ("mlp.fc1", "mlp.fc2"),
           "gated": ("mlp.w1", "mlp.w2", "mlp.w3")}
HUGGINGFACE = {"cls": "embeddings.cls_token", "registers": "embeddings.register_tokens",
               "mask": "embeddings.mask_token", "patches": "embeddings.patch_embeddings",
               "layer": "layer.{}.", "projection": "attention.o_proj",
               "ls1": "layer_scale1.lambda1", "ls2": "layer_scale2.lambda1",
               "mlp": ("mlp.up_proj", "mlp.down_proj"),
               "gated": ("mlp.gate_proj", "mlp.up_proj", "mlp.down_proj")}
TIMM = AUTHORS | {"registers": "reg_token", "ls1": "gamma_1", "ls2": "gamma_2",
                  "gated": ("mlp.fc1_g", "mlp.fc1_x", "mlp.fc2")}


class DinoV3:
    """The arguments are the differences between files; `periods` are in the file, or follow from
    `base`."""

    def __init__(self, names, width, heads, depth, hidden, patch, registers, *, gated=False,
                 bias=True, periods=None, base=100.0):
        self.names, self.heads, self.depth, self.patch = names, heads, depth, patch
        self.registers, self.gated, self.eps = registers, gated, 1e-5
        head_dim = width // heads
        self.extra = {}
        if periods is not None:
            self.extra["rope_embed.periods"] = torch.tensor(periods)
        self.periods = periods or [base ** (4 * k / head_dim) for k in range(head_dim // 4)]
        w = self.w = f.Weights()
        f.draw(w, names["cls"], 1, 1, width, std=1.0)
        f.draw(w, names["registers"], 1, registers, width, std=1.0)
        if names is not TIMM:
            f.draw(self.extra, names["mask"], 1, width)
        f.draw(w, f"{names['patches']}.weight", width, 3, patch, patch,
               std=(3 * patch * patch) ** -0.5)
        f.draw(w, f"{names['patches']}.bias", width)
        for layer in range(depth):
            self.draw_layer(names["layer"].format(layer), width, hidden, bias)
        f.draw_norm(w, "norm", width)
        if names is AUTHORS:
            f.draw_norm(self.extra, "local_cls_norm", width)  # of training alone

    def draw_layer(self, at, width, hidden, bias):
        w, names = self.w, self.names
        f.draw_norm(w, f"{at}norm1", width)
        f.draw_norm(w, f"{at}norm2", width)
        self.draw_attention(at, width, bias)
        f.draw_linear(w, at + names["projection"], width, width)
        f.draw(w, at + names["ls1"], width, std=1.0)
        f.draw(w, at + names["ls2"], width, std=1.0)
        *first, last = names["gated" if self.gated else "mlp"]
        for name in first:
            f.draw_linear(w, at + name, hidden, width)
        f.draw_linear(w, at + last, width, hidden)

    def draw_attention(self, at, width, bias):
        """Keys never have a bias, whatever the file contains for it."""
        w = self.w
        if self.names is HUGGINGFACE:
            for part in ("q", "k", "v"):
                f.draw_linear(w, f"{at}attention.{part}_proj", width, width, bias and part != "k")
            return
        f.draw_linear(w, f"{at}attn.qkv", 3 * width, width, bias and self.names is AUTHORS)
        if self.names is AUTHORS and bias:
            mask = torch.ones(3 * width)
            mask[width:2 * width] = 0
            w[f"{at}attn.qkv.bias_mask"] = mask
        elif bias:
            f.draw(w, f"{at}attn.q_bias", width)
            f.draw(w, f"{at}attn.v_bias", width)

    def file(self):
        return self.w | self.extra

    def queries_keys_values(self, at, x):
        w = self.w
        if self.names is HUGGINGFACE:
            return [w.linear(f"{at}attention.{part}_proj", x) for part in ("q", "k", "v")]
        query, key, value = (x @ w[f"{at}attn.qkv.weight"].T).chunk(3, -1)
        if f"{at}attn.qkv.bias" in w:
            bias_q, _, bias_v = w[f"{at}attn.qkv.bias"].chunk(3)
            query, value = query + bias_q, value + bias_v
        if f"{at}attn.q_bias" in w:
            query, value = query + w[f"{at}attn.q_bias"], value + w[f"{at}attn.v_bias"]
        return [query, key, value]

    def attention(self, at, x):
        query, key, value = (f.cut_heads(t, self.heads) for t in self.queries_keys_values(at, x))
        pairs, angles = rotary.halves(query.shape[-1]), self.angles.to(x.dtype)
        before = 1 + self.registers
        found = f.attend(rotary.turn(query, before, angles, pairs),
                         rotary.turn(key, before, angles, pairs), value, query.shape[-1] ** -0.5)
        found |= {"query_unrotated": query, "key_unrotated": key}
        found["projection"] = self.w.linear(at + self.names["projection"], found["concat"])
        return found

    def mlp_in(self, at, x):
        """Gate, then up."""
        names = self.names["gated" if self.gated else "mlp"][:-1]
        return torch.cat([self.w.linear(at + name, x) for name in names], -1)

    def layer(self, layer, x):
        w, names = self.w, self.names
        at = names["layer"].format(layer)
        last = names["gated" if self.gated else "mlp"][-1]
        return f.block(x, lambda t: w.norm(f"{at}norm1", t, self.eps),
                       lambda t: self.attention(at, t),
                       lambda t: w.norm(f"{at}norm2", t, self.eps),
                       lambda t: self.mlp_in(at, t), "swiglu" if self.gated else "gelu",
                       lambda t: w.linear(at + last, t), w[at + names["ls1"]],
                       w[at + names["ls2"]])

    def steps(self, pixels):
        w, names, found = self.w, self.names, {}
        found["tokens.patches"] = f.patches(pixels, self.patch)
        x = found["tokens.embedded"] = w.convolution(names["patches"], pixels)
        before = [w[names[part]].expand(len(pixels), -1, -1) for part in ("cls", "registers")]
        x = found["tokens.input"] = torch.cat([*before, x], 1)
        self.angles = rotary.dinov3(*f.grid_of(pixels, self.patch), self.periods)
        x = f.layers(found, x, self.depth, self.layer)
        found["norm"] = w.norm("norm", x, self.eps)
        if names is not TIMM:
            found["pooler"] = found["norm"][:, 0]
        return found
