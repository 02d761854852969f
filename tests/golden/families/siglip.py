"""SigLIP's vision tower in Hugging Face's names, and SigLIP 2's for pictures of any aspect (NaFlex)."""
import torch
from torch.nn import functional as F

from . import formulas as f

PREFIX = "vision_model."


def pooled_by_attention(found, query, key, value, projection, norm, mlp_in, activation, mlp_out):
    """The steps after the three projections of attention pooling, added to found. Heads are already
    split."""
    steps = f.attend(query, key, value, query.shape[-1] ** -0.5)
    steps["projection"] = projection(steps["concat"])
    steps["norm"] = norm(steps["projection"])
    steps["mlp_hidden"] = mlp_in(steps["norm"])
    steps["mlp_activation"] = f.ACTIVATIONS[activation](steps["mlp_hidden"])
    steps["mlp"] = mlp_out(steps["mlp_activation"])
    found["pooler"] = (steps["projection"] + steps["mlp"])[:, 0]
    for name, tensor in steps.items():
        found[f"pool.{name}"] = tensor


class VisionTower:
    """`padded`: NaFlex's number of tokens, most of them patches; 0: a convolution, and no padding.
    `classes`: of a classifier over the mean of the patches, which does not need the pooling."""

    def __init__(self, width, heads, depth, hidden, patch, native, *, padded=0,
                 activation="gelu_tanh", classes=0):
        self.classes = classes
        self.heads, self.depth, self.patch, self.native = heads, depth, patch, native
        self.width, self.padded, self.activation, self.eps = width, padded, activation, 1e-6
        w = self.w = f.Weights()
        embedding = (width, 3 * patch * patch) if padded else (width, 3, patch, patch)
        f.draw(w, f"{PREFIX}embeddings.patch_embedding.weight", *embedding,
               std=(3 * patch * patch) ** -0.5)
        f.draw(w, f"{PREFIX}embeddings.patch_embedding.bias", width)
        f.draw(w, f"{PREFIX}embeddings.position_embedding.weight", native[0] * native[1], width,
               std=1.0)
        for layer in range(depth):
            at = self.at(layer)
            f.draw_norm(w, f"{at}.layer_norm1", width)
            f.draw_norm(w, f"{at}.layer_norm2", width)
            for name in ("k_proj", "v_proj", "q_proj", "out_proj"):
                f.draw_linear(w, f"{at}.self_attn.{name}", width, width)
            f.draw_linear(w, f"{at}.mlp.fc1", hidden, width)
            f.draw_linear(w, f"{at}.mlp.fc2", width, hidden)
        f.draw_norm(w, f"{PREFIX}post_layernorm", width)
        head = f"{PREFIX}head"
        f.draw(w, f"{head}.probe", 1, 1, width, std=1.0)
        f.draw(w, f"{head}.attention.in_proj_weight", 3 * width, width, std=1.5 * width ** -0.5)
        f.draw(w, f"{head}.attention.in_proj_bias", 3 * width)
        f.draw_linear(w, f"{head}.attention.out_proj", width, width)
        f.draw_norm(w, f"{head}.layernorm", width)
        f.draw_linear(w, f"{head}.mlp.fc1", hidden, width)
        f.draw_linear(w, f"{head}.mlp.fc2", width, hidden)
        if classes:
            f.draw_linear(w, "classifier", classes, width)
            self.extra = {}
            return
        self.extra = {"logit_scale": torch.tensor([4.6]), "logit_bias": torch.tensor([-12.9]),
                      "text_model.embeddings.token_embedding.weight": torch.randn(5, 4)}
        f.draw_linear(self.extra, "text_model.head", 4, 4)

    @staticmethod
    def at(layer):
        return f"{PREFIX}encoder.layers.{layer}"

    def file(self):
        return self.w | self.extra

    def attention(self, at, x, mask):
        query, key, value = (f.cut_heads(self.w.linear(f"{at}.self_attn.{name}", x), self.heads)
                             for name in ("q_proj", "k_proj", "v_proj"))
        found = {"query": query, "key": key, "value": value}
        found["scores"] = query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5 + mask
        found["attention"] = found["scores"].softmax(-1)
        found["heads"] = found["attention"] @ value
        found["concat"] = found["heads"].transpose(1, 2).flatten(-2)
        found["projection"] = self.w.linear(f"{at}.self_attn.out_proj", found["concat"])
        return found

    def layer(self, layer, x, mask):
        w, at = self.w, self.at(layer)
        return f.block(x, lambda t: w.norm(f"{at}.layer_norm1", t, self.eps),
                       lambda t: self.attention(at, t, mask),
                       lambda t: w.norm(f"{at}.layer_norm2", t, self.eps),
                       lambda t: w.linear(f"{at}.mlp.fc1", t), self.activation,
                       lambda t: w.linear(f"{at}.mlp.fc2", t))

    def embed(self, pixels):
        """NaFlex's processor lists a patch pixel by pixel, with all colors of a pixel together."""
        name = f"{PREFIX}embeddings.patch_embedding"
        if not self.padded:
            return self.w.convolution(name, pixels)
        p = self.patch
        cells = pixels.unfold(2, p, p).unfold(3, p, p).permute(0, 2, 3, 4, 5, 1)
        return self.w.linear(name, cells.flatten(3).flatten(1, 2))

    def table(self, grid):
        table = self.w[f"{PREFIX}embeddings.position_embedding.weight"][None]
        if not self.padded:
            return f.resample(table, 0, self.native, grid, "bicubic")
        square = table.unflatten(1, self.native).permute(0, 3, 1, 2)
        found = F.interpolate(square, size=grid, mode="bilinear", align_corners=False,
                              antialias=True)
        return found.flatten(2).transpose(1, 2)

    def pad(self, x):
        """Padding rows after the patches, large enough to be noticed if they were used."""
        missing = max(0, self.padded - x.shape[1])
        return torch.cat([x, 9 * torch.ones_like(x[:, :1]).expand(-1, missing, -1)], 1)

    def pool(self, found, x, mask):
        w, head = self.w, f"{PREFIX}head"
        weight = w[f"{head}.attention.in_proj_weight"].chunk(3)
        bias = w[f"{head}.attention.in_proj_bias"].chunk(3)
        probe = found["pool.probe"] = w[f"{head}.probe"].expand(len(x), -1, -1)
        count = int((mask == 0).sum())  # the others are hidden
        query, key, value = (f.cut_heads(F.linear(t, weight[i], bias[i]), self.heads)
                             for i, t in enumerate((probe, x[:, :count], x[:, :count])))
        pooled_by_attention(found, query, key, value,
                            lambda t: w.linear(f"{head}.attention.out_proj", t),
                            lambda t: w.norm(f"{head}.layernorm", t, self.eps),
                            lambda t: w.linear(f"{head}.mlp.fc1", t), self.activation,
                            lambda t: w.linear(f"{head}.mlp.fc2", t))

    def steps(self, pixels):
        found = {"tokens.patches": f.patches(pixels, self.patch)}
        count = found["tokens.patches"].shape[1]
        x = found["tokens.embedded"] = self.embed(pixels)
        table = found["positions"] = self.table(f.grid_of(pixels, self.patch))
        found["tokens.input"] = x + table
        x = self.pad(found["tokens.input"])
        mask = torch.zeros(x.shape[1], dtype=x.dtype)
        mask[count:] = torch.finfo(torch.float32).min
        x = f.layers(found, x, self.depth, lambda layer, t: self.layer(layer, t, mask))
        x = found["norm"] = self.w.norm(f"{PREFIX}post_layernorm", x, self.eps)
        if self.classes:
            found["logits"] = self.w.linear("classifier", x[:, :count].mean(1))
        else:
            self.pool(found, x, mask)
        self.padded_steps = dict(found)
        # Removes the padding from padded results.
        for name, tensor in found.items():
            if name.startswith("layer.") or name == "norm":
                tensor = tensor[..., :count, :]
                found[name] = tensor[..., :count] if name.endswith(("scores", "attention")) else tensor
        return found
