#include <cmath>

#include "families/classifier.h"
#include "families/conventions.h"
#include "families/families.h"
#include "families/timm_parts.h"
#include "model/builder.h"
#include "positions/relative.h"

// BEiT in timm's names, which are its authors', and in Hugging Face's. Nothing is added to the
// tokens, but every score gets a number for the offset of its two patches.
namespace headlight {

namespace {

// Heads, mask tokens of training, and the index of offsets in the table, which follows from the
// grid.
const std::vector<std::string_view> kBeitUnneeded{"head.*", "lm_head.*", "mask_token",
                                                  "rel_pos_bias.relative_position_index"};
const std::vector<std::string_view> kBeitUnneededOfHuggingFace{
    "embeddings.mask_token", "encoder.relative_position_bias.relative_position_index"};

struct BiasNames {
    std::string shared, own;  // names of the table: one in the model, or one per layer
};
const BiasNames kTimm{"rel_pos_bias.relative_position_bias_table",
                      "attn.relative_position_bias_table"};
const BiasNames kHuggingFace{
    "encoder.relative_position_bias.relative_position_bias_table",
    "attention.attention.relative_position_bias.relative_position_bias_table"};

// The grid of patches for this number of offsets: a config's picture size, or a square.
std::optional<PixelSize> grid_of(const ModelBuilder& builder, Index offsets) {
    const int patch = builder.model.patch_size;
    for (const auto& size : builder.decisions().all(&ModelConfig::native_size)) {
        const int rows = size.value.height / patch, cols = size.value.width / patch;
        if (rows > 0 && cols > 0 && relative_offsets(rows, cols) == offsets)
            return PixelSize{rows, cols};
    }
    const auto side =
        static_cast<int>(std::lround((std::sqrt(static_cast<double>(offsets)) + 1) / 2));
    if (relative_offsets(side, side) != offsets) return {};
    return PixelSize{side, side};
}

// The table for a grid with a class token. A file has one table per layer, or one for the whole
// model.
RelativeBias read_bias(const ModelBuilder& builder, TensorReader& reader, const std::string& name) {
    const Index rows = reader.shape(name, 2, "[offsets + 3, heads]")[0];
    const auto grid = grid_of(builder, rows - 3);
    if (!grid)
        reader.refuse(name, "(2n − 1)² + 3 rows, for n × n patches and a class token",
                      std::to_string(rows) + ". Set image_size for a grid that is not square");
    return {reader.matrix(name, rows, builder.heads()), grid->height, grid->width};
}

// Call after the layers are read.
void read_biases(ModelBuilder& builder, std::vector<TensorReader> readers, const BiasNames& names) {
    const bool is_shared = builder.at.has(names.shared);
    RelativeBias shared;
    if (is_shared) shared = read_bias(builder, builder.at, names.shared);
    for (std::size_t b = 0; b < readers.size(); ++b)
        builder.model.layers[b].relative_bias =
            is_shared ? shared : read_bias(builder, readers[b], names.own);
    // The size of the picture follows from the table, because there are no added positions.
    const RelativeBias& bias = builder.model.layers.front().relative_bias;
    builder.model.positions.grid_rows = bias.grid_rows;
    builder.model.positions.grid_cols = bias.grid_cols;
}

// Width of a head, from the number of columns of the table, one per head.
Index head_dim_of(const TensorReader& at, const TensorReader& layer, const BiasNames& names,
                  Index width) {
    const Index heads = at.has(names.shared) ? at.shape(names.shared, 2, "[offsets + 3, heads]")[1]
                                             : layer.shape(names.own, 2, "[offsets + 3, heads]")[1];
    if (width % heads != 0)
        (at.has(names.shared) ? at : layer)
            .refuse(at.has(names.shared) ? names.shared : names.own,
                    "a number of heads that divides the width " + std::to_string(width),
                    std::to_string(heads));
    return width / heads;
}

// BEiT may also add positions to the tokens, but no released model does.
void expect_bias_alone(const TensorReader& at, const char* added) {
    if (at.has(added))
        at.refuse(added, "no added positions, because the scores have a relative bias", "both");
}

LayerNames timm_names(const TensorReader& layer) {
    LayerNames names;
    names.query_bias = "attn.q_bias";
    names.value_bias = "attn.v_bias";
    take_layer_scale_names(names, layer);
    names.unneeded = {"attn.relative_position_index"};
    if (layer.has("mlp.w12.weight")) {
        names.mlp_in = "mlp.w12";
        names.mlp_out = "mlp.w3";
    }
    return names;
}

LayerNames beit_names_of_huggingface() {
    LayerNames names;
    names.norm1 = "layernorm_before";
    names.norm2 = "layernorm_after";
    names.query = "attention.attention.query";
    names.key = "attention.attention.key";
    names.value = "attention.attention.value";
    names.projection = "attention.output.dense";
    names.mlp_in = "intermediate.dense";
    names.mlp_out = "output.dense";
    names.ls1 = "lambda_1";
    names.ls2 = "lambda_2";
    names.unneeded = {"attention.attention.relative_position_bias.relative_position_index"};
    return names;
}

}  // namespace

std::optional<Model> read_beit_names(const TensorReader& file, const Decisions& decisions) {
    const auto prefixes = file.prefixes_of("patch_embed.proj.weight");
    if (prefixes.empty()) return {};
    const TensorReader at = file.at(prefixes.front());
    if (!(at.has(kTimm.shared) || at.has("blocks.0." + kTimm.own))) return {};
    expect_bias_alone(at, "pos_embed");
    ModelBuilder builder(at, decisions, conventions::beit(), "BEiT",
                         choose_family(file, decisions, "beit"));

    const Index width = builder.patch_embedding("patch_embed.proj");
    builder.model.prefix.class_token = builder.token("cls_token", width);
    auto readers = builder.readers("blocks.");
    builder.layers(readers, timm_names(readers[0]), width,
                   head_dim_of(builder.at, readers[0], kTimm, width));
    read_biases(builder, std::move(readers), kTimm);
    read_timm_head(builder, width);
    return builder.finish(kBeitUnneeded);
}

std::optional<Model> read_huggingface_beit_names(const TensorReader& file,
                                                 const Decisions& decisions) {
    const auto prefixes = file.prefixes_of("embeddings.patch_embeddings.projection.weight");
    if (prefixes.empty()) return {};
    TensorReader at = file.at(prefixes.front());
    if (!at.has(kHuggingFace.shared) && !at.has("encoder.layer.0." + kHuggingFace.own)) return {};
    expect_bias_alone(at, "embeddings.position_embeddings");
    ModelBuilder builder(at, decisions, conventions::huggingface_beit(), "Hugging Face BEiT",
                         choose_family(file, decisions, "hf-beit"));

    const Index width = builder.patch_embedding("embeddings.patch_embeddings.projection");
    builder.model.prefix.class_token = builder.token("embeddings.cls_token", width);
    auto readers = builder.readers("encoder.layer.");
    builder.layers(readers, beit_names_of_huggingface(), width,
                   head_dim_of(builder.at, readers[0], kHuggingFace, width));
    read_biases(builder, std::move(readers), kHuggingFace);
    Model& model = builder.model;
    if (builder.at.has("pooler.layernorm.weight")) {
        model.pooling = Pooling::patches;
        model.pooled_norm = builder.norm(builder.at, "pooler.layernorm", width);
        model.gives_pooler = true;
    }
    if (builder.at.has("layernorm.weight"))
        model.norm = builder.norm(builder.at, "layernorm", width);
    read_classifier(builder, {"classifier", true}, width);
    return builder.finish(kBeitUnneededOfHuggingFace);
}

}  // namespace headlight
