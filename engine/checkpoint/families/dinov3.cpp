#include "families/classifier.h"
#include "families/conventions.h"
#include "families/families.h"
#include "families/rotary_parts.h"
#include "model/builder.h"

// DINOv3 in its authors' names and in Hugging Face's.
namespace headlight {

namespace {

// Mask tokens, heads for training, and a norm for training only.
const std::vector<std::string_view> kDinov3Unneeded{"head.*", "mask_token", "local_cls_norm.*",
                                                    "dino_head.*", "ibot_head.*"};
const std::vector<std::string_view> kDinov3UnneededOfHuggingFace{"embeddings.mask_token"};

LayerNames authors_names() {
    LayerNames names;
    names.qkv_bias_mask = "attn.qkv.bias_mask";
    names.mlp_in = "mlp.fc1";
    names.mlp_out = "mlp.fc2";
    return names;
}

LayerNames dinov3_names_of_huggingface() {
    LayerNames names;
    names.query = "attention.q_proj";
    names.key = "attention.k_proj";
    names.value = "attention.v_proj";
    names.projection = "attention.o_proj";
    names.mlp_in = "mlp.up_proj";
    names.mlp_out = "mlp.down_proj";
    names.ls1 = "layer_scale1.lambda1";
    names.ls2 = "layer_scale2.lambda1";
    return names;
}

}  // namespace

std::optional<Model> read_dinov3_names(const TensorReader& file, const Decisions& decisions) {
    const auto prefixes = file.prefixes_of("rope_embed.periods");
    if (prefixes.empty() || !file.at(prefixes.front()).has("patch_embed.proj.weight")) return {};
    const TensorReader at = file.at(prefixes.front());
    ModelBuilder builder(at, decisions, conventions::dinov3(), "DINOv3",
                         choose_family(file, decisions, "dinov3"));

    const Index width = builder.patch_embedding("patch_embed.proj");
    PrefixTokens& prefix = builder.model.prefix;
    prefix.class_token = builder.token("cls_token", width);
    if (builder.at.has("storage_tokens"))
        prefix.registers = builder.registers("storage_tokens", width);
    auto readers = builder.readers("blocks.");
    LayerNames names = authors_names();
    take_layer_scale_names(names, readers[0]);
    names.take_gate(readers[0], "mlp.w1", "mlp.w2", "mlp.w3");
    builder.layers(std::move(readers), names, width,
                   head_dim_of_periods(builder.at, "rope_embed.periods"));
    read_dinov3_rotary(builder, "rope_embed.periods", width);
    builder.model.norm = builder.norm(builder.at, "norm", width);
    builder.model.gives_pooler = true;
    read_classifier(builder, {"head"}, width);
    return builder.finish(kDinov3Unneeded);
}

std::optional<Model> read_huggingface_dinov3_names(const TensorReader& file,
                                                   const Decisions& decisions) {
    const auto prefixes = file.prefixes_of("embeddings.patch_embeddings.weight");
    if (prefixes.empty()) return {};
    const TensorReader at = file.at(prefixes.front());
    const bool newer = at.has("model.layer.0.attention.o_proj.weight");
    const std::string layers = newer ? "model.layer." : "layer.";
    if (!at.has(layers + "0.attention.o_proj.weight")) return {};
    const Index wide =
        at.shape("embeddings.patch_embeddings.weight", 4, "[width, channels, patch, patch]")[0];
    ModelBuilder builder(at, decisions, conventions::huggingface_dinov3(wide),
                         "Hugging Face DINOv3", choose_family(file, decisions, "hf-dinov3"));

    const Index width = builder.patch_embedding("embeddings.patch_embeddings");
    PrefixTokens& prefix = builder.model.prefix;
    prefix.class_token = builder.token("embeddings.cls_token", width);
    if (builder.at.has("embeddings.register_tokens"))
        prefix.registers = builder.registers("embeddings.register_tokens", width);
    auto readers = builder.readers(layers);
    LayerNames names = dinov3_names_of_huggingface();
    names.take_gate(readers[0]);
    names.gate_follows_activation = true;  // hidden_act
    builder.layers(std::move(readers), names, width);
    read_dinov3_rotary(builder, "rope_embeddings.periods", width);
    builder.model.norm = builder.norm(builder.at, "norm", width);
    builder.model.gives_pooler = true;
    read_classifier(builder, {"classifier", true}, width);
    return builder.finish(kDinov3UnneededOfHuggingFace);
}

}  // namespace headlight
