"""torchvision's VisionTransformer: torch's MultiheadAttention in every layer."""
import torch

from . import formulas as f


class VisionTransformer:
    """older: the names of the MLP's products in earlier versions."""

    def __init__(self, width, heads, depth, hidden, patch, native, *, pre_logits=0, classes=5,
                 older=False):
        self.heads, self.depth, self.patch, self.native = heads, depth, patch, native
        self.mlp = ("linear_1", "linear_2") if older else ("0", "3")
        w = self.w = f.Weights()
        f.draw(w, "class_token", 1, 1, width, std=1.0)
        f.draw(w, "encoder.pos_embedding", 1, 1 + native[0] * native[1], width, std=1.0)
        f.draw(w, "conv_proj.weight", width, 3, patch, patch, std=(3 * patch * patch) ** -0.5)
        f.draw(w, "conv_proj.bias", width)
        for layer in range(depth):
            at = self.at(layer)
            f.draw_norm(w, f"{at}.ln_1", width)
            f.draw_norm(w, f"{at}.ln_2", width)
            f.draw(w, f"{at}.self_attention.in_proj_weight", 3 * width, width,
                   std=1.5 * width ** -0.5)
            f.draw(w, f"{at}.self_attention.in_proj_bias", 3 * width)
            f.draw_linear(w, f"{at}.self_attention.out_proj", width, width)
            f.draw_linear(w, f"{at}.mlp.{self.mlp[0]}", hidden, width)
            f.draw_linear(w, f"{at}.mlp.{self.mlp[1]}", width, hidden)
        f.draw_norm(w, "encoder.ln", width)
        if pre_logits:
            f.draw_linear(w, "heads.pre_logits", pre_logits, width)
        f.draw_linear(w, "heads.head", classes, pre_logits or width)

    def at(self, layer):
        return f"encoder.layers.encoder_layer_{layer}"

    def file(self):
        return dict(self.w)

    def attention(self, at, x):
        w = self.w
        packed = torch.nn.functional.linear(x, w[f"{at}.in_proj_weight"], w[f"{at}.in_proj_bias"])
        query, key, value = (f.cut_heads(t, self.heads) for t in packed.chunk(3, -1))
        found = f.attend(query, key, value, query.shape[-1] ** -0.5)
        found["projection"] = w.linear(f"{at}.out_proj", found["concat"])
        return found

    def layer(self, layer, x):
        w, at = self.w, self.at(layer)
        return f.block(x, lambda t: w.norm(f"{at}.ln_1", t, 1e-6),
                       lambda t: self.attention(f"{at}.self_attention", t),
                       lambda t: w.norm(f"{at}.ln_2", t, 1e-6),
                       lambda t: w.linear(f"{at}.mlp.{self.mlp[0]}", t), "gelu",
                       lambda t: w.linear(f"{at}.mlp.{self.mlp[1]}", t))

    def steps(self, pixels):
        w, found = self.w, {}
        found["tokens.patches"] = f.patches(pixels, self.patch)
        x = found["tokens.embedded"] = w.convolution("conv_proj", pixels)
        # interpolate_embeddings, which torchvision calls for files of another size.
        found["positions"] = f.resample(w["encoder.pos_embedding"], 1, self.native,
                                        f.grid_of(pixels, self.patch), "bicubic_corners")
        x = torch.cat([w["class_token"].expand(len(pixels), -1, -1), x], 1)
        x = found["tokens.input"] = x + found["positions"]
        x = f.layers(found, x, self.depth, self.layer)
        x = found["norm"] = w.norm("encoder.ln", x, 1e-6)
        pooled = x[:, 0]
        if "heads.pre_logits.weight" in w:
            pooled = found["pooler"] = w.linear("heads.pre_logits", pooled).tanh()
        found["logits"] = w.linear("heads.head", pooled)
        return found
