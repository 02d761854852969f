#include <algorithm>
#include <array>

#include "families/conventions.h"
#include "families/families.h"
#include "model/builder.h"

namespace headlight {

namespace {

// Counted positions, which are 0, 1, 2, ...; SigLIP's pooling by attention.
const std::vector<std::string_view> kUnneeded{"embeddings.position_ids", "head.*"};

// OpenAI's archives say three numbers of their own; towers of other widths are OpenCLIP's alone.
FamilyChoice guess(const TensorReader& file, const Decisions& decisions, Index width) {
    const auto architecture = decisions.find(&ModelConfig::architecture);
    if (architecture && architecture->value == "openclip")
        return {"openclip", architecture->origin};
    if (file.has("input_resolution")) return {"clip", "tensor names"};
    if (width > 1024) return {"openclip", "OpenAI published no tower so wide"};
    return {"clip",
            "OpenCLIP's own weights have the same names but the exact GELU: set family to openclip "
            "for them"};
}

LayerNames openai_names() {
    LayerNames names;
    names.norm1 = "ln_1";
    names.norm2 = "ln_2";
    names.qkv_weight = "attn.in_proj_weight";
    names.qkv_bias = "attn.in_proj_bias";
    names.projection = "attn.out_proj";
    names.mlp_in = "mlp.c_fc";
    names.mlp_out = "mlp.c_proj";
    names.ls1 = "ls_1.gamma";
    names.ls2 = "ls_2.gamma";
    return names;
}

LayerNames huggingface_names() {
    LayerNames names;
    names.norm1 = "layer_norm1";
    names.norm2 = "layer_norm2";
    names.query = "self_attn.q_proj";
    names.key = "self_attn.k_proj";
    names.value = "self_attn.v_proj";
    names.projection = "self_attn.out_proj";
    return names;
}

// The text tower's names, without a prefix of their own, are no vision tower's.
std::optional<std::string> tower_prefix(const TensorReader& file) {
    for (const std::string& prefix : file.prefixes_of("class_embedding"))
        if (file.at(prefix).has("conv1.weight")) return prefix;
    return {};
}

// Hugging Face's projection stands beside the tower: "visual_projection" beside "vision_model".
void read_projection(ModelBuilder& builder, const TensorReader& file, Index width) {
    const auto prefixes = file.prefixes_of("visual_projection.weight");
    if (prefixes.empty()) return;
    TensorReader beside = file.at(prefixes.front());
    builder.model.classifier = builder.linear(beside, "visual_projection", width);
    builder.model.gives_embedding = true;
}

// SigLIP has neither a class token nor CLIP's norm, and pools by attention.
void read_siglip_pooling(ModelBuilder& builder) {
    builder.model.pooling = Pooling::none;
    builder.say("pooling", "none", "SigLIP pools by attention, which is not computed here");
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
    builder.layers(builder.readers("transformer.resblocks."), openai_names(), width);
    builder.model.norm = builder.norm(builder.at, "ln_post", width);
    builder.model.gives_pooler = true;
    if (builder.at.has("proj")) {
        builder.model.classifier = builder.transposed(builder.at, "proj", width);
        builder.model.gives_embedding = true;
    }
    return builder.finish({});
}

std::optional<Model> read_huggingface_clip_names(const TensorReader& file,
                                                 const Decisions& decisions) {
    const auto prefixes = file.prefixes_of("embeddings.patch_embedding.weight");
    if (prefixes.empty()) return {};
    const TensorReader at = file.at(prefixes.front());
    const bool is_clip = at.has("embeddings.class_embedding");
    const std::string name = is_clip ? "hf-clip" : "siglip";
    const FamilyChoice family = choose_family(file, decisions, {name}, {name, "tensor names"});
    ModelBuilder builder(at, decisions, is_clip ? conventions::clip() : conventions::siglip(),
                         is_clip ? "Hugging Face CLIP" : "Hugging Face SigLIP", family);

    const Index width = builder.patch_embedding("embeddings.patch_embedding");
    if (is_clip)
        builder.model.prefix.class_token = builder.token("embeddings.class_embedding", width);
    builder.positions("embeddings.position_embedding.weight", width);
    // CLIP's misspelling is the name; OWL-ViT spells the same norm right.
    const std::string pre_norm = present_name(builder.at, {"pre_layrnorm", "pre_layernorm"});
    if (builder.at.has(pre_norm + ".weight"))
        builder.model.pre_norm = builder.norm(builder.at, pre_norm, width);
    builder.layers(builder.readers("encoder.layers."), huggingface_names(), width);
    builder.model.norm = builder.norm(builder.at, "post_layernorm", width);
    builder.model.gives_pooler = is_clip;
    if (is_clip)
        read_projection(builder, file, width);
    else
        read_siglip_pooling(builder);
    return builder.finish(kUnneeded);
}

}  // namespace headlight
