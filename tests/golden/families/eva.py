"""EVA and EVA-02 in timm's names, and EVA-02 in its authors': absolute positions, and in EVA-02
rotary ones too."""
import torch

from . import formulas as f
from . import rotary


class Eva:
    """fused     one product for query, key and value, with biases of their own; or three products
    rotary    EVA-02: queries and keys are turned, and the MLP is gated
    sub_norm  what the projection reads is normalised; mlp_norm: what the MLP's second product reads
    packed    gate and up are one product
    pooled    the head reads the patches' mean, after its norm
    authors   the file has the authors' names and their tables of the rotation
    """

    # timm's names, and the authors' for the same tensors; with their head the output is CLIP's
    # embedding.
    AUTHORS = {"attn.q_proj.bias": "attn.q_bias", "attn.v_proj.bias": "attn.v_bias",
               "attn.norm.": "attn.inner_attn_ln.", "mlp.norm.": "mlp.ffn_ln.",
               "mlp.fc1_g.": "mlp.w1.", "mlp.fc1_x.": "mlp.w2.", "mlp.fc2.": "mlp.w3."}

    def __init__(self, width, heads, depth, hidden, patch, native, *, fused=False, rotary=True,
                 sub_norm=False, mlp_norm=False, packed=False, pooled=True, authors=False,
                 classes=5, reference=(16, 16)):
        self.heads, self.depth, self.patch, self.native = heads, depth, patch, native
        self.fused, self.rotary, self.pooled, self.eps = fused, rotary, pooled, 1e-6
        self.authors, self.reference = authors, reference
        self.first = ["fc1"] if packed or not rotary else ["fc1_g", "fc1_x"]
        w = self.w = f.Weights()
        f.draw(w, "cls_token", 1, 1, width, std=1.0)
        f.draw(w, "pos_embed", 1, 1 + native[0] * native[1], width, std=1.0)
        f.draw(w, "patch_embed.proj.weight", width, 3, patch, patch, std=(3 * patch * patch) ** -0.5)
        f.draw(w, "patch_embed.proj.bias", width)
        for layer in range(depth):
            at = f"blocks.{layer}"
            f.draw_norm(w, f"{at}.norm1", width)
            f.draw_norm(w, f"{at}.norm2", width)
            self.draw_attention(f"{at}.attn", width)
            if sub_norm:
                f.draw_norm(w, f"{at}.attn.norm", width)
            f.draw_linear(w, f"{at}.attn.proj", width, width)
            for name in self.first:
                f.draw_linear(w, f"{at}.mlp.{name}", 2 * hidden if packed else hidden, width)
            if mlp_norm:
                f.draw_norm(w, f"{at}.mlp.norm", hidden)
            f.draw_linear(w, f"{at}.mlp.fc2", width, hidden)
        f.draw_norm(w, "fc_norm" if pooled else "norm", width)
        f.draw_linear(w, "head", classes, width)

    def draw_attention(self, at, width):
        w = self.w
        if self.fused:
            f.draw_linear(w, f"{at}.qkv", 3 * width, width, bias=False)
            f.draw(w, f"{at}.q_bias", width)
            f.draw(w, f"{at}.v_bias", width)
            return
        for part in ("q", "k", "v"):
            f.draw_linear(w, f"{at}.{part}_proj", width, width, bias=part != "k")

    def file(self):
        if not self.authors:
            return dict(self.w)
        file = self.authors_tables()
        for name, tensor in self.w.items():
            for theirs in self.AUTHORS.items():
                name = name.replace(*theirs)
            file[f"visual.{name}"] = tensor
        return file

    def authors_tables(self):
        """Of the grid of training, in the model and again in each layer; each angle stands for both
        channels of its pair."""
        head_dim = self.w["cls_token"].shape[-1] // self.heads
        angles = rotary.eva(*self.native, head_dim, self.reference).repeat_interleave(2, 1)
        return {f"visual.{at}rope.freqs_{name}": table.float()
                for at in ["", *(f"blocks.{layer}.attn." for layer in range(self.depth))]
                for name, table in (("cos", angles.cos()), ("sin", angles.sin()))}

    def queries_keys_values(self, at, x):
        w = self.w
        if not self.fused:
            return [w.linear(f"{at}.{part}_proj", x) for part in ("q", "k", "v")]
        query, key, value = (x @ w[f"{at}.qkv.weight"].T).chunk(3, -1)
        return [query + w[f"{at}.q_bias"], key, value + w[f"{at}.v_bias"]]

    def attention(self, at, x):
        w = self.w
        query, key, value = (f.cut_heads(t, self.heads) for t in self.queries_keys_values(at, x))
        unrotated = {}
        if self.rotary:
            unrotated = {"query_unrotated": query, "key_unrotated": key}
            pairs, angles = rotary.neighbors(query.shape[-1]), self.angles.to(x.dtype)
            query, key = (rotary.turn(t, 1, angles, pairs) for t in (query, key))
        found = f.attend(query, key, value, query.shape[-1] ** -0.5) | unrotated
        x = found["concat"]
        if f"{at}.norm.weight" in w:
            x = found["concat_norm"] = w.norm(f"{at}.norm", x, self.eps)
        found["projection"] = w.linear(f"{at}.proj", x)
        return found

    def layer(self, layer, x):
        w, at = self.w, f"blocks.{layer}"
        norm = f"{at}.mlp.norm"
        return f.block(x, lambda t: w.norm(f"{at}.norm1", t, self.eps),
                       lambda t: self.attention(f"{at}.attn", t),
                       lambda t: w.norm(f"{at}.norm2", t, self.eps),
                       lambda t: torch.cat([w.linear(f"{at}.mlp.{n}", t) for n in self.first], -1),
                       "swiglu" if self.rotary else "gelu", lambda t: w.linear(f"{at}.mlp.fc2", t),
                       mlp_norm=(lambda t: w.norm(norm, t, self.eps))
                       if f"{norm}.weight" in w else None)

    def steps(self, pixels):
        w, found = self.w, {}
        grid = f.grid_of(pixels, self.patch)
        found["tokens.patches"] = f.patches(pixels, self.patch)
        x = found["tokens.embedded"] = w.convolution("patch_embed.proj", pixels)
        table = f.resample(w["pos_embed"], 1, self.native, grid, "antialiased")
        found["positions"] = table
        x = torch.cat([w["cls_token"].expand(len(pixels), -1, -1), x], 1) + table
        found["tokens.input"] = x
        self.angles = rotary.eva(*grid, x.shape[-1] // self.heads, self.reference)
        x = f.layers(found, x, self.depth, self.layer)
        if self.pooled:
            found["fc_norm"] = w.norm("fc_norm", x[:, 1:].mean(1), self.eps)
            found["logits"] = w.linear("head", found["fc_norm"])
        else:
            found["norm"] = w.norm("norm", x, self.eps)
            found["embedding" if self.authors else "logits"] = w.linear("head", found["norm"][:, 0])
        return found
