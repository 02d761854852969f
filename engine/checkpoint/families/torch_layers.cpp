#include <utility>

#include "families/bare.h"
#include "families/conventions.h"
#include "families/families.h"
#include "families/torch_parts.h"

// torch.nn.TransformerEncoder and torch.nn.TransformerDecoder, or one layer of theirs.
namespace headlight {

namespace {

// Those of a layer are there or left out together; a batch norm always has its own.
void expect_biases_together(const TensorReader& reader, std::vector<std::string> biases,
                            const std::vector<std::string>& norms) {
    for (const std::string& norm : norms)
        if (!is_torch_batch_norm(reader, norm)) biases.push_back(norm + ".bias");
    reader.expect_all_or_none(biases);
}

void read_encoder_layer(const ModelBuilder& builder, TensorReader& reader, Index dim,
                        std::vector<Layer>& layers) {
    Layer layer;
    expect_biases_together(
        reader,
        {"self_attn.in_proj_bias", "self_attn.out_proj.bias", "linear1.bias", "linear2.bias"},
        {"norm1", "norm2"});
    read_torch_attention(builder, reader, "self_attn", dim, layer);
    layer.norm1 = read_torch_norm(builder, reader, "norm1", dim);
    layer.norm2 = read_torch_norm(builder, reader, "norm2", dim);
    read_torch_mlp(builder, reader, dim, layer);
    name_layer(layer, static_cast<int>(layers.size()));
    layers.push_back(std::move(layer));
}

// Self-attention; then cross-attention with the MLP. See DecoderPart.
void read_decoder_layer(const ModelBuilder& builder, TensorReader& reader, Index dim,
                        std::vector<Layer>& layers) {
    expect_biases_together(
        reader,
        {"self_attn.in_proj_bias", "self_attn.out_proj.bias", "multihead_attn.in_proj_bias",
         "multihead_attn.out_proj.bias", "linear1.bias", "linear2.bias"},
        {"norm1", "norm2", "norm3"});
    Layer own, across;
    own.part = DecoderPart::self_attention;
    read_torch_attention(builder, reader, "self_attn", dim, own);
    own.norm1 = read_torch_norm(builder, reader, "norm1", dim);
    across.part = DecoderPart::cross_attention;
    read_torch_attention(builder, reader, "multihead_attn", dim, across);
    split_projection(across);
    across.norm1 = read_torch_norm(builder, reader, "norm2", dim);
    across.norm2 = read_torch_norm(builder, reader, "norm3", dim);
    read_torch_mlp(builder, reader, dim, across);
    for (Layer* layer : {&own, &across}) {
        name_layer(*layer, static_cast<int>(layers.size()));
        layers.push_back(std::move(*layer));
    }
}

// nn.Transformer has an encoder beside its decoder.
void expect_no_encoder(const TensorReader& file) {
    if (!torch_place_of(file, false)) return;
    file.refuse(file.prefixes_of(kSelfAttentionSign).front() + kSelfAttentionSign,
                "one part of torch.nn.Transformer, chosen with --part encoder or --part decoder",
                "an encoder and a decoder");
}

std::optional<Model> read_torch_names(const TensorReader& file, const Decisions& decisions,
                                      bool decoder) {
    const auto place = torch_place_of(file, decoder);
    if (!place) return {};
    if (decoder) expect_no_encoder(file);
    const std::string id = decoder ? "torch-decoder" : "torch-encoder",
                      module =
                          decoder ? "torch.nn.TransformerDecoder" : "torch.nn.TransformerEncoder";
    const FamilyChoice family = choose_family(file, decisions, id);
    ModelBuilder builder(file.at(place->base), shown_as_named(decisions),
                         conventions::torch_encoder(), place->alone ? module + "Layer" : module,
                         family);
    std::vector<TensorReader> readers =
        place->alone ? std::vector{builder.at} : builder.readers("layers.");
    const Index dim = readers.front().shape(kSelfAttentionSign, 2, "a matrix")[1];
    std::vector<Layer> layers;
    for (TensorReader& reader : readers)
        (decoder ? read_decoder_layer : read_encoder_layer)(builder, reader, dim, layers);
    if (decoder) builder.say("decoder layers", std::to_string(readers.size()), "tensor names");
    builder.say("layers", std::to_string(layers.size()),
                decoder ? "two for each decoder layer: self-attention, then cross-attention and MLP"
                        : "tensor names");
    decide_torch_heads(builder, layers);
    say_torch_layer(builder, layers.back());
    if (!place->alone && builder.at.has("norm.weight"))
        builder.model.norm = read_torch_norm(builder, builder.at, "norm", dim);
    builder.model.norms_may_follow = true;
    builder.model.pooling = Pooling::none;
    if (decoder)
        builder.model.preprocessing = bare_preprocessing();
    else
        decide_patch(builder, static_cast<int>(dim));
    expect_nothing_beside(file, module,
                          [&](const std::string& name) { return is_count_of_batches(file, name); });
    return finish_bare(builder, std::move(layers), file.unused());
}

}  // namespace

std::optional<Model> read_torch_encoder_names(const TensorReader& file,
                                              const Decisions& decisions) {
    return read_torch_names(file, decisions, false);
}

std::optional<Model> read_torch_decoder_names(const TensorReader& file,
                                              const Decisions& decisions) {
    return read_torch_names(file, decisions, true);
}

}  // namespace headlight
