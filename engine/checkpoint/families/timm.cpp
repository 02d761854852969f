#include <algorithm>

#include "families/classifier.h"
#include "families/conventions.h"
#include "families/families.h"
#include "families/timm_parts.h"
#include "model/builder.h"

namespace headlight {

namespace {

const std::string kTimmSign = "patch_embed.proj.weight";

constexpr float kEpsOfBeit3 = 1e-5F;

// Heads, including those for training DINO and DINOv2; mask tokens, and decoders for training MAE
// and SimMIM.
const std::vector<std::string_view> kTimmUnneeded{"head.*",      "head_dist.*", "attn_pool.*",
                                                  "dino_head.*", "ibot_head.*", "mask_token",
                                                  "decoder_*",   "decoder.*"};

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

bool has_layer_scale(const TensorReader& at) {
    const auto names = at.names();
    return std::any_of(names.begin(), names.end(), [](const std::string& name) {
        return name.ends_with("ls1.gamma") || name.ends_with("ls1.weight");
    });
}

// timm, DeiT, DINO, DINOv2 and MAE share most names. A tensor that only one of them has decides;
// otherwise it is a guess, and recorded as one.
FamilyChoice guess(const TensorReader& at, const TensorReader& file, const Decisions& decisions) {
    const std::string names = "tensor names";
    if (at.has("register_tokens") || (at.has("mask_token") && has_layer_scale(at)))
        return {"dinov2", names};
    if (at.has("decoder_pos_embed")) return {"mae", names};
    const auto architecture = decisions.find(&ModelConfig::architecture);
    const bool is_deit = architecture && architecture->value.starts_with("deit");
    if (at.has("dist_token") || is_deit)
        return {"deit", at.has("dist_token") ? names : architecture->origin};
    if (architecture) return {"timm", architecture->origin};
    if (at.has("blocks.0.gamma_1"))
        return {"deit",
                "LayerScale with the names of DeiT III's authors. RoPE-ViT has the same names but "
                "also rotates queries and keys, which Headlight does not do. The architecture in "
                "config.json distinguishes them"};
    const bool projects = !file.prefixes_of("head.last_layer.weight_g").empty() ||
                          !file.prefixes_of("head.last_layer.weight_v").empty();
    if (contains(at.prefix(), "teacher") || contains(at.prefix(), "student") || projects)
        return {"dino", names};
    const Index width = at.shape(kTimmSign, 4, "[width, channels, patch, patch]")[0];
    const bool plain = at.has("cls_token") && !has_classification_head(at, width) &&
                       !at.has("reg_token") && !at.has("norm_pre.weight") &&
                       !at.has("fc_norm.weight") && !has_layer_scale(at);
    if (plain)
        return {"dino",
                "no head, as in DINO; timm uses the same names, so set family to timm for its "
                "conventions"};
    return {"timm", names};
}

struct TimmNames {
    std::string title;
    ModelConfig convention;
};

// Refuses rotary models with the names of models without rotation. Meta's perception encoders are
// recognized by a combination of tensors that no other tower has.
void expect_no_rotation(const TensorReader& file, const TensorReader& at,
                        const Decisions& decisions) {
    if (at.has("norm_pre.weight"))
        for (const char* name : {"attn_pool.latent", "blocks.0.gamma_1"})
            if (at.has(name))
                at.refuse(name, "a model without rotary positions, or DINOv3's or EVA-02's",
                          "it together with norm_pre, as in Meta's perception encoders (PE), which "
                          "use other rotary positions");
    const auto architecture = decisions.find(&ModelConfig::architecture);
    if (!architecture) return;
    const std::string& name = architecture->value;
    if (contains(name, "_rope_") || name.starts_with("vit_pe_"))
        throw CheckpointError(file.file_name() +
                              ": architecture: expected one without rotary positions, or DINOv3's "
                              "or EVA-02's, found " +
                              name.substr(0, 60) + " (" + architecture->origin + ").");
}

// timm's vit_base_patch16_rpn_224 has the names of a ViT, but post-norm layers. Without a config it
// is recognized by a combination of tensors that no other timm model has.
void expect_norms_before(const TensorReader& at, const Decisions& decisions) {
    const auto architecture = decisions.find(&ModelConfig::architecture);
    const bool is_post = architecture
                             ? contains(architecture->value, "_rpn_")
                             : at.has("fc_norm.weight") && has_layer_scale(at.at("blocks.0.")) &&
                                   !at.has("cls_token") && !at.has("blocks.0.attn.qkv.bias");
    if (is_post)
        at.refuse("blocks.0.norm1.weight", "norms before attention and MLP",
                  architecture ? architecture->value.substr(0, 60) + " (" + architecture->origin +
                                     "), whose norms follow them"
                               : "the names of vit_base_patch16_rpn_224, whose norms follow them "
                                 "(if this is another model, give its architecture in a config)");
}

// Without a config, BEiT-3's towers are recognized by norms inside attention and MLP.
bool is_beit3(const TensorReader& at, const Decisions& decisions) {
    if (const auto architecture = decisions.find(&ModelConfig::architecture))
        return architecture->value.starts_with("beit3_");
    return at.has("blocks.0.attn.norm.weight") && at.has("blocks.0.mlp.norm.weight");
}

// Headlight's own model with a twin head and without a table (assets/models/photos).
bool has_computed_positions(const TensorReader& at) {
    return at.has("twin_query.weight") && !at.has("pos_embed");
}

// Models with an unusual number of heads for their width.
std::optional<int> heads_of(const std::string& architecture) {
    for (const auto& [name, heads] :
         {std::pair{"test_vit", 2}, std::pair{"test_vit2", 2}, std::pair{"test_vit3", 3},
          std::pair{"vit_base_patch16_gap_224", 16}})
        if (architecture == name) return heads;
    return {};
}

// Among SigLIP's towers, timm selects the exact GELU or the tanh approximation only by the model's
// name.
void take_siglip(ModelConfig& convention, const TensorReader& at, const std::string& architecture) {
    for (const char* name : {"vit_base_patch32_siglip_", "vit_large_patch16_siglip_512",
                             "vit_large_patch16_siglip_gap_512", "vit_so400m_patch16_siglip_",
                             "vit_giantopt_patch16_siglip_"})
        if (contains(architecture, name)) convention.activation = Activation::gelu_tanh;
    const Index width = at.shape(kTimmSign, 4, "[width, channels, patch, patch]")[0];
    convention.num_heads = conventions::siglip(width).num_heads;
}

// timm's CLIP towers, recognized by their norm before the layers, keep CLIP's epsilon and pixel
// statistics.
TimmNames timm_named(const std::string& family, const TensorReader& at,
                     const Decisions& decisions) {
    if (family == "dino") return {"DINO", conventions::dino()};
    if (family == "dinov2") return {"DINOv2", conventions::dinov2(at.has("register_tokens"))};
    if (family == "deit") return {"DeiT", conventions::deit()};
    if (family == "mae") return {"MAE", conventions::deit()};  // same statistics and epsilon
    ModelConfig convention =
        at.has("norm_pre.weight") ? conventions::timm_clip() : conventions::timm();
    const auto architecture = decisions.find(&ModelConfig::architecture);
    if (architecture && contains(architecture->value, "quickgelu"))
        convention.activation = Activation::quick_gelu;
    if (architecture) convention.num_heads = heads_of(architecture->value);
    if (is_beit3(at, decisions)) convention.layer_norm_eps = kEpsOfBeit3;
    if (at.has("attn_pool.latent") || (architecture && contains(architecture->value, "_siglip_")))
        take_siglip(convention, at, architecture ? architecture->value : "");
    if (has_computed_positions(at)) convention.most_patches = PatchLimit{}.most;
    return {"timm VisionTransformer", convention};
}

LayerNames timm_layer_names(const TensorReader& layer) {
    LayerNames names;
    // DINOv2's SwiGLU.
    if (layer.has("mlp.w12.weight")) {
        names.mlp_in = "mlp.w12";
        names.mlp_out = "mlp.w3";
    }
    take_gate_names(names, layer);
    take_layer_scale_names(names, layer);
    return names;
}

// Headlight's own heads, applied to every token. No other model has tensors with these names.
void read_pointing(ModelBuilder& builder, Index width) {
    const PositionTable& table = builder.model.positions;
    if (!builder.at.has("twin_head.weight") || !builder.model.norm.exists() || !table.table) return;
    const Index cells = static_cast<Index>(table.grid_rows) * table.grid_cols;
    builder.model.pointing = builder.linear(builder.at, "twin_head", cells, width);
    builder.say("pointing", std::to_string(cells) + " cells, from every token", "tensor names");
}

// A model that finds objects which appear twice (assets/models/photos). Its positions are computed,
// so it accepts pictures of any size and aspect.
void read_twin_head(ModelBuilder& builder, Index width) {
    Model& model = builder.model;
    model.twin = {builder.linear(builder.at, "twin_query", width, width),
                  builder.linear(builder.at, "twin_key", width, width)};
    model.objects = builder.linear(builder.at, "object_head", 1, width);
    builder.say("pointing", "each token to a patch", "tensor names");
}

}  // namespace

std::optional<Model> read_timm_names(const TensorReader& file, const Decisions& decisions) {
    const auto prefixes = file.prefixes_of(kTimmSign);
    if (prefixes.empty()) return {};
    const TensorReader at = file.at(prefixes.front());
    expect_no_rotation(file, at, decisions);
    expect_norms_before(at, decisions);
    const FamilyChoice family = choose_family(
        file, decisions, {"timm", "deit", "dino", "dinov2", "mae"}, guess(at, file, decisions));
    auto [title, convention] = timm_named(family.family, at, decisions);
    ModelBuilder builder(at, decisions, std::move(convention), title, family);

    const Index width = builder.patch_embedding("patch_embed.proj");
    read_timm_tokens(builder, width);
    if (has_computed_positions(builder.at)) {
        builder.model.positions.formula = PositionKind::sincos_2d;
        builder.any_aspect = true;
    } else {
        builder.positions("pos_embed", width);
    }
    if (builder.at.has("norm_pre.weight"))
        builder.model.pre_norm = builder.norm(builder.at, "norm_pre", width);
    auto readers = builder.readers("blocks.");
    const LayerNames names = timm_layer_names(readers[0]);
    builder.layers(std::move(readers), names, width);
    read_timm_head(builder, width);
    if (builder.at.has("twin_query.weight")) read_twin_head(builder, width);
    read_pointing(builder, width);
    return builder.finish(kTimmUnneeded);
}

}  // namespace headlight
