#include "families/layer_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "files/error.h"
#include "model/builder.h"

namespace headlight {

namespace {

// A naming is recognized by one tensor that every layer of it has.
struct Naming {
    std::string_view sign;
    std::string_view family;
};
constexpr std::array kNamings{
    Naming{"qkv.weight", "t2t"},        Naming{"in_proj_weight", "mha"},
    Naming{"q_proj_weight", "mha"},     Naming{"K.weight", "kqvl"},
    Naming{"key_lyr.0.weight", "mhsa"}, Naming{"query/kernel", "keras"},
};

struct Found {
    Naming naming;
    std::string prefix;
};

std::vector<Found> find_layers(const TensorReader& file) {
    std::vector<Found> layers;
    for (const Naming& naming : kNamings)
        for (std::string& prefix : file.prefixes_of(naming.sign))
            layers.push_back({naming, std::move(prefix)});
    return layers;
}

std::string first_names(const TensorReader& file) {
    const std::vector<std::string> names = file.names();
    if (names.empty()) return "no tensors";
    constexpr std::size_t kMost = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(kMost, names.size()); ++i)
        text += (i == 0 ? "" : ", ") + in_quotes(names[i]);
    return names.size() > kMost ? text + ", ..." : text;
}

Found the_layer(const TensorReader& file) {
    const std::vector<Found> layers = find_layers(file);
    if (layers.size() == 1) return layers[0];
    const auto named = [](const Found& layer) {
        return in_quotes(layer.prefix + std::string(layer.naming.sign));
    };
    const std::string found = layers.empty()
                                  ? first_names(file)
                                  : std::to_string(layers.size()) + " layers, including " +
                                        named(layers[0]) + " and " + named(layers[1]);
    Source(file.file_name())
        .refuse(
            "the tensors of one attention layer (qkv.weight and proj.weight, in_proj_weight and "
            "out_proj.weight, K.weight to L.weight, key_lyr to out_layer, or Keras' kernels)",
            found);
}

void read_t2t(TensorReader& reader, LayerTensors& layer) {
    const TensorShape shape = reader.shape("qkv.weight", 2, "a matrix");
    const Index rows = shape[0], channels = rows / 3;
    if (rows % 3 != 0)
        reader.refuse("qkv.weight", "3·channels rows", std::to_string(rows) + " rows");
    layer.skip = Skip::value;
    layer.qkv = {reader.matrix("qkv.weight", rows, shape[1]),
                 reader.optional_row("qkv.bias", rows)};
    layer.projection = {reader.matrix("proj.weight", channels, channels),
                        reader.optional_row("proj.bias", channels)};
}

Linear linear(TensorReader& reader, const std::string& name, Index outputs, Index inputs) {
    return {reader.matrix(name + ".weight", outputs, inputs),
            reader.optional_row(name + ".bias", outputs)};
}

Index inputs_of(const Linear& linear) { return linear.weight->view().cols; }

// Keys and values from separate parts of the tokens, as one block-diagonal weight.
Linear side_by_side(const Linear& key, const Linear& value) {
    const MatrixView k = key.weight->view(), v = value.weight->view();
    Matrix weight = Matrix::Zero(k.rows + v.rows, k.cols + v.cols);
    weight.topLeftCorner(k.rows, k.cols) = k.eigen();
    weight.bottomRightCorner(v.rows, v.cols) = v.eigen();
    if (!key.bias && !value.bias) return {make_result(std::move(weight)), nullptr};
    Matrix bias = Matrix::Zero(1, weight.rows());
    if (key.bias) bias.leftCols(k.rows) = key.bias->view().eigen();
    if (value.bias) bias.rightCols(v.rows) = value.bias->view().eigen();
    return {make_result(std::move(weight)), make_result(std::move(bias))};
}

// Combines three linear layers into one if their inputs have the same width.
void take_three(const Linear& query, const Linear& key, const Linear& value, LayerTensors& layer) {
    const Index q = inputs_of(query), k = inputs_of(key), v = inputs_of(value);
    if (q == k && k == v) {
        layer.qkv = stacked(query, key, value);
        return;
    }
    layer.qkv = query;
    layer.key_value = k == v ? stacked(key, value) : side_by_side(key, value);
    if (k != v) layer.key_token_dim = static_cast<int>(k);
}

// One third of the bias of all three.
SharedResult third(const SharedResult& bias, Index number, Index width) {
    return bias ? make_result(bias->view().block(0, number * width, 1, width), bias) : nullptr;
}

void read_mha(TensorReader& reader, std::string_view sign, LayerTensors& layer) {
    const Index channels = reader.shape(sign, 2, "a matrix")[1];
    layer.skip = Skip::none;
    const std::string bias_name = "in_proj_bias";
    reader.expect_all_or_none({bias_name, "out_proj.bias"});
    if (reader.has("in_proj_weight")) {
        layer.qkv = {reader.matrix("in_proj_weight", 3 * channels, channels),
                     reader.optional_row(bias_name, 3 * channels)};
    } else {
        const SharedResult bias = reader.optional_row(bias_name, 3 * channels);
        const auto part = [&](const char* name, Index number) {
            const Index inputs = reader.shape(name, 2, "a matrix")[1];
            return Linear{reader.matrix(name, channels, inputs), third(bias, number, channels)};
        };
        take_three(part("q_proj_weight", 0), part("k_proj_weight", 1), part("v_proj_weight", 2),
                   layer);
    }
    layer.projection = linear(reader, "out_proj", channels, channels);
}

// Queries and keys have the same width; values may have another.
void read_three(TensorReader& reader, const std::array<std::string, 4>& names,
                LayerTensors& layer) {
    const auto& [query, key, value, output] = names;
    const auto shape = [&](const std::string& name) {
        return reader.shape(name + ".weight", 2, "a matrix");
    };
    const Index channels = shape(query)[0], values = shape(value)[0];
    reader.expect_all_or_none({query + ".bias", key + ".bias", value + ".bias"});
    layer.skip = Skip::none;
    take_three(linear(reader, query, channels, shape(query)[1]),
               linear(reader, key, channels, shape(key)[1]),
               linear(reader, value, values, shape(value)[1]), layer);
    layer.projection = linear(reader, output, shape(output)[0], values);
}

void read_mhsa(TensorReader& reader, LayerTensors& layer) {
    read_three(reader, {"key_lyr.0", "query_lyr.0", "value_lyr.0", "out_layer.1"}, layer);
    const Index channels = reader.shape("key_lyr.0.weight")[0];
    layer.scale = 1.0F / std::sqrt(static_cast<float>(channels));
}

// Converts a kernel, whose leading axes are the inputs (`inputs` numbers in total), and its bias to
// torch's layout: [outputs, inputs].
Linear keras_linear(TensorReader& reader, const std::string& name, const TensorShape& shape,
                    const TensorShape& bias, Index inputs) {
    Index outputs = 1;
    for (const std::int64_t extent : bias) outputs *= extent;
    const SharedResult kernel = reader.matrix(name + "/kernel", shape, inputs, outputs);
    Linear linear{make_result(Matrix(kernel->view().eigen().transpose())), nullptr};
    if (reader.has(name + "/bias")) linear.bias = reader.matrix(name + "/bias", bias, 1, outputs);
    return linear;
}

// A kernel [inputs, H, width] and its bias [H, width].
Linear keras_heads(TensorReader& reader, const std::string& name, const TensorShape& shape) {
    return keras_linear(reader, name, shape, {shape[1], shape[2]}, shape[0]);
}

void read_keras(TensorReader& reader, LayerTensors& layer) {
    const std::string meaning = "[width, heads, width of a head]";
    const auto shape = [&](const char* name) { return reader.shape(name, 3, meaning); };
    const TensorShape query = shape("query/kernel"), key = shape("key/kernel"),
                      value = shape("value/kernel"),
                      output =
                          reader.shape("attention_output/kernel", 3, "[heads, width, outputs]");
    const Index heads = query[1], values = heads * value[2];
    reader.expect_all_or_none({"query/bias", "key/bias", "value/bias", "attention_output/bias"});
    layer.skip = Skip::none;
    layer.heads = static_cast<int>(heads);
    take_three(keras_heads(reader, "query", query),
               keras_heads(reader, "key", {key[0], heads, query[2]}),
               keras_heads(reader, "value", {value[0], heads, value[2]}), layer);
    layer.projection =
        keras_linear(reader, "attention_output", {heads, value[2], output[2]}, {output[2]}, values);
}

// 1×1 convolutions, [1, 1, channels, filters], are linear layers on every cell's channels.
void read_convolutions(TensorReader& reader, LayerTensors& layer) {
    const auto channels = [&](const std::string& name) {
        const TensorShape shape =
            reader.shape(name + "/kernel", 4, "[1, 1, channels, filters], a 1×1 convolution");
        return std::pair{shape[2], shape[3]};
    };
    const auto read = [&](const std::string& name, Index inputs, Index outputs) {
        return keras_linear(reader, name, {1, 1, inputs, outputs}, {outputs}, inputs);
    };
    reader.expect_all_or_none({"query/bias", "key/bias", "value/bias"});
    const Index filters = channels("query").second, values = channels("value").second;
    layer.skip = Skip::none;
    layer.heads = 1;
    take_three(read("query", channels("query").first, filters),
               read("key", channels("key").first, filters),
               read("value", channels("value").first, values), layer);
    layer.projection = read("feature_map", values, channels("feature_map").second);
}

ScoreWeights read_score(TensorReader& reader) {
    ScoreWeights score;
    if (!reader.has("score.weight")) return score;
    const TensorShape shape = reader.shape("score.weight", 3, "[heads, rows, columns]");
    score.heads = shape[0];
    score.weight = reader.matrix("score.weight", shape, shape[0] * shape[1], shape[2]);
    if (!reader.has("score.v")) return score;
    const TensorShape vector = reader.shape("score.v", 2, "[heads, A]");
    score.vector = reader.matrix("score.v", shape[0], vector[1]);
    return score;
}

}  // namespace

bool has_one_layer(const TensorReader& file) { return find_layers(file).size() == 1; }

LayerTensors read_layer_tensors(const TensorReader& file) {
    const Found found = the_layer(file);
    TensorReader reader = file.at(found.prefix);
    LayerTensors layer;
    layer.family = found.naming.family;
    const bool map = layer.family == "keras" && reader.has("feature_map/kernel");
    if (map) layer.family = "convolutions";
    layer.prefix = found.prefix;
    if (layer.family == "t2t")
        read_t2t(reader, layer);
    else if (layer.family == "kqvl")
        read_three(reader, {"Q", "K", "V", "L"}, layer);
    else if (layer.family == "mhsa")
        read_mhsa(reader, layer);
    else if (layer.family == "keras")
        read_keras(reader, layer);
    else if (layer.family == "convolutions")
        read_convolutions(reader, layer);
    else
        read_mha(reader, found.naming.sign, layer);
    layer.score = read_score(reader);
    return layer;
}

}  // namespace headlight
