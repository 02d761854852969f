#include <cmath>
#include <numbers>

#include "families/conventions.h"
#include "families/families.h"
#include "families/rotary_parts.h"
#include "families/timm_parts.h"
#include "model/builder.h"

// EVA with added positions and EVA-02 with added and rotary positions, in timm's names and their
// authors'; also timm's DINOv3.
namespace headlight {

namespace {

const std::string kEvaSign = "patch_embed.proj.weight";

// Mask tokens of training.
const std::vector<std::string_view> kEvaUnneeded{"head.*", "mask_token"};

// The grid that EVA-02's rotary positions were trained for, 224 / 14; other grids are stretched to
// it. A config may override it.
constexpr PixelSize kReference{16, 16};

enum class EvaKind { eva, eva02, dinov3 };

struct EvaNames {
    std::string family, title;
};
EvaNames eva_named(EvaKind kind) {
    switch (kind) {
        case EvaKind::eva:
            return {"eva", "EVA"};
        case EvaKind::eva02:
            return {"eva02", "EVA-02"};
        case EvaKind::dinov3:
            return {"timm-dinov3", "timm DINOv3"};
    }
    return {};
}

// The names of SwiGLU's linear layers by the authors of EVA-02.
bool has_authors_gate(const TensorReader& layer) {
    return layer.has("mlp.w1.weight") || layer.has("mlp.w12.weight");
}

bool has_packed_gate(const TensorReader& layer) {
    const auto rows = [&](const char* name) { return layer.shape(name, 2, "a matrix")[0]; };
    if (!layer.has("mlp.fc1.weight") || !layer.has("mlp.fc2.weight")) return false;
    return rows("mlp.fc1.weight") == 2 * layer.shape("mlp.fc2.weight", 2, "a matrix")[1];
}

// Distinguished by what only one of them has. EVA and EVA-02 have no key bias; DINOv3 adds no
// positions.
std::optional<EvaKind> kind_of(const TensorReader& at) {
    const TensorReader layer = at.at("blocks.0.");
    if (layer.has("attn.q_proj.weight")) return EvaKind::eva02;
    if (!at.has("pos_embed")) {
        const bool is_dinov3 = at.has("cls_token") && at.has("reg_token") && layer.has("gamma_1") &&
                               !layer.has("attn.qkv.bias") && !at.has("fc_norm.weight");
        return is_dinov3 ? std::optional(EvaKind::dinov3) : std::nullopt;
    }
    if (!layer.has("attn.q_bias") || !layer.has("attn.v_bias") ||
        layer.has("attn.relative_position_bias_table"))
        return {};
    return has_packed_gate(layer) || has_authors_gate(layer) ? EvaKind::eva02 : EvaKind::eva;
}

void take_authors_names(LayerNames& names, const TensorReader& layer) {
    names.concat_norm = "attn.inner_attn_ln";
    names.mlp_norm = "mlp.ffn_ln";
    names.mlp_out = "mlp.w3";
    names.mlp_in = "mlp.w12";
    if (!layer.has("mlp.w1.weight")) return;
    names.mlp_gate = "mlp.w1";
    names.mlp_in = "mlp.w2";
}

LayerNames eva_layer_names(const TensorReader& layer) {
    LayerNames names;
    names.query_bias = "attn.q_bias";
    names.value_bias = "attn.v_bias";
    take_layer_scale_names(names, layer);
    if (layer.has("attn.q_proj.weight")) {
        names.query = "attn.q_proj";
        names.key = "attn.k_proj";
        names.value = "attn.v_proj";
    }
    take_gate_names(names, layer);
    if (has_authors_gate(layer)) take_authors_names(names, layer);
    return names;
}

// EVA-02-E has the names of EVA, but post-norm layers.
void expect_norms_before(const TensorReader& at, EvaKind kind, Index width,
                         const std::string& architecture) {
    constexpr Index kEnormous = 1792;
    if (architecture.starts_with("eva02_enormous_"))
        at.refuse("blocks.0.norm1.weight", "norms before attention and MLP",
                  architecture.substr(0, 60) + ", whose norms follow them");
    if (kind == EvaKind::eva && width == kEnormous)
        at.refuse("blocks.0.norm1.weight", "norms before attention and MLP",
                  "a model as wide as EVA-02-E, whose norms follow them");
}

// Refuses models with EVA's names and other rotary positions, which timm also has and whose
// parameters are only in its code. RoPE-ViT and the perception encoders have LayerScale, registers
// or no position for the class token. BEiT with added positions also has LayerScale.
void expect_no_relative(const TensorReader& at, EvaKind kind) {
    if (kind == EvaKind::dinov3) return;
    const std::string found =
        ", as in BEiT with added positions and in timm's models with different rotary positions";
    for (const char* name : {"reg_token", "blocks.0.gamma_1", "norm_pre.weight"})
        if (at.has(name)) at.refuse(name, "no such tensor, as in EVA and EVA-02", "one" + found);
    const TensorShape& table = at.shape("pos_embed");
    const Index rows = table.size() == 3 ? table[1] : 0;
    const auto is_square = [](Index n) {
        if (n < 0) return false;
        const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(n))));
        return side * side == n;
    };
    if (at.has("cls_token") && is_square(rows) && !is_square(rows - 1))
        at.refuse("pos_embed", "a row for the class token as well",
                  std::to_string(rows) + " rows" + found);
}

