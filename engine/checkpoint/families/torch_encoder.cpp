#include <utility>

#include "families/bare.h"
#include "families/conventions.h"
#include "families/families.h"
#include "families/torch_parts.h"

namespace headlight {

namespace {

// Those of an encoder's layer are there or left out together; a batch norm always has its own.
void expect_biases_together(const TensorReader& reader) {
    std::vector<std::string> biases{"self_attn.in_proj_bias", "self_attn.out_proj.bias",
                                    "linear1.bias", "linear2.bias"};
    for (const std::string norm : {"norm1", "norm2"})
        if (!is_torch_batch_norm(reader, norm)) biases.push_back(norm + ".bias");
    reader.expect_all_or_none(biases);
}

Layer read_layer(const ModelBuilder& builder, TensorReader& reader, Index dim) {
    Layer layer;
    expect_biases_together(reader);
    read_torch_attention(builder, reader, "self_attn", dim, layer);
    layer.norm1 = read_torch_norm(builder, reader, "norm1", dim);
    layer.norm2 = read_torch_norm(builder, reader, "norm2", dim);
    read_torch_mlp(builder, reader, dim, layer);
    return layer;
}

}  // namespace

std::optional<Model> read_torch_encoder_names(const TensorReader& file,
                                              const Decisions& decisions) {
    const auto place = torch_place_of(file, false);
    if (!place) return {};
    const FamilyChoice family =
        choose_family(file, decisions, {"torch-encoder"}, {"torch-encoder", "tensor names"});
    ModelBuilder builder(
        file.at(place->base), shown_as_named(decisions), conventions::torch_encoder(),
        place->alone ? "torch.nn.TransformerEncoderLayer" : "torch.nn.TransformerEncoder", family);
    std::vector<TensorReader> readers =
        place->alone ? std::vector{builder.at} : builder.readers("layers.");
    const Index dim = readers.front().shape(kSelfAttentionSign, 2, "a matrix")[1];
    std::vector<Layer> layers;
    for (TensorReader& reader : readers) {
        layers.push_back(read_layer(builder, reader, dim));
        name_layer(layers.back(), static_cast<int>(layers.size()) - 1);
    }
    builder.say("layers", std::to_string(layers.size()), "tensor names");
    decide_torch_heads(builder, layers);
    say_torch_layer(builder, layers.back());
    if (!place->alone && builder.at.has("norm.weight"))
        builder.model.norm = read_torch_norm(builder, builder.at, "norm", dim);
    builder.model.norms_may_follow = true;
    builder.model.pooling = Pooling::none;
    decide_patch(builder, static_cast<int>(dim));
    expect_nothing_beside(file, "torch.nn.TransformerEncoder",
                          [&](const std::string& name) { return is_count_of_batches(file, name); });
    return finish_bare(builder, std::move(layers), file.unused());
}

}  // namespace headlight
