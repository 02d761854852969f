"""Google's ViT as its JAX code keeps it: kernels [in, out], heads as an axis of their own."""
import torch
from torch.nn import functional as F

from . import formulas as f

MSA = "MultiHeadDotProductAttention_1"


class VisionTransformer:
    def __init__(self, width, heads, depth, hidden, patch, native, *, classes=5, pre_logits=0):
        self.heads, self.depth, self.patch, self.native = heads, depth, patch, native
        self.eps, self.pre_logits = 1e-6, pre_logits
        w = self.w = {}
        f.draw(w, "cls", 1, 1, width, std=1.0)
        self.draw_dense("embedding", (patch, patch, 3), (width,))
        f.draw(w, "Transformer/posembed_input/pos_embedding", 1, 1 + native[0] * native[1], width,
               std=1.0)
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
        if pre_logits:
            self.draw_dense("pre_logits", (width,), (pre_logits,))
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
        table = f.resample(w["Transformer/posembed_input/pos_embedding"], 1, self.native,
                           f.grid_of(pixels, self.patch), "corners")
        found["positions"] = table
        x = found["tokens.input"] = torch.cat([w["cls"].expand(len(x), -1, -1), x], 1) + table
        x = f.layers(found, x, self.depth, self.layer)
        x = found["norm"] = self.norm("Transformer/encoder_norm", x)
        pooled = x[:, 0]
        if self.pre_logits:
            pooled = found["pooler"] = self.dense("pre_logits", pooled).tanh()
        found["logits"] = self.dense("head", pooled)
        return found