// The authors' files contain rotary tables; a model without them may have no rotation.
void expect_authors_tables(const TensorReader& at) {
    if (has_authors_gate(at.at("blocks.0.")) && !at.has("rope.freqs_cos"))
        at.refuse("rope.freqs_cos", "the table of EVA-02's rotary positions", "none");
}

// Checks tables for a square grid, with a row per patch, or timm's with sines next to cosines.
void expect_tables(TensorReader& at, const std::string& name, const Rotary& rotary) {
    const auto table = [&](const std::string& of, Index width) -> std::optional<RotaryTables> {
        if (!at.has(of)) return {};
        const Index rows = at.shape(of, 2, "[patches, channels]")[0];
        const auto side = static_cast<int>(std::lround(std::sqrt(static_cast<double>(rows))));
        if (Index{side} * side != rows || at.shape(of)[1] != width)
            at.refuse(of, "n × n rows of " + std::to_string(width) + " numbers",
                      shape_text(at.shape(of)));
        return rotary_tables(rotary, {0, side, side}, rows);
    };
    const Index head_dim = rotary.head_dim();
    if (const auto found = table(name + "freqs_cos", head_dim))
        expect_of_formula(at, name + "freqs_cos", found->cosine);
    if (const auto found = table(name + "freqs_sin", head_dim))
        expect_of_formula(at, name + "freqs_sin", found->sine);
    if (const auto found = table(name + "pos_embed", 2 * head_dim)) {
        Matrix both(found->sine.rows(), 2 * head_dim);
        both << found->sine, found->cosine;
        expect_of_formula(at, name + "pos_embed", both);
    }
    if (!at.has(name + "bands")) return;
    Matrix bands(1, static_cast<Index>(rotary.periods.size()));
    for (std::size_t k = 0; k < rotary.periods.size(); ++k)
        bands(0, static_cast<Index>(k)) =
            static_cast<float>(2 * std::numbers::pi / rotary.periods[k]);
    expect_of_formula(at, name + "bands", bands);
}

void read_rotary(ModelBuilder& builder, std::vector<TensorReader> readers, EvaKind kind,
                 Index width) {
    if (kind == EvaKind::dinov3) return read_dinov3_rotary(builder, "rope.periods", width);
    if (kind == EvaKind::eva) return;
    const Decided<float> base = builder.rotary_base(kEvaBase);
    const Index head_dim = width / builder.heads();
    if (head_dim % 4 != 0)
        builder.at.refuse("blocks.0.attn.q_proj.weight",
                          "heads whose width is a multiple of 4, for rotary positions",
                          std::to_string(head_dim) + " channels each");
    const auto said = builder.decisions().find(&ModelConfig::rotary_reference);
    const PixelSize reference = said ? said->value : kReference;
    const Rotary rotary = eva_rotary(head_dim, reference.height, reference.width, base.value);
    expect_tables(builder.at, "rope.", rotary);
    for (TensorReader& layer : readers) expect_tables(layer, "attn.rope.", rotary);
    const bool is_said = said && said->origin != base.origin;
    builder.rotary(rotary, base.origin + (is_said ? ", and " + said->origin : ""));
}

}  // namespace

std::optional<Model> read_eva_names(const TensorReader& file, const Decisions& decisions) {
    const auto prefixes = file.prefixes_of(kEvaSign);
    if (prefixes.empty()) return {};
    const TensorReader at = file.at(prefixes.front());
    const std::optional<EvaKind> kind = kind_of(at);
    if (!kind) return {};
    const Index wide = at.shape(kEvaSign, 4, "[width, channels, patch, patch]")[0];
    const auto architecture = decisions.find(&ModelConfig::architecture);
    const std::string name = architecture ? architecture->value : "";
    expect_norms_before(at, *kind, wide, name);
    expect_no_relative(at, *kind);
    expect_authors_tables(at);
    const auto [family, title] = eva_named(*kind);
    ModelBuilder builder(
        at, decisions,
        *kind == EvaKind::dinov3 ? conventions::timm_dinov3(wide) : conventions::eva(), title,
        choose_family(file, decisions, family));

    const Index width = builder.patch_embedding("patch_embed.proj");
    read_timm_tokens(builder, width);
    if (*kind != EvaKind::dinov3) builder.positions("pos_embed", width);
    auto readers = builder.readers("blocks.");
    const LayerNames names = eva_layer_names(readers[0]);
    builder.layers(readers, names, width, head_dim_of_periods(builder.at, "rope.periods"));
    if (*kind == EvaKind::eva && name.empty())
        builder.say("norms", "before attention and MLP",
                    "convention of EVA; EVA-02-E, whose norms follow, has the same names");
    read_rotary(builder, std::move(readers), *kind, width);
    read_timm_head(builder, width);
    if (builder.model.classifier.exists() && name.find("_clip_") != std::string::npos)
        builder.model.gives_embedding = true;
    return builder.finish(kEvaUnneeded);
}

}  // namespace headlight
