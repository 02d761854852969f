"""Google's ViT as stored by its JAX code: kernels [in, out], heads as a separate axis."""
import torch
from torch.nn import functional as F

from . import formulas as f
from .siglip import pooled_by_attention

MSA = "MultiHeadDotProductAttention_1"
MAP = "MAPHead_0/MultiHeadDotProductAttention_0"


class VisionTransformer:
    def __init__(self, width, heads, depth, hidden, patch, native, *, classes=5, pre_logits=0,
                 map_pool=False):
        self.heads, self.depth, self.patch, self.native = heads, depth, patch, native
        self.eps, self.pre_logits = 1e-6, pre_logits
        self.map_pool = map_pool
        w = self.w = {}
        if not map_pool:
            f.draw(w, "cls", 1, 1, width, std=1.0)
        self.draw_dense("embedding", (patch, patch, 3), (width,))
        f.draw(w, "Transformer/posembed_input/pos_embedding", 1,
               (not map_pool) + native[0] * native[1], width, std=1.0)
        split = (heads, width // heads)
        for layer in range(depth):
            at = self.at(layer)
            for name in ("LayerNorm_0", "LayerNorm_2"):
                self.draw_norm(f"{at}/{name}", width)
            for name in ("query", "key", "value"):
                self.draw_dense(f"{at}/{MSA}/{name}", (width,), split)
            self.draw_dense(f"{at}/{MSA}/out", split, (width,))
            self.draw_dense(f"{at}/MlpBlock_3/Dense_0", (width,), (hidden,))
            self.draw_dense(f"{at}/MlpBlock_3/Dense_1", (hidden,), (width,))
        self.draw_norm("Transformer/encoder_norm", width)
        if map_pool:
            f.draw(w, "MAPHead_0/probe", 1, 1, width, std=1.0)
            for name in ("query", "key", "value"):
                self.draw_dense(f"{MAP}/{name}", (width,), split)
            self.draw_dense(f"{MAP}/out", split, (width,))
            self.draw_norm("MAPHead_0/LayerNorm_0", width)
            self.draw_dense("MAPHead_0/MlpBlock_0/Dense_0", (width,), (hidden,))
            self.draw_dense("MAPHead_0/MlpBlock_0/Dense_1", (hidden,), (width,))
        if pre_logits:
            self.draw_dense("pre_logits", (width,), (pre_logits,))
        if classes:
            self.draw_dense("head", (pre_logits or width,), (classes,))

    @staticmethod
    def at(layer):
        return f"Transformer/encoderblock_{layer}"

    def draw_norm(self, name, width):
        self.w[f"{name}/scale"] = 1 + 0.3 * torch.randn(width)
        f.draw(self.w, f"{name}/bias", width)

    def draw_dense(self, name, inputs, outputs):
        size = torch.Size(inputs).numel()
        f.draw(self.w, f"{name}/kernel", *inputs, *outputs, std=1.5 * size ** -0.5)
        f.draw(self.w, f"{name}/bias", *outputs)

    def file(self):
        return dict(self.w)

    def norm(self, name, x):
        scale = self.w[f"{name}/scale"]
        return F.layer_norm(x, scale.shape, scale, self.w[f"{name}/bias"], self.eps)

    def dense(self, name, x, axes=1):
        """flax's DenseGeneral: the kernel's first axes are x's last ones."""
        return torch.tensordot(x, self.w[f"{name}/kernel"], axes) + self.w[f"{name}/bias"]

    def attention(self, at, x):
        query, key, value = (self.dense(f"{at}/{MSA}/{name}", x).transpose(1, 2)
                             for name in ("query", "key", "value"))
        found = f.attend(query, key, value, query.shape[-1] ** -0.5)
        found["projection"] = self.dense(f"{at}/{MSA}/out", found["heads"].transpose(1, 2), axes=2)
        return found

    def layer(self, layer, x):
        at = self.at(layer)
        return f.block(x, lambda t: self.norm(f"{at}/LayerNorm_0", t),
                       lambda t: self.attention(at, t), lambda t: self.norm(f"{at}/LayerNorm_2", t),
                       lambda t: self.dense(f"{at}/MlpBlock_3/Dense_0", t), "gelu_tanh",
                       lambda t: self.dense(f"{at}/MlpBlock_3/Dense_1", t))

    def steps(self, pixels):
        w, found = self.w, {}
        found["tokens.patches"] = f.patches(pixels, self.patch)
        # Every patch as [row, column, channel], which are the kernel's first axes.
        cells = found["tokens.patches"].unflatten(-1, (3, self.patch, self.patch))
        x = found["tokens.embedded"] = self.dense("embedding", cells.permute(0, 1, 3, 4, 2), axes=3)
        table = f.resample(w["Transformer/posembed_input/pos_embedding"], not self.map_pool,
                           self.native, f.grid_of(pixels, self.patch), "corners")
        found["positions"] = table
        if not self.map_pool:
            x = torch.cat([w["cls"].expand(len(x), -1, -1), x], 1)
        x = found["tokens.input"] = x + table
        x = f.layers(found, x, self.depth, self.layer)
        x = found["norm"] = self.norm("Transformer/encoder_norm", x)
        pooled = self.pool(found, x) if self.map_pool else x[:, 0]
        if self.pre_logits:
            pooled = found["pooler"] = self.dense("pre_logits", pooled).tanh()
        if "head/kernel" in w:
            found["logits"] = self.dense("head", pooled)
        return found

    def pool(self, found, x):
        """big_vision's MAPHead."""
        probe = found["pool.probe"] = self.w["MAPHead_0/probe"].expand(len(x), -1, -1)
        query, key, value = (self.dense(f"{MAP}/{name}", t).transpose(1, 2)
                             for name, t in (("query", probe), ("key", x), ("value", x)))
        split = (self.heads, x.shape[-1] // self.heads)
        pooled_by_attention(found, query, key, value,
                            lambda t: self.dense(f"{MAP}/out", t.unflatten(-1, split), axes=2),
                            lambda t: self.norm("MAPHead_0/LayerNorm_0", t),
                            lambda t: self.dense("MAPHead_0/MlpBlock_0/Dense_0", t), "gelu_tanh",
                            lambda t: self.dense("MAPHead_0/MlpBlock_0/Dense_1", t))
        return found["pooler"]
