"""Hugging Face's ViT, DeiT and DINOv2: queries, keys and values apart, older and newer names."""
import torch

from . import formulas as f

OLD = {"layer": "encoder.layer.{}", "query": "attention.attention.query",
       "key": "attention.attention.key", "value": "attention.attention.value",
       "projection": "attention.output.dense", "mlp_in": "intermediate.dense",
       "mlp_out": "output.dense", "norm1": "layernorm_before", "norm2": "layernorm_after"}
NEW = OLD | {"layer": "layers.{}", "query": "attention.q_proj", "key": "attention.k_proj",
             "value": "attention.v_proj", "projection": "attention.o_proj", "mlp_in": "mlp.fc1",
             "mlp_out": "mlp.fc2"}
DINOV2 = OLD | {"mlp_in": "mlp.fc1", "mlp_out": "mlp.fc2", "norm1": "norm1", "norm2": "norm2"}
DINOV2_SWIGLU = DINOV2 | {"mlp_in": "mlp.weights_in", "mlp_out": "mlp.weights_out"}


class Encoder:
    """The arguments are the differences between files; `head` is the input of the classifier:
    nothing, the class token, the class token and the patches' mean, or one head per special
    token."""

    def __init__(self, names, width, heads, depth, hidden, patch, native, *, prefix="", head="none",
                 classes=5, distillation=False, registers=0, layer_scale=False, mask_token=False,
                 pooler=False, eps=1e-12, resampling="bicubic", activation="gelu"):
        self.names, self.heads, self.depth, self.patch = names, heads, depth, patch
        self.native, self.prefix, self.head, self.eps = native, prefix, head, eps
        self.distillation, self.registers = distillation, registers
        self.resampling, self.activation = resampling, activation
        self.extra = {}

        w = self.w = f.Weights()
        special = 2 if distillation else 1
        f.draw(w, self.embedding("cls_token"), 1, 1, width, std=1.0)
        if distillation:
            f.draw(w, self.embedding("distillation_token"), 1, 1, width, std=1.0)
        if mask_token:
            f.draw(self.extra, self.embedding("mask_token"), 1, width)
        if registers:
            f.draw(w, self.embedding("register_tokens"), 1, registers, width, std=1.0)
        f.draw(w, self.embedding("position_embeddings"), 1, special + native[0] * native[1], width,
               std=1.0)
        self.projection = self.embedding("patch_embeddings.projection")
        f.draw(w, f"{self.projection}.weight", width, 3, patch, patch, std=(3 * patch * patch) ** -0.5)
        f.draw(w, f"{self.projection}.bias", width)
        for layer in range(depth):
            f.draw_norm(w, self.at(layer, "norm1"), width)
            f.draw_norm(w, self.at(layer, "norm2"), width)
            for part in ("query", "key", "value", "projection"):
                f.draw_linear(w, self.at(layer, part), width, width)
            f.draw_linear(w, self.at(layer, "mlp_in"),
                          2 * hidden if activation == "swiglu" else hidden, width)
            f.draw_linear(w, self.at(layer, "mlp_out"), width, hidden)
            if layer_scale:
                f.draw(w, self.scale(layer, 1), width, std=1.0)
                f.draw(w, self.scale(layer, 2), width, std=1.0)
        f.draw_norm(w, f"{prefix}layernorm", width)
        if pooler:
            f.draw_linear(w, f"{prefix}pooler.dense", width, width)
        if head == "class":
            f.draw_linear(w, "classifier", classes, width)
        elif head == "class and patches":
            f.draw_linear(w, "classifier", classes, 2 * width)
        elif head == "both tokens":
            f.draw_linear(w, "cls_classifier", classes, width)
            f.draw_linear(w, "distillation_classifier", classes, width)

    def embedding(self, name):
        return f"{self.prefix}embeddings.{name}"

    def at(self, layer, part):
        return f"{self.prefix}{self.names['layer'].format(layer)}.{self.names[part]}"

    def scale(self, layer, number):
        return f"{self.prefix}{self.names['layer'].format(layer)}.layer_scale{number}.lambda1"

    def file(self):
        return self.w | self.extra

    def tokens(self, pixels, found):
        w, batch = self.w, len(pixels)
        found["tokens.patches"] = f.patches(pixels, self.patch)
        x = found["tokens.embedded"] = w.convolution(self.projection, pixels)
        special = [w[self.embedding("cls_token")].expand(batch, -1, -1)]
        if self.distillation:
            special.append(w[self.embedding("distillation_token")].expand(batch, -1, -1))
        table = f.resample(w[self.embedding("position_embeddings")], len(special), self.native,
                           f.grid_of(pixels, self.patch), self.resampling)
        found["positions"] = table
        x = torch.cat(special + [x], 1) + table
        if self.registers:
            registers = w[self.embedding("register_tokens")].expand(batch, -1, -1)
            x = torch.cat([x[:, :1], registers, x[:, 1:]], 1)
        found["tokens.input"] = x
        return x

    def attention(self, layer, x):
        query, key, value = (f.cut_heads(self.w.linear(self.at(layer, part), x), self.heads)
                             for part in ("query", "key", "value"))
        found = f.attend(query, key, value, query.shape[-1] ** -0.5)
        found["projection"] = self.w.linear(self.at(layer, "projection"), found["concat"])
        return found

    def layer(self, layer, x):
        w = self.w
        return f.block(x, lambda t: w.norm(self.at(layer, "norm1"), t, self.eps),
                       lambda t: self.attention(layer, t),
                       lambda t: w.norm(self.at(layer, "norm2"), t, self.eps),
                       lambda t: w.linear(self.at(layer, "mlp_in"), t), self.activation,
                       lambda t: w.linear(self.at(layer, "mlp_out"), t),
                       w.get(self.scale(layer, 1)), w.get(self.scale(layer, 2)))

    def steps(self, pixels):
        w, found = self.w, {}
        x = f.layers(found, self.tokens(pixels, found), self.depth, self.layer)
        x = found["norm"] = w.norm(f"{self.prefix}layernorm", x, self.eps)
        if f"{self.prefix}pooler.dense.weight" in w:
            found["pooler"] = w.linear(f"{self.prefix}pooler.dense", x[:, 0]).tanh()
        if self.head == "class":
            found["logits"] = w.linear("classifier", x[:, 0])
        elif self.head == "class and patches":
            mean = x[:, 1 + self.registers:].mean(1)
            found["logits"] = w.linear("classifier", torch.cat([x[:, 0], mean], -1))
        elif self.head == "both tokens":
            found["logits"] = (w.linear("cls_classifier", x[:, 0])
                               + w.linear("distillation_classifier", x[:, 1])) / 2
        return found
