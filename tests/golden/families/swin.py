"""Swin as its authors wrote it, in four naming schemes: windows are cut from a rolled map; each
gets a bias by offset, and −100 between regions that are not adjacent."""
import torch

from . import formulas as f

# `merge`: of the stage that begins with it (0) or of the one before (−1).
TIMM = {"patches": "patch_embed.proj", "patch_norm": "patch_embed.norm",
        "layer": "layers.{}.blocks.{}.", "merge": ("layers.{}.downsample.", 0),
        "norm1": "norm1", "norm2": "norm2", "qkv": "attn.qkv", "projection": "attn.proj",
        "table": "attn.relative_position_bias_table", "mlp": ("mlp.fc1", "mlp.fc2"),
        "norm": "norm", "head": "head.fc"}
AUTHORS = TIMM | {"merge": ("layers.{}.downsample.", -1), "head": "head"}
TORCHVISION = TIMM | {"patches": "features.0.0", "patch_norm": "features.0.2",
                      "layer": "features.{}.{}.", "merge": ("features.{}.", 0),
                      "mlp": ("mlp.0", "mlp.3"), "head": "head"}
HUGGINGFACE = {"patches": "embeddings.patch_embeddings.projection",
               "patch_norm": "embeddings.norm",
               "layer": "encoder.layers.{}.blocks.{}.", "merge": ("encoder.layers.{}.downsample.", -1),
               "norm1": "layernorm_before", "norm2": "layernorm_after",
               "qkv": ("attention.self.query", "attention.self.key", "attention.self.value"),
               "projection": "attention.output.dense",
               "table": "attention.self.relative_position_bias_table",
               "mlp": ("intermediate.dense", "output.dense"), "norm": "layernorm",
               "head": "classifier"}
EPS = 1e-5


