#include "families/bare.h"
#include "families/conventions.h"
#include "families/families.h"
#include "families/layer_file.h"
#include "model/builder.h"

namespace headlight {

namespace {

// For people.
std::string title_of(const std::string& family) {
    if (family == "t2t") return "attention layer of T2T-ViT";
    if (family == "kqvl") return "attention layer from scratch (K, Q, V, L)";
    if (family == "mhsa") return "LearnOpenCV's attention layer";
    if (family == "keras") return "Keras MultiHeadAttention";
    if (family == "convolutions") return "attention of 1×1 convolutions";
    return "torch.nn.MultiheadAttention";
}

std::string number(Index value) { return std::to_string(value); }

// T2T's token transformers have one head.
HeadsKnown heads_of(const LayerTensors& tensors, int channels) {
    HeadsKnown known{tensors.heads, usual_heads_of(tensors.family, channels)};
    if (tensors.family == "t2t")
        known.usual = {1, "convention of t2t: one head; set num_heads to change it"};
    if (tensors.scale)
        known.scale_origin = "convention of " + tensors.family + ": (heads · head_dim)^-0.5";
    return known;
}

// For a layer whose keys and values come from other tokens than queries.
void say_other_tokens(ModelBuilder& builder, const AttentionConfig& attention) {
    if (!attention.value_token_dim) return;
    const int keys = attention.key_token_dim.value_or(*attention.value_token_dim);
    builder.say("dim of the keys' tokens", number(keys), "cross-attention alone");
    builder.say("dim of the values' tokens",
                number(*attention.value_token_dim - attention.key_token_dim.value_or(0)),
                "cross-attention alone");
}

void say_weights(ModelBuilder& builder, const LayerTensors& tensors, int dim, int channels) {
    const auto say = [&](const char* what, const SharedResult& tensor, const std::string& count) {
        if (!tensor) return builder.say(what, "none", "tensor names");
        builder.say(what, number(tensor->view().rows * tensor->view().cols), count);
    };
    const MatrixView out = tensors.projection.weight->view();
    const bool one_width = out.rows == channels && out.cols == channels;
    const std::string c = number(channels), v = number(out.cols);
    if (tensors.key_value.exists()) {
        say("query weight", tensors.qkv.weight, "dim·chan");
        if (!tensors.key_token_dim) {
            say("key and value weight", tensors.key_value.weight, "values' dim·(chan + values)");
        } else {
            const MatrixView both = tensors.key_value.weight->view();
            const Index k = *tensors.key_token_dim, from = both.cols - k;
            builder.say("key weight", number(k * channels), number(k) + "·" + c);
            builder.say("value weight", number(from * out.cols), number(from) + "·" + v);
        }
        return say("projection weight", tensors.projection.weight, "outputs·values");
    }
    say("qkv weight", tensors.qkv.weight,
        one_width ? "dim·chan·3 = " + number(dim) + "·" + c + "·3"
                  : "dim·(chan·2 + values) = " + number(dim) + "·(" + c + "·2 + " + v + ")");
    say("qkv bias", tensors.qkv.bias,
        one_width ? "chan·3 = " + c + "·3" : "chan·2 + values = " + c + "·2 + " + v);
    say("projection weight", tensors.projection.weight,
        one_width ? "chan² = " + c + "²" : "outputs·values = " + number(out.rows) + "·" + v);
    say("projection bias", tensors.projection.bias, one_width ? "chan" : "outputs");
}

// A head next to the layer takes the mean over its tokens if a config says so. Otherwise the
// pooling is unknown, and the head is left out.
void read_head(ModelBuilder& builder, int channels) {
    builder.model.pooling = Pooling::none;
    const auto pooling = builder.decisions().find(&ModelConfig::pooling);
    if (!builder.at.has("head.weight") || !pooling || pooling->value != "avg") return;
    builder.model.pooling = Pooling::patches;
    builder.model.classifier = builder.linear(builder.at, "head", channels);
    builder.pooling_origin = pooling->origin;
    builder.decide_classes();
}

Layer layer_of(const LayerTensors& tensors) {
    Layer layer;
    name_layer(layer, 0);
    layer.qkv = tensors.qkv;
    layer.projection = tensors.projection;
    layer.score = tensors.score;
    AttentionConfig& attention = layer.attention;
    attention.dim = static_cast<int>(tensors.qkv.weight->view().cols);
    layer.key_value = tensors.key_value;
    const MatrixView qkv = tensors.qkv.weight->view(), out = tensors.projection.weight->view();
    attention.channels =
        static_cast<int>(layer.key_value.exists() ? qkv.rows : (qkv.rows - out.cols) / 2);
    if (layer.key_value.exists())
        attention.value_token_dim = static_cast<int>(layer.key_value.weight->view().cols);
    attention.key_token_dim = tensors.key_token_dim;
    if (out.cols != attention.channels) attention.value_channels = static_cast<int>(out.cols);
    if (out.rows != out.cols) attention.outputs = static_cast<int>(out.rows);
    attention.qkv_bias = tensors.qkv.bias != nullptr;
    attention.skip = tensors.skip;
    attention.scale = tensors.scale;
    split_projection(layer);
    return layer;
}

// Only a head may follow a bare layer.
bool is_of_head(const std::string& name) { return name == "head.weight" || name == "head.bias"; }

}  // namespace

std::optional<Model> read_layer_names(const TensorReader& file, const Decisions& decisions) {
    if (!has_one_layer(file)) return {};
    const LayerTensors tensors = read_layer_tensors(file);
    FamilyChoice family =
        choose_family(file, decisions, {tensors.family, tensors.family + "-layer"},
                      {tensors.family, "tensor names"});
    family.family = tensors.family + "-layer";
    ModelBuilder builder(file, shown_as_named(decisions), conventions::bare_layer(),
                         title_of(tensors.family), std::move(family));
    Layer layer = layer_of(tensors);
    const int dim = layer.attention.dim, channels = layer.attention.channels;
    builder.say("layers", "1", "a bare attention layer");
    builder.say("dim", number(dim), "width of an input token");
    builder.say("chan", number(channels), "width of the queries of all heads");
    if (layer.attention.output_width() != channels)
        builder.say("outputs", number(layer.attention.output_width()), "width of an output token");
    say_other_tokens(builder, layer.attention);
    if (tensors.family == "mhsa")
        builder.say("query and key layers", "exchanged", "LearnOpenCV's code: key_lyr makes Q");
    builder.say("skip", std::string(name_of(tensors.skip)), "convention of " + tensors.family);
    say_weights(builder, tensors, dim, channels);
    if (layer.score.weight)
        builder.say("score weight",
                    number(layer.score.weight->view().rows) + " × " +
                        number(layer.score.weight->view().cols),
                    "used where a learned score is chosen");
    decide_heads(builder, heads_of(tensors, channels), layer.attention);
    decide_patch(builder, dim);
    read_head(builder, layer.attention.output_width());
    expect_nothing_beside(file, "one attention layer", is_of_head);
    return finish_bare(builder, {std::move(layer)}, file.unused());
}

}  // namespace headlight
