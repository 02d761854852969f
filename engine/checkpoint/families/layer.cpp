#include <cmath>

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
    return "torch.nn.MultiheadAttention";
}

std::string number(Index value) { return std::to_string(value); }

// Heads follow from no tensor. One is what T2T's token transformers have.
Decided<int> usual_heads(const LayerTensors& tensors, int channels) {
    constexpr int kUsualWidth = 64;
    const std::string convention = "convention of " + tensors.family;
    const std::string change = "; set num_heads to change it";
    if (tensors.family == "t2t") return {1, convention + ": one head" + change};
    if (channels % kUsualWidth == 0)
        return {channels / kUsualWidth, convention + ": heads of 64 channels" + change};
    return {0, "no tensor says; set num_heads"};
}

void decide_heads(ModelBuilder& builder, const LayerTensors& tensors, AttentionConfig& attention) {
    const auto given = builder.decisions().find(&ModelConfig::num_heads);
    const Decided<int> heads = given           ? *given
                               : tensors.heads ? Decided<int>{*tensors.heads, "tensor shapes"}
                                               : usual_heads(tensors, attention.channels);
    builder.model.heads_are_known = heads.value > 0;
    if (!builder.model.heads_are_known) {
        builder.say("heads", "missing", heads.origin);
        builder.say("head_dim", "missing", "chan / heads");
        return;
    }
    attention.heads = heads.value;
    const auto scale = builder.decisions().find(&ModelConfig::qk_scale);
    if (scale) attention.scale = scale->value;
    try {
        validate(attention);
    } catch (const AttentionError& error) {
        throw CheckpointError(builder.model.file + ": num_heads: " + error.what());
    }
    builder.say("heads", number(heads.value), heads.origin);
    builder.say("head_dim", number(attention.head_dim()), "chan / heads");
    builder.say("scale", text_of(attention.effective_scale()),
                scale           ? scale->origin
                : tensors.scale ? "convention of " + tensors.family + ": (heads · head_dim)^-0.5"
                                : "head_dim^-0.5");
}

// Patch size and colour follow from the token's width: dim = 3·patch² or patch². No width is both.
void decide_patch(ModelBuilder& builder, int dim) {
    for (const int channels : {3, 1}) {
        const auto side =
            static_cast<int>(std::lround(std::sqrt(static_cast<double>(dim) / channels)));
        if (Index{side} * side * channels != dim) continue;
        builder.model.patch_size = side;
        builder.model.image_channels = channels;
        builder.say("patch",
                    number(side) + " × " + number(side) + (channels == 3 ? ", rgb" : ", grey"),
                    channels == 3 ? "dim = 3·patch²" : "dim = patch²");
        builder.decide_image();
        builder.model.preprocessing.eight_bit = bare_preprocessing().eight_bit;
        return;
    }
    builder.model.preprocessing = bare_preprocessing();
    builder.say("images", "none", "dim is neither 3·patch² nor patch²: give it tokens");
}

void say_weights(ModelBuilder& builder, const LayerTensors& tensors, int dim, int channels) {
    const auto say = [&](const char* what, const SharedResult& tensor, const std::string& count) {
        if (!tensor) return builder.say(what, "none", "tensor names");
        builder.say(what, number(tensor->view().rows * tensor->view().cols), count);
    };
    const MatrixView out = tensors.projection.weight->view();
    const bool one_width = out.rows == channels && out.cols == channels;
    const std::string c = number(channels), v = number(out.cols);
    say("qkv weight", tensors.qkv.weight,
        one_width ? "dim·chan·3 = " + number(dim) + "·" + c + "·3"
                  : "dim·(chan·2 + values) = " + number(dim) + "·(" + c + "·2 + " + v + ")");
    say("qkv bias", tensors.qkv.bias,
        one_width ? "chan·3 = " + c + "·3" : "chan·2 + values = " + c + "·2 + " + v);
    say("projection weight", tensors.projection.weight,
        one_width ? "chan² = " + c + "²" : "outputs·values = " + number(out.rows) + "·" + v);
    say("projection bias", tensors.projection.bias, one_width ? "chan" : "outputs");
}

// A head that stands beside the layer reads the mean over its tokens where a config says so.
// Without one nobody says how they are pooled, and the head is left aside.
void read_head(ModelBuilder& builder, int channels) {
    builder.model.pooling = Pooling::none;
    const auto pooling = builder.decisions().find(&ModelConfig::pooling);
    if (!builder.at.has("head.weight") || !pooling || pooling->value != "avg") return;
    builder.model.pooling = Pooling::patches;
    builder.model.classifier = builder.linear(builder.at, "head", channels);
    builder.pooling_origin = pooling->origin;
    builder.decide_classes();
}

// No positions were learned for another size: the one that a config names is what it is shown.
Decisions shown_as_named(const Decisions& decisions) {
    std::vector<ModelConfig> rising = decisions.rising();
    for (ModelConfig& config : rising)
        if (!config.frame) config.frame = config.native_size;
    return Decisions(std::move(rising));
}

Layer layer_of(const LayerTensors& tensors) {
    Layer layer;
    layer.name = "Layer 1";
    layer.file_name = "layer.0";
    layer.qkv = tensors.qkv;
    layer.projection = tensors.projection;
    layer.score = tensors.score;
    AttentionConfig& attention = layer.attention;
    attention.dim = static_cast<int>(tensors.qkv.weight->view().cols);
    const MatrixView qkv = tensors.qkv.weight->view(), out = tensors.projection.weight->view();
    attention.channels = static_cast<int>((qkv.rows - out.cols) / 2);
    if (out.cols != attention.channels) attention.value_channels = static_cast<int>(out.cols);
    if (out.rows != out.cols) attention.outputs = static_cast<int>(out.rows);
    attention.qkv_bias = tensors.qkv.bias != nullptr;
    attention.skip = tensors.skip;
    attention.scale = tensors.scale;
    return layer;
}

// A layer with more tensors computes more: key biases, norms of queries, the rest of its block.
// Only a head stands behind it.
void expect_nothing_beside(const TensorReader& file) {
    bool is_block = false;  // of timm, T2T or torch.nn.TransformerEncoderLayer
    for (const char* sign : {"norm1.weight", "mlp.fc1.weight", "linear1.weight"})
        is_block = is_block || !file.prefixes_of(sign).empty();
    for (const std::string& name : file.unused())
        if (name != "head.weight" && name != "head.bias")
            file.refuse(name, "one attention layer with nothing beside it",
                        is_block ? "a transformer block, whose norms and MLP Headlight does not "
                                   "read without the rest of its model"
                                 : "one that may compute with it");
}

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
    builder.say("skip", std::string(name_of(tensors.skip)), "convention of " + tensors.family);
    say_weights(builder, tensors, dim, channels);
    if (layer.score.weight)
        builder.say("score weight",
                    number(layer.score.weight->view().rows) + " × " +
                        number(layer.score.weight->view().cols),
                    "used where a learned score is chosen");
    decide_heads(builder, tensors, layer.attention);
    decide_patch(builder, dim);
    read_head(builder, layer.attention.output_width());
    expect_nothing_beside(file);

    Model model = std::move(builder.model);
    model.layers.push_back(std::move(layer));
    set_unused(model, file.unused());
    model.parts = parts_of(model);
    return model;
}

}  // namespace headlight
