#pragma once

#include <string>

#include "model_files.h"

// The names and shapes of small models that Headlight reads.
namespace headlight {

inline void add_linear(Shapes& shapes, const std::string& name, std::int64_t out, std::int64_t in,
                       bool bias = true) {
    shapes[name + ".weight"] = {out, in};
    if (bias) shapes[name + ".bias"] = {out};
}

inline void add_norm(Shapes& shapes, const std::string& name, std::int64_t width) {
    shapes[name + ".weight"] = {width};
    shapes[name + ".bias"] = {width};
}

inline constexpr std::int64_t kWidth = 64;

inline Shapes huggingface(const std::string& prefix) {
    Shapes shapes{{prefix + "embeddings.cls_token", {1, 1, kWidth}},
                  {prefix + "embeddings.position_embeddings", {1, 5, kWidth}},
                  {prefix + "embeddings.patch_embeddings.projection.weight", {kWidth, 3, 2, 2}},
                  {prefix + "embeddings.patch_embeddings.projection.bias", {kWidth}}};
    const std::string at = prefix + "encoder.layer.0.";
    add_norm(shapes, at + "layernorm_before", kWidth);
    add_norm(shapes, at + "layernorm_after", kWidth);
    for (const char* part : {"query", "key", "value"})
        add_linear(shapes, at + "attention.attention." + part, kWidth, kWidth);
    add_linear(shapes, at + "attention.output.dense", kWidth, kWidth);
    add_linear(shapes, at + "intermediate.dense", 8, kWidth);
    add_linear(shapes, at + "output.dense", kWidth, 8);
    add_norm(shapes, prefix + "layernorm", kWidth);
    return shapes;
}

// A small ViT in timm's names with the widths of vit_tiny (192, three heads), so that the number of
// heads follows from the width.
inline Shapes vit(const std::string& prefix = "", int layers = 2, std::int64_t width = 192) {
    Shapes shapes{{prefix + "cls_token", {1, 1, width}},
                  {prefix + "pos_embed", {1, 5, width}},
                  {prefix + "patch_embed.proj.weight", {width, 3, 2, 2}},
                  {prefix + "patch_embed.proj.bias", {width}},
                  {prefix + "norm.weight", {width}},
                  {prefix + "norm.bias", {width}}};
    for (int l = 0; l < layers; ++l) {
        const std::string at = prefix + "blocks." + std::to_string(l) + ".";
        for (const char* norm : {"norm1", "norm2"}) {
            shapes[at + norm + ".weight"] = {width};
            shapes[at + norm + ".bias"] = {width};
        }
        shapes[at + "attn.qkv.weight"] = {3 * width, width};
        shapes[at + "attn.qkv.bias"] = {3 * width};
        shapes[at + "attn.proj.weight"] = {width, width};
        shapes[at + "attn.proj.bias"] = {width};
        shapes[at + "mlp.fc1.weight"] = {8, width};
        shapes[at + "mlp.fc1.bias"] = {8};
        shapes[at + "mlp.fc2.weight"] = {width, 8};
        shapes[at + "mlp.fc2.bias"] = {width};
    }
    return shapes;
}

inline Shapes clip(std::int64_t width = kWidth) {
    Shapes shapes{{"visual.class_embedding", {width}},
                  {"visual.positional_embedding", {5, width}},
                  {"visual.conv1.weight", {width, 3, 2, 2}},
                  {"visual.proj", {width, 6}},
                  {"visual.transformer.resblocks.0.attn.in_proj_weight", {3 * width, width}},
                  {"visual.transformer.resblocks.0.attn.in_proj_bias", {3 * width}},
                  {"logit_scale", {}}};
    const std::string at = "visual.transformer.resblocks.0.";
    add_norm(shapes, "visual.ln_pre", width);
    add_norm(shapes, "visual.ln_post", width);
    add_norm(shapes, at + "ln_1", width);
    add_norm(shapes, at + "ln_2", width);
    add_linear(shapes, at + "attn.out_proj", width, width);
    add_linear(shapes, at + "mlp.c_fc", 8, width);
    add_linear(shapes, at + "mlp.c_proj", width, 8);
    for (int l = 0; l < 3; ++l)
        add_norm(shapes, "transformer.resblocks." + std::to_string(l) + ".ln_1", 4);
    return shapes;
}

}  // namespace headlight
