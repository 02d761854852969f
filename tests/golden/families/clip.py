"""CLIP's vision towers: OpenAI's and OpenCLIP's names, and Hugging Face's for the same model."""
import torch

from . import formulas as f


class VisionTower:
    """The encoder, over a table of its names; the class's own are OpenAI's.

    Every layer's attention is a torch.nn.MultiheadAttention, the projection a bare matrix [D, E].
    pooled: CLIPA's; no norm before the layers, and the last norm is of the patches' mean.
    """

    CLASS, POSITIONS = "visual.class_embedding", "visual.positional_embedding"
    PATCHES, PRE, POST = "visual.conv1", "visual.ln_pre", "visual.ln_post"
    LAYER, NORM1, NORM2 = "visual.transformer.resblocks.{}", "ln_1", "ln_2"
    MLP = "mlp.c_fc", "mlp.c_proj"

    def __init__(self, width, heads, depth, embedding, patch, native, *, activation="quick_gelu",
                 eps=1e-5, resampling="bicubic", pooled=False):
        self.heads, self.depth, self.patch, self.native = heads, depth, patch, native
        self.activation, self.eps, self.resampling = activation, eps, resampling
        self.pooled = pooled
        w = self.w = f.Weights()
        f.draw(w, self.CLASS, width, std=1.0)
        f.draw(w, self.positions(), 1 + native[0] * native[1], width, std=1.0)
        f.draw(w, f"{self.PATCHES}.weight", width, 3, patch, patch, std=(3 * patch * patch) ** -0.5)
        if not pooled:
            f.draw_norm(w, self.PRE, width)
        f.draw_norm(w, self.POST, width)
        for layer in range(depth):
            at = self.LAYER.format(layer)
            f.draw_norm(w, f"{at}.{self.NORM1}", width)
            f.draw_norm(w, f"{at}.{self.NORM2}", width)
            f.draw_linear(w, f"{at}.{self.MLP[0]}", 4 * width, width)
            f.draw_linear(w, f"{at}.{self.MLP[1]}", width, 4 * width)
            self.draw_attention(f"{at}", width)
        self.draw_projection(width, embedding)
        self.extra = self.text_tower()

    def positions(self):
        return self.POSITIONS

    def draw_attention(self, at, width):
        f.draw(self.w, f"{at}.attn.in_proj_weight", 3 * width, width, std=1.5 * width ** -0.5)
        f.draw(self.w, f"{at}.attn.in_proj_bias", 3 * width)
        f.draw_linear(self.w, f"{at}.attn.out_proj", width, width)

    def draw_projection(self, width, embedding):
        f.draw(self.w, "visual.proj", width, embedding, std=width ** -0.5)

    def text_tower(self):
        """A few of the other tensors in CLIP's files."""
        text = {"logit_scale": torch.tensor(4.6), "text_projection": torch.randn(4, 4),
                "positional_embedding": torch.randn(3, 4), "token_embedding.weight": torch.randn(5, 4)}
        f.draw_norm(text, "ln_final", 4)
        f.draw_norm(text, "transformer.resblocks.0.ln_1", 4)
        f.draw(text, "transformer.resblocks.0.attn.in_proj_weight", 12, 4)
        return text

    def file(self):
        return self.w | self.extra

    def queries_keys_values(self, at, x):
        packed = torch.nn.functional.linear(x, self.w[f"{at}.attn.in_proj_weight"],
                                            self.w[f"{at}.attn.in_proj_bias"])
        return packed.chunk(3, -1)

    def attention(self, at, x):
        query, key, value = (f.cut_heads(t, self.heads) for t in self.queries_keys_values(at, x))
        found = f.attend(query, key, value, query.shape[-1] ** -0.5)
        found["projection"] = self.project_heads(at, found["concat"])
        return found

    def project_heads(self, at, x):
        return self.w.linear(f"{at}.attn.out_proj", x)

    def project(self, x):
        return x @ self.w["visual.proj"]

    def layer(self, layer, x):
        w, at = self.w, self.LAYER.format(layer)
        return f.block(x, lambda t: w.norm(f"{at}.{self.NORM1}", t, self.eps),
                       lambda t: self.attention(at, t),
                       lambda t: w.norm(f"{at}.{self.NORM2}", t, self.eps),
                       lambda t: w.linear(f"{at}.{self.MLP[0]}", t), self.activation,
                       lambda t: w.linear(f"{at}.{self.MLP[1]}", t))

    def steps(self, pixels):
        w, found = self.w, {}
        found["tokens.patches"] = f.patches(pixels, self.patch)
        x = found["tokens.embedded"] = w.convolution(self.PATCHES, pixels)
        table = f.resample(w[self.positions()][None], 1, self.native,
                           f.grid_of(pixels, self.patch), self.resampling)
        found["positions"] = table
        x = torch.cat([w[self.CLASS].expand(len(x), 1, -1), x], 1) + table
        if not self.pooled:
            x = w.norm(self.PRE, x, self.eps)
        found["tokens.input"] = x  # what the first layer reads
        x = f.layers(found, x, self.depth, self.layer)
        if self.pooled:
            found["fc_norm"] = w.norm(self.POST, x[:, 1:].mean(1), self.eps)
            found["embedding"] = self.project(found["fc_norm"])
            return found
        found["norm"] = w.norm(self.POST, x, self.eps)  # CLIP's code does it for the class token
        found["pooler"] = found["norm"][:, 0]
        found["embedding"] = self.project(found["pooler"])
        return found


class HuggingFaceTower(VisionTower):
    """The same tower in Hugging Face's CLIPModel, which spells it pre_layrnorm."""

    CLASS = "vision_model.embeddings.class_embedding"
    POSITIONS = "vision_model.embeddings.position_embedding.weight"
    PATCHES = "vision_model.embeddings.patch_embedding"
    PRE, POST = "vision_model.pre_layrnorm", "vision_model.post_layernorm"
    LAYER, NORM1, NORM2 = "vision_model.encoder.layers.{}", "layer_norm1", "layer_norm2"
    MLP = "mlp.fc1", "mlp.fc2"

    def draw_attention(self, at, width):
        for name in ("k_proj", "v_proj", "q_proj", "out_proj"):
            f.draw_linear(self.w, f"{at}.self_attn.{name}", width, width)

    def draw_projection(self, width, embedding):
        f.draw_linear(self.w, "visual_projection", embedding, width, bias=False)

    def text_tower(self):
        text = {"logit_scale": torch.tensor(4.6), "text_projection.weight": torch.randn(4, 4),
                "vision_model.embeddings.position_ids": torch.arange(10.0)[None],
                "text_model.embeddings.token_embedding.weight": torch.randn(5, 4)}
        f.draw_norm(text, "text_model.encoder.layers.0.layer_norm1", 4)
        f.draw_linear(text, "text_model.encoder.layers.0.self_attn.q_proj", 4, 4)
        return text

    def queries_keys_values(self, at, x):
        return (self.w.linear(f"{at}.self_attn.{name}", x) for name in ("q_proj", "k_proj", "v_proj"))

    def project_heads(self, at, x):
        return self.w.linear(f"{at}.self_attn.out_proj", x)

    def project(self, x):
        return self.w.linear("visual_projection", x)
