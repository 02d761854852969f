"""timm's VisionTransformer and DeiT, DINO and DINOv2, which keep its names."""
import torch
from torch.nn import functional as F

from . import formulas as f
from .siglip import pooled_by_attention


class VisionTransformer:
    """One model; the arguments are what its files differ in.

    prefix_tokens   names of the tensors before the patches, in their order
    covered         how many of them have a row in pos_embed
    swiglu          (name of the first product, name of the second)
    map_pool        pooled by attention of one query, in front of a head or of none
    """

    def __init__(self, width, heads, depth, hidden, patch, native, *, prefix_tokens=("cls_token",),
                 covered=1, registers=0, qkv_bias=True, qk_norm=False, layer_scale=False,
                 pre_norm=False, swiglu=None, pooled=False, classes=0, distilled=False,
                 mask_token=False, gate="swiglu", resampling="antialiased", prefix="", chunk=0, map_pool=False,
                 activation="gelu"):
        self.heads, self.depth, self.patch, self.native = heads, depth, patch, native
        self.prefix_tokens, self.covered, self.resampling = prefix_tokens, covered, resampling
        self.mlp = swiglu or ("fc1", "fc2")
        self.activation = gate if swiglu else activation
        self.prefix, self.chunk, self.eps = prefix, chunk, 1e-6
        self.extra = {}  # left-over tensors of the file

        w = self.w = f.Weights()
        for name in prefix_tokens:
            count = registers if name in ("reg_token", "register_tokens") else 1
            f.draw(w, name, 1, count, width, std=1.0)
        if mask_token:
            f.draw(self.extra, "mask_token", 1, width)
        f.draw(w, "pos_embed", 1, covered + native[0] * native[1], width, std=1.0)
        f.draw(w, "patch_embed.proj.weight", width, 3, patch, patch, std=(3 * patch * patch) ** -0.5)
        if not pre_norm:
            f.draw(w, "patch_embed.proj.bias", width)
        else:
            f.draw_norm(w, "norm_pre", width)
        for layer in range(depth):
            at = self.at(layer)
            f.draw_norm(w, f"{at}.norm1", width)
            f.draw_linear(w, f"{at}.attn.qkv", 3 * width, width, qkv_bias)
            if qk_norm:
                f.draw_norm(w, f"{at}.attn.q_norm", width // heads)
                f.draw_norm(w, f"{at}.attn.k_norm", width // heads)
            f.draw_linear(w, f"{at}.attn.proj", width, width)
            f.draw_norm(w, f"{at}.norm2", width)
            f.draw_linear(w, f"{at}.mlp.{self.mlp[0]}", 2 * hidden if swiglu else hidden, width)
            f.draw_linear(w, f"{at}.mlp.{self.mlp[1]}", width, hidden)
            if layer_scale:
                f.draw(w, f"{at}.ls1.gamma", width, std=1.0)
                f.draw(w, f"{at}.ls2.gamma", width, std=1.0)
        f.draw_norm(w, "fc_norm" if pooled else "norm", width)
        if map_pool:
            f.draw(w, "attn_pool.latent", 1, 1, width, std=1.0)
            for name, outputs in (("q", width), ("kv", 2 * width), ("proj", width)):
                f.draw_linear(w, f"attn_pool.{name}", outputs, width)
            f.draw_norm(w, "attn_pool.norm", width)
            f.draw_linear(w, "attn_pool.mlp.fc1", hidden, width)
            f.draw_linear(w, "attn_pool.mlp.fc2", width, hidden)
        if classes:
            f.draw_linear(w, "head", classes, width)
        if distilled:
            f.draw_linear(w, "head_dist", classes, width)

    def at(self, layer):
        return f"blocks.{layer // self.chunk}.{layer}" if self.chunk else f"blocks.{layer}"

    def file(self):
        return {self.prefix + name: tensor for name, tensor in (self.w | self.extra).items()}

    def tokens(self, pixels, found):
        """Prefix tokens are added before or after the positions, depending on whether pos_embed
        covers them."""
        w = self.w
        found["tokens.patches"] = f.patches(pixels, self.patch)
        x = found["tokens.embedded"] = w.convolution("patch_embed.proj", pixels)
        before = []
        for name in self.prefix_tokens:
            before += w[name].expand(len(pixels), -1, -1).split(1, dim=1)
        table = f.resample(w["pos_embed"], self.covered, self.native,
                           f.grid_of(pixels, self.patch), self.resampling)
        found["positions"] = table
        # DINOv2 puts its registers between the class token and the patches that have positions.
        x = torch.cat(before[:self.covered] + [x], 1) + table
        late = before[self.covered:]
        x = found["tokens.input"] = torch.cat([x[:, :self.covered], *late, x[:, self.covered:]], 1)
        if "norm_pre.weight" in w:
            x = found["tokens.input"] = w.norm("norm_pre", x, self.eps)  # what the first layer reads
        return x

    def attention(self, at, x):
        w = self.w
        query, key, value = (f.cut_heads(part, self.heads)
                             for part in w.linear(f"{at}.attn.qkv", x).chunk(3, -1))
        if f"{at}.attn.q_norm.weight" in w:
            query = w.norm(f"{at}.attn.q_norm", query, self.eps)
            key = w.norm(f"{at}.attn.k_norm", key, self.eps)
        found = f.attend(query, key, value, query.shape[-1] ** -0.5)
        found["projection"] = w.linear(f"{at}.attn.proj", found["concat"])
        return found

    def layer(self, layer, x):
        w, at = self.w, self.at(layer)
        return f.block(x, lambda t: w.norm(f"{at}.norm1", t, self.eps),
                       lambda t: self.attention(at, t),
                       lambda t: w.norm(f"{at}.norm2", t, self.eps),
                       lambda t: w.linear(f"{at}.mlp.{self.mlp[0]}", t), self.activation,
                       lambda t: w.linear(f"{at}.mlp.{self.mlp[1]}", t),
                       w.get(f"{at}.ls1.gamma"), w.get(f"{at}.ls2.gamma"))

    def pool(self, found, x):
        w, at = self.w, "attn_pool"
        probe = found["pool.probe"] = w[f"{at}.latent"].expand(len(x), -1, -1)
        query = f.cut_heads(w.linear(f"{at}.q", probe), self.heads)
        key, value = (f.cut_heads(t, self.heads) for t in w.linear(f"{at}.kv", x).chunk(2, -1))
        pooled_by_attention(found, query, key, value, lambda t: w.linear(f"{at}.proj", t),
                            lambda t: w.norm(f"{at}.norm", t, self.eps),
                            lambda t: w.linear(f"{at}.mlp.fc1", t), self.activation,
                            lambda t: w.linear(f"{at}.mlp.fc2", t))
        return found["pooler"]

    def steps(self, pixels):
        w, found = self.w, {}
        x = f.layers(found, self.tokens(pixels, found), self.depth, self.layer)
        if "fc_norm.weight" in w:
            # The mean over the patches without a norm; then the norm.
            mean = x[:, len(x[0]) - len(found["tokens.embedded"][0]):].mean(1)
            found["fc_norm"] = w.norm("fc_norm", mean, self.eps)
            found["logits"] = w.linear("head", found["fc_norm"])
            return found
        x = found["norm"] = w.norm("norm", x, self.eps)
        if "attn_pool.latent" in w:
            x = self.pool(found, x)[:, None]
        if "head.weight" in w:
            found["logits"] = w.linear("head", x[:, 0])
        if "head_dist.weight" in w:  # DeiT takes both heads' mean when it is not trained
            found["logits"] = (found["logits"] + w.linear("head_dist", x[:, 1])) / 2
        return found


def dino_head(model, width):
    """DINO's projection head: in the file, but no part of the transformer."""
    extra = {}
    f.draw_linear(extra, "mlp.0", 8, width)
    f.draw_linear(extra, "mlp.2", 4, 8)
    f.draw(extra, "last_layer.weight_g", 6, 1)
    f.draw(extra, "last_layer.weight_v", 6, 4)
    return {f"teacher.head.{name}": tensor for name, tensor in extra.items()}
