#include <algorithm>
#include <utility>

#include "families/attention_pool_parts.h"
#include "families/classifier.h"
#include "families/conventions.h"
#include "families/families.h"
#include "model/builder.h"

namespace headlight {

namespace {

// Position indices 0, 1, 2, ...
const std::vector<std::string_view> kClipUnneeded{"embeddings.position_ids"};
const std::vector<std::string_view> kUnneededOfClasses{"embeddings.position_ids", "head.*",
                                                       "post_layernorm.*"};
// For a tower without pooling.
const std::vector<std::string_view> kUnneededOfAll{"proj"};

// OpenAI's archives contain three scalars of their own; towers of other widths only exist in
// OpenCLIP.
FamilyChoice guess(const TensorReader& file, const Decisions& decisions, Index width) {
    const auto architecture = decisions.find(&ModelConfig::architecture);
    if (architecture && architecture->value == "openclip")
        return {"openclip", architecture->origin};
    if (file.has("input_resolution")) return {"clip", "tensor names"};
    if (width > 1024) return {"openclip", "OpenAI published no tower of this width"};
    return {"clip",
            "OpenCLIP's own weights have the same names but use the exact GELU; for them, set "
            "family to openclip"};
}

LayerNames openai_names(const TensorReader& layer) {
    LayerNames names;
    names.norm1 = "ln_1";
    names.norm2 = "ln_2";
    names.qkv_weight = "attn.in_proj_weight";
    names.qkv_bias = "attn.in_proj_bias";
    names.projection = "attn.out_proj";
    names.mlp_in = "mlp.c_fc";
    names.mlp_out = "mlp.c_proj";
    take_layer_scale_names(names, layer);
    return names;
}

LayerNames clip_names_of_huggingface() {
    LayerNames names;
    names.norm1 = "layer_norm1";
    names.norm2 = "layer_norm2";
    names.query = "self_attn.q_proj";
    names.key = "self_attn.k_proj";
    names.value = "self_attn.v_proj";
    names.projection = "self_attn.out_proj";
    return names;
}

// Excludes the text tower, whose names have no prefix.
std::optional<std::string> tower_prefix(const TensorReader& file) {
    for (const std::string& prefix : file.prefixes_of("class_embedding"))
        if (file.at(prefix).has("conv1.weight")) return prefix;
    return {};
}

// The final norm, and the projection of the class token or of the patches' mean. CLIPA takes the
// mean before or after that norm.
void read_end(ModelBuilder& builder, Index width) {
    Model& model = builder.model;
    const auto pooling = builder.decisions().find(&ModelConfig::pooling);
    const auto after = builder.decisions().find(&ModelConfig::norm_after_pooling);
    (after && after->value ? model.pooled_norm : model.norm) =
        builder.norm(builder.at, "ln_post", width);
    if (pooling) {
        builder.pooling_origin = pooling->origin;
        model.pooling = pooling->value == "token" ? Pooling::class_token
                        : pooling->value == "avg" ? Pooling::patches
                                                  : Pooling::none;
    }
    if (model.pooling == Pooling::none)
        return builder.say("projection not used", "proj", "it projects every token");
    model.gives_pooler = !model.pooled_norm.exists();
    if (!builder.at.has("proj")) return;
    model.classifier = builder.transposed(builder.at, "proj", width);
    model.gives_embedding = true;
}

// Hugging Face's projection is next to the tower: "visual_projection" next to "vision_model".
void read_projection(ModelBuilder& builder, const TensorReader& file, Index width) {
    const auto prefixes = file.prefixes_of("visual_projection.weight");
    if (prefixes.empty()) return;
    TensorReader beside = file.at(prefixes.front());
    builder.model.classifier = builder.linear(beside, "visual_projection", width);
    builder.model.gives_embedding = true;
}

// torch.nn.MultiheadAttention with one query, a norm and an MLP.
PoolNames huggingface_pool() {
    PoolNames names;
    names.probe = "probe";
    names.packed_weight = "attention.in_proj_weight";
    names.packed_bias = "attention.in_proj_bias";
    names.projection = "attention.out_proj";
    names.norm = "layernorm";
    return names;
}

// CLIPForImageClassification uses the mean of the patches before the final norm, which its code
// skips.
bool read_clip_classes(ModelBuilder& builder, const TensorReader& file, Index width) {
    if (builder.at.prefix() != "vision_model." || file.at("classifier.").names().empty() ||
        !file.prefixes_of("visual_projection.weight").empty())
        return false;
    builder.model.pooling = Pooling::patches;
    read_classifier(builder, {"classifier", true}, width);
    return true;
}

// SigLIP has neither a class token nor CLIP's first norm, and its pooling, if any, is attention
// pooling. SiglipForImageClassification uses the mean of the patches after the final norm. Its code
// ignores the attention pooling, which may be in the file.
bool read_siglip_classes(ModelBuilder& builder, const TensorReader& file, Index width) {
    if (file.at("classifier.").names().empty()) return false;
    builder.model.pooling = Pooling::patches;
    read_classifier(builder, {"classifier", true}, width);
    return true;
}

void read_siglip_pooling(ModelBuilder& builder, Index width) {
    builder.model.pooling = Pooling::none;
    if (builder.at.at("head.").names().empty())
        return builder.say("pooling", "none", "SigLIP's pooling is not in this file");
    read_attention_pool(builder, builder.at.at("head."), huggingface_pool(), width);
}

// NaFlex flattens patches row by row with the colors of a pixel together. Reorders its columns by
// channel, row, column, as for a convolution.
Linear by_channel(const Linear& embedding, int side) {
    const MatrixView stored = embedding.weight->view();
    const Index cells = Index{side} * side, channels = stored.cols / cells;
    Matrix weight(stored.rows, stored.cols);
    for (Index cell = 0; cell < cells; ++cell)
        for (Index c = 0; c < channels; ++c)
            weight.col(c * cells + cell) = stored.eigen().col(cell * channels + c);
    return {make_result(std::move(weight)), embedding.bias};
}

// A linear layer on patches that are cut beforehand. Returns the model's width.
Index read_flat_embedding(ModelBuilder& builder) {
    const std::string name = "embeddings.patch_embedding";
    const TensorShape shape = builder.at.shape(name + ".weight", 2, "[width, numbers of a patch]");
    constexpr int kColors = 3;
    const auto side = side_of(shape[1], kColors);
    if (!side)
        builder.at.refuse(name + ".weight", "3·n² numbers, for n × n patches of 3 channels",
                          shape_text(shape));
    builder.any_aspect = true;
    builder.model.image_channels = kColors;
    builder.model.patch_size = *side;
    builder.model.embedding =
        by_channel(builder.linear(builder.at, name, shape[0], shape[1]), *side);
    return shape[0];
}

struct HuggingFaceTower {
    std::string family, title;
    ModelConfig convention;
    bool is_flat = false;  // as in NaFlex
};

// NaFlex embeds patches with a linear layer, the others with a convolution.
HuggingFaceTower tower_named(const TensorReader& at) {
    if (at.has("embeddings.class_embedding"))
        return {"hf-clip", "Hugging Face CLIP", conventions::clip()};
    const TensorShape& kernel = at.shape("embeddings.patch_embedding.weight");
    const Index width = kernel.empty() ? 0 : kernel[0];
    if (kernel.size() == 2)
        return {"siglip2-naflex", "Hugging Face SigLIP 2 (NaFlex)",
                conventions::siglip2_naflex(width), true};
    return {"siglip", "Hugging Face SigLIP", conventions::siglip(width)};
}

}  // namespace

std::optional<Model> read_clip_names(const TensorReader& file, const Decisions& decisions) {
    const auto prefix = tower_prefix(file);
    if (!prefix) return {};
    const TensorReader at = file.at(*prefix);
    const Index wide = at.shape("class_embedding", 1, "[width]")[0];
    const FamilyChoice family =
        choose_family(file, decisions, {"clip", "openclip"}, guess(file, decisions, wide));
    const bool is_open = family.family == "openclip";
    ModelBuilder builder(at, decisions, is_open ? conventions::open_clip() : conventions::clip(),
                         is_open ? "OpenCLIP" : "CLIP", family);

    const Index width = builder.patch_embedding("conv1");
    builder.model.prefix.class_token = builder.token("class_embedding", width);
    builder.positions("positional_embedding", width);
    if (builder.at.has("ln_pre.weight"))
        builder.model.pre_norm = builder.norm(builder.at, "ln_pre", width);
    auto readers = builder.readers("transformer.resblocks.");
    const LayerNames names = openai_names(readers[0]);
    builder.layers(std::move(readers), names, width);
    read_end(builder, width);
    if (builder.model.pooling != Pooling::none)
        read_classifier(builder, {"classifier", true}, width);
    return builder.finish(kUnneededOfAll);
}

std::optional<Model> read_huggingface_clip_names(const TensorReader& file,
                                                 const Decisions& decisions) {
    const auto prefixes = file.prefixes_of("embeddings.patch_embedding.weight");
    if (prefixes.empty()) return {};
    const TensorReader at = file.at(prefixes.front());
    auto [name, title, convention, is_flat] = tower_named(at);
    const bool is_clip = name == "hf-clip";
    const FamilyChoice family = choose_family(file, decisions, name);
    ModelBuilder builder(at, decisions, std::move(convention), title, family);

    const Index width = is_flat ? read_flat_embedding(builder)
                                : builder.patch_embedding("embeddings.patch_embedding");
    if (is_clip)
        builder.model.prefix.class_token = builder.token("embeddings.class_embedding", width);
    builder.positions("embeddings.position_embedding.weight", width);
    // CLIP's name has this misspelling; OWL-ViT spells the same norm correctly.
    const std::string pre_norm = present_name(builder.at, {"pre_layrnorm", "pre_layernorm"});
    if (builder.at.has(pre_norm + ".weight"))
        builder.model.pre_norm = builder.norm(builder.at, pre_norm, width);
    builder.layers(builder.readers("encoder.layers."), clip_names_of_huggingface(), width);
    if (is_clip && read_clip_classes(builder, file, width))
        return builder.finish(kUnneededOfClasses);
    builder.model.norm = builder.norm(builder.at, "post_layernorm", width);
    builder.model.gives_pooler = is_clip;
    if (is_clip) {
        read_projection(builder, file, width);
        read_classifier(builder, {"classifier", true}, width);
    } else if (read_siglip_classes(builder, file, width)) {
        return builder.finish(kUnneededOfClasses);
    } else {
        read_siglip_pooling(builder, width);
        read_classifier(builder, {"classifier", true}, width);
    }
    return builder.finish(kClipUnneeded);
}

}  // namespace headlight
