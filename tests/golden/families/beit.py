"""BEiT in timm's names and in Hugging Face's: a learned relative position bias."""
import torch

from . import formulas as f

TIMM = {"cls": "cls_token", "patches": "patch_embed.proj", "layer": "blocks.{}.", "norm1": "norm1",
        "norm2": "norm2", "projection": "attn.proj", "mlp": ("mlp.fc1", "mlp.fc2"),
        "ls": "gamma_{}", "own": "attn.relative_position_bias_table",
        "shared": "rel_pos_bias.relative_position_bias_table", "pooled": "fc_norm", "head": "head",
        "eps": 1e-6}
HUGGINGFACE = {"cls": "beit.embeddings.cls_token",
               "patches": "beit.embeddings.patch_embeddings.projection",
               "layer": "beit.encoder.layer.{}.", "norm1": "layernorm_before",
               "norm2": "layernorm_after", "projection": "attention.output.dense",
               "mlp": ("intermediate.dense", "output.dense"), "ls": "lambda_{}",
               "own": "attention.attention.relative_position_bias.relative_position_bias_table",
               "shared": "beit.encoder.relative_position_bias.relative_position_bias_table",
               "pooled": "beit.pooler.layernorm", "head": "classifier", "eps": 1e-12}


class Beit:
    """grid: rows and columns of patches; shared: one table for all layers; `pooled`: the head reads
    the patches' mean."""

    def __init__(self, names, width, heads, depth, hidden, patch, grid, *, shared=False, pooled=True,
                 classes=5):
        self.names, self.heads, self.depth, self.patch = names, heads, depth, patch
        self.grid, self.shared, self.pooled = grid, shared, pooled
        self.extra = {}
        w = self.w = f.Weights()
        f.draw(w, names["cls"], 1, 1, width, std=1.0)
        f.draw(w, f"{names['patches']}.weight", width, 3, patch, patch,
               std=(3 * patch * patch) ** -0.5)
        f.draw(w, f"{names['patches']}.bias", width)
        offsets = (2 * grid[0] - 1) * (2 * grid[1] - 1) + 3
        if shared:
            f.draw(w, names["shared"], offsets, heads, std=1.0)
        for layer in range(depth):
            at = names["layer"].format(layer)
            f.draw_norm(w, at + names["norm1"], width)
            f.draw_norm(w, at + names["norm2"], width)
            self.draw_attention(at, width)
            if not shared:
                f.draw(w, at + names["own"], offsets, heads, std=1.0)
                index = names["own"].replace("bias_table", "index")
                self.extra[at + index] = torch.zeros(2, 2)  # follows from the grid
            f.draw_linear(w, at + names["projection"], width, width)
            f.draw_linear(w, at + names["mlp"][0], hidden, width)
            f.draw_linear(w, at + names["mlp"][1], width, hidden)
            for number in (1, 2):
                f.draw(w, at + names["ls"].format(number), width, std=1.0)
        f.draw_norm(w, names["pooled"] if pooled else "norm", width)
        f.draw_linear(w, names["head"], classes, width)

    def draw_attention(self, at, width):
        w = self.w
        if self.names is HUGGINGFACE:
            for part in ("query", "key", "value"):
                f.draw_linear(w, f"{at}attention.attention.{part}", width, width, part != "key")
            return
        f.draw_linear(w, f"{at}attn.qkv", 3 * width, width, bias=False)
        f.draw(w, f"{at}attn.q_bias", width)
        f.draw(w, f"{at}attn.v_bias", width)

    def file(self):
        return self.w | self.extra

    def bias(self, at):
        """[H, N, N], for each pair: query minus key; then the three rows of the class token."""
        table = self.w[self.names["shared"] if self.shared else at + self.names["own"]]
        (rows, cols), count = self.grid, 1 + self.grid[0] * self.grid[1]
        bias = torch.empty(self.heads, count, count, dtype=table.dtype)
        for query in range(count):
            for key in range(count):
                if query and key:
                    (r, c), (s, d) = divmod(query - 1, cols), divmod(key - 1, cols)
                    row = (r - s + rows - 1) * (2 * cols - 1) + c - d + cols - 1
                else:
                    row = len(table) - (3 if key else 2 if query else 1)
                bias[:, query, key] = table[row]
        return bias

    def queries_keys_values(self, at, x):
        w = self.w
        if self.names is HUGGINGFACE:
            return [w.linear(f"{at}attention.attention.{part}", x)
                    for part in ("query", "key", "value")]
        query, key, value = (x @ w[f"{at}attn.qkv.weight"].T).chunk(3, -1)
        return [query + w[f"{at}attn.q_bias"], key, value + w[f"{at}attn.v_bias"]]

    def attention(self, at, x):
        query, key, value = (f.cut_heads(t, self.heads) for t in self.queries_keys_values(at, x))
        found = {"query": query, "key": key, "value": value}
        found["scores"] = query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5 + self.bias(at)
        found["attention"] = found["scores"].softmax(-1)
        found["heads"] = found["attention"] @ value
        found["concat"] = found["heads"].transpose(1, 2).flatten(-2)
        found["projection"] = self.w.linear(at + self.names["projection"], found["concat"])
        return found

    def layer(self, layer, x):
        w, names = self.w, self.names
        at = names["layer"].format(layer)
        return f.block(x, lambda t: w.norm(at + names["norm1"], t, names["eps"]),
                       lambda t: self.attention(at, t),
                       lambda t: w.norm(at + names["norm2"], t, names["eps"]),
                       lambda t: w.linear(at + names["mlp"][0], t), "gelu",
                       lambda t: w.linear(at + names["mlp"][1], t),
                       w[at + names["ls"].format(1)], w[at + names["ls"].format(2)])

    def steps(self, pixels):
        w, names, found = self.w, self.names, {}
        found["tokens.patches"] = f.patches(pixels, self.patch)
        x = found["tokens.embedded"] = w.convolution(names["patches"], pixels)
        x = torch.cat([w[names["cls"]].expand(len(pixels), -1, -1), x], 1)
        found["tokens.input"] = x
        x = f.layers(found, x, self.depth, self.layer)
        if self.pooled:
            pooled = found["fc_norm"] = w.norm(names["pooled"], x[:, 1:].mean(1), names["eps"])
            if names is HUGGINGFACE:
                found["pooler"] = pooled
        else:
            found["norm"] = w.norm("norm", x, names["eps"])
            pooled = found["norm"][:, 0]
        found["logits"] = w.linear(names["head"], pooled)
        return found