def partition(x, size):
    """[B, H, W, C] to [B·windows, size², C]."""
    b, h, w, c = x.shape
    x = x.view(b, h // size, size, w // size, size, c)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, size * size, c)


def reverse(windows, size, h, w):
    x = windows.view(-1, h // size, w // size, size, size, windows.shape[-1])
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, h, w, windows.shape[-1])


def attention_mask(h, w, size, shift):
    """[windows, size², size²]"""
    regions = torch.zeros(1, h, w, 1)
    sides = (slice(0, -size), slice(-size, -shift), slice(-shift, None))
    for number, (rows, cols) in enumerate((r, c) for r in sides for c in sides):
        regions[:, rows, cols, :] = number
    regions = partition(regions, size).squeeze(-1)
    apart = regions.unsqueeze(1) - regions.unsqueeze(2)
    return apart.masked_fill(apart != 0, -100.0)


def relative_position_index(size):
    """[size², size²]"""
    along = torch.arange(size)
    places = torch.stack(torch.meshgrid(along, along, indexing="ij")).flatten(1)
    offsets = (places[:, :, None] - places[:, None, :]).permute(1, 2, 0).contiguous()
    offsets += size - 1
    offsets[:, :, 0] *= 2 * size - 1
    return offsets.sum(-1)


class Swin:
    """`grid`: rows and columns of patches; `windows`: one for each stage."""

    def __init__(self, names, width, heads, depths, windows, patch, grid, *, prefix="", classes=5,
                 qkv_bias=True, positions=False, buffers=False):
        self.names, self.heads, self.depths, self.windows = names, heads, depths, windows
        self.patch, self.grid, self.prefix, self.outer = patch, grid, prefix, names["head"]
        self.positions, self.torchvision = positions, names is TORCHVISION
        self.extra = {}
        w = self.w = f.Weights()
        f.draw(w, f"{names['patches']}.weight", width, 3, patch, patch,
               std=(3 * patch * patch) ** -0.5)
        f.draw(w, f"{names['patches']}.bias", width)
        if positions:
            f.draw(w, "absolute_pos_embed", 1, grid[0] * grid[1], width, std=1.0)
        else:
            f.draw_norm(w, names["patch_norm"], width)
        for stage, depth in enumerate(depths):
            c = width * 2 ** stage
            if stage > 0:
                f.draw_norm(w, self.merge(stage) + "norm", 2 * c)
                f.draw_linear(w, self.merge(stage) + "reduction", c, 2 * c, bias=False)
            for block in range(depth):
                self.draw_block(stage, block, c, qkv_bias, buffers)
        last = width * 2 ** (len(depths) - 1)
        f.draw_norm(w, names["norm"], last)
        if classes:
            f.draw_linear(w, names["head"], classes, last)

    def layer(self, stage, block):
        return self.names["layer"].format(2 * stage + 1 if self.torchvision else stage, block)

    def merge(self, stage):
        name, back = self.names["merge"]
        return name.format(2 * stage if self.torchvision else stage + back)

    def size_and_shift(self, stage, block):
        size, grid = self.windows[stage], self.grid_of(stage)
        return size, 0 if block % 2 == 0 or min(grid) <= size else size // 2

    def grid_of(self, stage):
        return tuple(side // 2 ** stage for side in self.grid)

    def draw_block(self, stage, block, c, qkv_bias, buffers):
        w, names, at = self.w, self.names, self.layer(stage, block)
        size, shift = self.size_and_shift(stage, block)
        f.draw_norm(w, at + names["norm1"], c)
        f.draw_norm(w, at + names["norm2"], c)
        if isinstance(names["qkv"], tuple):
            for part in names["qkv"]:
                f.draw_linear(w, at + part, c, c, qkv_bias)
        else:
            f.draw_linear(w, at + names["qkv"], 3 * c, c, qkv_bias)
        f.draw_linear(w, at + names["projection"], c, c)
        f.draw(w, at + names["table"], (2 * size - 1) ** 2, self.heads[stage], std=1.0)
        f.draw_linear(w, at + names["mlp"][0], 2 * c, c)
        f.draw_linear(w, at + names["mlp"][1], c, 2 * c)
        if buffers:
            index = relative_position_index(size)
            name = names["table"].replace("bias_table", "index")
            self.extra[at + name] = index.flatten() if self.torchvision else index
        if buffers and shift and names is AUTHORS:
            self.extra[at + "attn_mask"] = attention_mask(*self.grid_of(stage), size, shift)

    def file(self):
        """The head is separate from Hugging Face's encoder."""
        named = self.w | self.extra
        outer = self.names is HUGGINGFACE
        return {name if outer and name.startswith(self.outer) else self.prefix + name: tensor
                for name, tensor in named.items()}

    def queries_keys_values(self, at, x):
        w, names = self.w, self.names
        if isinstance(names["qkv"], tuple):
            return [w.linear(at + part, x) for part in names["qkv"]]
        return w.linear(at + names["qkv"], x).chunk(3, -1)

    def attention(self, stage, block, x):
        """x: [B, N, C] in the order of the map, like everything except scores and attention."""
        w, names, at = self.w, self.names, self.layer(stage, block)
        heads, (h, wide) = self.heads[stage], self.grid_of(stage)
        size, shift = self.size_and_shift(stage, block)
        rolled = torch.roll(x.unflatten(1, (h, wide)), (-shift, -shift), (1, 2))
        windows = partition(rolled, size)
        query, key, value = (f.cut_heads(t, heads) for t in self.queries_keys_values(at, windows))
        table, index = w[at + names["table"]], relative_position_index(size)
        bias = table[index.flatten()].view(size * size, size * size, heads).permute(2, 0, 1)
        scores = query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5 + bias
        count = len(scores) // len(x)
        if shift:
            mask = attention_mask(h, wide, size, shift).to(scores)
            scores = (scores.unflatten(0, (-1, count)) + mask[None, :, None]).flatten(0, 1)
        attention = scores.softmax(-1)
        read = attention @ value

        def in_map(t):
            t = reverse(t.transpose(1, 2).flatten(-2), size, h, wide)
            return torch.roll(t, (shift, shift), (1, 2)).flatten(1, 2)

        found = {name: f.cut_heads(in_map(t), heads)
                 for name, t in {"query": query, "key": key, "value": value}.items()}
        found |= {"relative_bias": bias.expand(count, -1, -1, -1), "scores": scores,
                  "attention": attention, "heads": f.cut_heads(in_map(read), heads)}
        found["concat"] = in_map(read)
        found["projection"] = w.linear(at + names["projection"], found["concat"])
        return found

    def merged(self, found, stage, x, number):
        w, at = self.w, self.merge(stage)
        x = x.unflatten(1, self.grid_of(stage - 1))
        parts = [x[:, row::2, col::2] for row, col in ((0, 0), (1, 0), (0, 1), (1, 1))]
        x = found[f"layer.{number}.merge_gathered"] = torch.cat(parts, -1).flatten(1, 2)
        x = found[f"layer.{number}.merge_norm"] = w.norm(at + "norm", x, EPS)
        x = found[f"layer.{number}.input"] = w.linear(at + "reduction", x)
        return x

    def block(self, stage, block, x):
        w, names, at = self.w, self.names, self.layer(stage, block)
        return f.block(x, lambda t: w.norm(at + names["norm1"], t, EPS),
                       lambda t: self.attention(stage, block, t),
                       lambda t: w.norm(at + names["norm2"], t, EPS),
                       lambda t: w.linear(at + names["mlp"][0], t), "gelu",
                       lambda t: w.linear(at + names["mlp"][1], t))

    def steps(self, pixels):
        w, names, found, number = self.w, self.names, {}, 0
        found["tokens.patches"] = f.patches(pixels, self.patch)
        x = found["tokens.embedded"] = w.convolution(names["patches"], pixels)
        if self.positions:
            found["positions"] = w["absolute_pos_embed"]
            x = x + w["absolute_pos_embed"]
        else:
            x = w.norm(names["patch_norm"], x, EPS)
        found["tokens.input"] = x
        for stage, depth in enumerate(self.depths):
            if stage > 0:
                x = self.merged(found, stage, x, number)
            for block in range(depth):
                for name, tensor in self.block(stage, block, x).items():
                    found[f"layer.{number}.{name}"] = tensor
                x = found[f"layer.{number}.output"]
                number += 1
        x = found["norm"] = w.norm(names["norm"], x, EPS)
        if f"{names['head']}.weight" in w:
            found["logits"] = w.linear(names["head"], x.mean(1))
        else:
            found["pooler"] = x.mean(1)
        return found
