#include "families/token_transformer.h"

#include <array>
#include <cmath>
#include <utility>

#include "families/bare.h"
#include "families/conventions.h"
#include "families/families.h"

namespace headlight {

namespace {

// Reorders stacked keys, queries, values to Headlight's order: queries, keys, values.
SharedResult queries_first(const SharedResult& kqv, bool of_rows) {
    if (!kqv) return nullptr;
    const MatrixView stored = kqv->view();
    Matrix ordered(stored.rows, stored.cols);
    const Index third = (of_rows ? stored.rows : stored.cols) / 3;
    constexpr std::array from{1, 0, 2};
    for (Index part = 0; part < 3; ++part) {
        const Index at = from[static_cast<std::size_t>(part)] * third;
        if (of_rows)
            ordered.middleRows(part * third, third) = stored.eigen().middleRows(at, third);
        else
            ordered.middleCols(part * third, third) = stored.eigen().middleCols(at, third);
    }
    return make_result(std::move(ordered));
}

Layer read_block(const ModelBuilder& builder, TensorReader& reader, const LayerNames& names,
                 Index inputs, Index outputs) {
    reader.expect_all_or_none(
        {names.projection + ".bias", names.mlp_in + ".bias", names.mlp_out + ".bias"});
    return builder.layer(reader, names, inputs, outputs, 1);
}

Layer read_performer(const ModelBuilder& builder, TensorReader& reader, Index inputs,
                     Index outputs) {
    Layer layer;
    reader.expect_all_or_none({"kqv.bias", "proj.bias", "mlp.0.bias", "mlp.2.bias"});
    layer.norm1 = builder.norm(reader, "norm1", inputs);
    const Linear kqv = builder.linear(reader, "kqv", 3 * outputs, inputs);
    layer.qkv = {queries_first(kqv.weight, true), queries_first(kqv.bias, false)};
    const Index features = reader.shape("w", 2, "[features, channels], random rows")[0];
    layer.features = reader.matrix("w", features, outputs);
    layer.projection = builder.linear(reader, "proj", outputs, outputs);
    layer.norm2 = builder.norm(reader, "norm2", outputs);
    layer.mlp_in = builder.linear(reader, "mlp.0", outputs);
    layer.mlp_out = builder.linear(reader, "mlp.2", outputs, layer.mlp_in.weight->view().rows);
    layer.activation = builder.activation();
    layer.attention.dim = static_cast<int>(inputs);
    layer.attention.channels = static_cast<int>(outputs);
    layer.attention.qkv_bias = layer.qkv.bias != nullptr;
    return layer;
}

}  // namespace

std::optional<TokenTransformer> token_transformer_named(const TensorReader& reader) {
    if (!reader.has("norm1.weight") || !reader.has("norm2.weight")) return {};
    if (reader.has("kqv.weight")) return TokenTransformer::performer;
    if (!reader.has("attn.qkv.weight")) return {};
    if (reader.has("neuralnet.fc1.weight")) return TokenTransformer::lanl;
    if (reader.has("mlp.fc1.weight")) return TokenTransformer::softmax;
    return {};
}

LayerNames lanl_names() {
    LayerNames names;
    names.mlp_in = "neuralnet.fc1";
    names.mlp_out = "neuralnet.fc2";
    return names;
}

Layer read_token_transformer(const ModelBuilder& builder, TensorReader& reader,
                             TokenTransformer kind, Index inputs) {
    const Index outputs = reader.shape("norm2.weight", 1, "a norm over the output's channels")[0];
    Layer layer = kind == TokenTransformer::performer
                      ? read_performer(builder, reader, inputs, outputs)
                      : read_block(builder, reader,
                                   kind == TokenTransformer::lanl ? lanl_names() : LayerNames{},
                                   inputs, outputs);
    layer.attention.skip = Skip::value;
    // As in T2T's code; its paper has head width^-0.5.
    if (kind == TokenTransformer::softmax)
        layer.attention.scale = 1.0F / std::sqrt(static_cast<float>(inputs));
    return layer;
}

namespace {

// A single one. If its input and output widths are equal, it is more likely a block of a whole
// model with the same names, whose skip connection adds X; lanl's adds V as well.
struct Lone {
    std::string family, title;
    std::vector<std::string> known;
};

Lone lone_of(TokenTransformer kind, bool one_width) {
    const std::string transformer = "token transformer of T2T-ViT";
    if (kind == TokenTransformer::performer)
        return {"t2t-performer", "performer of T2T-ViT", {"t2t-performer"}};
    if (kind == TokenTransformer::lanl)
        return one_width ? Lone{"lanl-block",
                                "encoding block of lanl's T2T-ViT",
                                {"lanl-block", "lanl-transformer"}}
                         : Lone{"lanl-transformer", transformer, {"lanl-transformer"}};
    return one_width ? Lone{"timm-block", "block of timm", {"timm-block", "t2t-transformer"}}
                     : Lone{"t2t-transformer", transformer, {"t2t-transformer"}};
}

Layer read_lone(const ModelBuilder& builder, TensorReader& reader, TokenTransformer kind,
                Index inputs) {
    const std::string& family = builder.model.family;
    if (!family.ends_with("-block")) return read_token_transformer(builder, reader, kind, inputs);
    const bool lanl = family == "lanl-block";
    Layer layer = read_block(builder, reader, lanl ? lanl_names() : LayerNames{}, inputs, inputs);
    layer.attention.skip = lanl ? Skip::both : Skip::input;
    return layer;
}

HeadsKnown heads_of(const std::string& family, const AttentionConfig& attention) {
    if (family == "timm-block") return {{}, usual_heads_of(family, attention.channels)};
    HeadsKnown known{{}, {1, "convention of " + family + ": one head; set num_heads to change it"}};
    if (attention.scale) known.scale_origin = "convention of T2T-ViT: width of the input^-0.5";
    return known;
}

std::optional<std::string> prefix_of_one(const TensorReader& file) {
    std::optional<std::string> found;
    for (const std::string& prefix : file.prefixes_of("norm1.weight")) {
        if (!token_transformer_named(file.at(prefix))) continue;
        if (found) return {};
        found = prefix;
    }
    return found;
}

}  // namespace

std::optional<Model> read_token_transformer_names(const TensorReader& file,
                                                  const Decisions& decisions) {
    const auto prefix = prefix_of_one(file);
    if (!prefix) return {};
    TensorReader reader = file.at(*prefix);
    const TokenTransformer kind = *token_transformer_named(reader);
    const Index inputs = reader.shape("norm1.weight", 1, "a norm over the input's numbers")[0],
                outputs = reader.shape("norm2.weight", 1, "a norm over the output's channels")[0];
    const Lone lone = lone_of(kind, inputs == outputs);
    const FamilyChoice family =
        choose_family(file, decisions, lone.known, {lone.family, "tensor names and widths"});
    ModelBuilder builder(file.at(*prefix), shown_as_named(decisions),
                         conventions::lone_block(lone.family == "timm-block" ? 1e-6F : 1e-5F),
                         lone.title, family);
    Layer layer = read_lone(builder, reader, kind, inputs);
    name_layer(layer, 0);
    builder.say("layers", "1", "a transformer layer without its model");
    builder.say("dim", std::to_string(inputs), "width of an input token");
    builder.say("chan", std::to_string(outputs), "width of an output token");
    if (layer.features) {
        builder.say("heads", "1", "a performer of T2T-ViT has one");
        builder.say("random features", std::to_string(layer.features->view().rows),
                    "rows of w; they replace the softmax");
    } else {
        decide_heads(builder, heads_of(builder.model.family, layer.attention), layer.attention);
    }
    builder.say("skip", std::string(name_of(layer.attention.skip)),
                "convention of " + builder.model.family);
    builder.say("MLP width", std::to_string(layer.mlp_out.weight->view().cols), "tensor shapes");
    const bool gated = is_gated(layer.activation);
    builder.say(
        "activation", std::string(name_of(layer.activation)),
        gated ? builder.gate().origin : builder.decisions().find(&ModelConfig::activation)->origin);
    builder.say("norm epsilon", text_of(layer.norm1.eps),
                builder.decisions().find(&ModelConfig::layer_norm_eps)->origin);
    builder.model.pooling = Pooling::none;
    decide_patch(builder, static_cast<int>(inputs));
    expect_nothing_beside(file, "one transformer layer");
    std::vector<Layer> layers;
    layers.push_back(std::move(layer));
    return finish_bare(builder, std::move(layers), file.unused());
}

}  // namespace headlight
