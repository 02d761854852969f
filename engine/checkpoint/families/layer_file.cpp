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

// A naming is known by one tensor that every layer of it has.
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

std::string describe_tensors(const TensorReader& file) {
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
                                  ? describe_tensors(file)
                                  : std::to_string(layers.size()) + " layers, " + named(layers[0]) +
                                        " and " + named(layers[1]) + " among them";
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

// torch.nn.MultiheadAttention keeps the three weights apart when keys or values have another width
// than queries. We take equal widths only, where both forms mean the same.
SharedResult stacked_qkv(TensorReader& reader, Index channels) {
    if (reader.has("in_proj_weight"))
        return reader.matrix("in_proj_weight", 3 * channels, channels);
    const auto part = [&](const char* name) {
        return Linear{reader.matrix(name, channels, channels), nullptr};
    };
    return stacked(part("q_proj_weight"), part("k_proj_weight"), part("v_proj_weight")).weight;
}

void read_mha(TensorReader& reader, std::string_view sign, LayerTensors& layer) {
    const Index channels = reader.shape(sign, 2, "a matrix")[1];
    layer.skip = Skip::none;
    layer.qkv = {stacked_qkv(reader, channels), reader.optional_row("in_proj_bias", 3 * channels)};
    layer.projection = {reader.matrix("out_proj.weight", channels, channels),
                        reader.optional_row("out_proj.bias", channels)};
}

Linear linear(TensorReader& reader, const std::string& name, Index outputs, Index inputs) {
    return {reader.matrix(name + ".weight", outputs, inputs),
            reader.optional_row(name + ".bias", outputs)};
}

// Queries and keys are equally wide; values may have a width of their own.
void read_three(TensorReader& reader, const std::array<std::string, 4>& names,
                LayerTensors& layer) {
    const auto& [query, key, value, output] = names;
    const TensorShape first = reader.shape(query + ".weight", 2, "a matrix");
    const Index values = reader.shape(value + ".weight", 2, "a matrix")[0];
    const Index outputs = reader.shape(output + ".weight", 2, "a matrix")[0];
    layer.skip = Skip::none;
    layer.qkv =
        stacked(linear(reader, query, first[0], first[1]), linear(reader, key, first[0], first[1]),
                linear(reader, value, values, first[1]));
    layer.projection = linear(reader, output, outputs, values);
}

void read_mhsa(TensorReader& reader, LayerTensors& layer) {
    read_three(reader, {"key_lyr.0", "query_lyr.0", "value_lyr.0", "out_layer.1"}, layer);
    const Index channels = reader.shape("key_lyr.0.weight")[0];
    layer.scale = 1.0F / std::sqrt(static_cast<float>(channels));
}

// A kernel [inputs, H, width] and its bias [H, width] as torch keeps them: [H·width, inputs].
Linear keras_linear(TensorReader& reader, const std::string& name, const TensorShape& shape) {
    const Index outputs = shape[1] * shape[2];
    const SharedResult kernel = reader.matrix(name + "/kernel", shape, shape[0], outputs);
    Linear linear{make_result(Matrix(kernel->view().eigen().transpose())), nullptr};
    if (reader.has(name + "/bias"))
        linear.bias = reader.matrix(name + "/bias", {shape[1], shape[2]}, 1, outputs);
    return linear;
}

void read_keras(TensorReader& reader, LayerTensors& layer) {
    const std::string meaning = "[width, heads, width of a head]";
    const TensorShape query = reader.shape("query/kernel", 3, meaning),
                      value = reader.shape("value/kernel", 3, meaning),
                      output =
                          reader.shape("attention_output/kernel", 3, "[heads, width, outputs]");
    if (value[0] != query[0])
        reader.refuse(
            "value/kernel",
            "tokens of " + std::to_string(query[0]) + " numbers, as wide as those of the queries",
            std::to_string(value[0]));
    const TensorShape values{query[0], query[1], value[2]}, back{query[1], value[2], output[2]};
    layer.skip = Skip::none;
    layer.heads = static_cast<int>(query[1]);
    layer.qkv = stacked(keras_linear(reader, "query", query), keras_linear(reader, "key", query),
                        keras_linear(reader, "value", values));
    const std::string name = "attention_output";
    const SharedResult kernel =
        reader.matrix(name + "/kernel", back, query[1] * value[2], output[2]);
    layer.projection = {make_result(Matrix(kernel->view().eigen().transpose())),
                        reader.optional_row(name + "/bias", output[2])};
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
    layer.prefix = found.prefix;
    if (layer.family == "t2t")
        read_t2t(reader, layer);
    else if (layer.family == "kqvl")
        read_three(reader, {"Q", "K", "V", "L"}, layer);
    else if (layer.family == "mhsa")
        read_mhsa(reader, layer);
    else if (layer.family == "keras")
        read_keras(reader, layer);
    else
        read_mha(reader, found.naming.sign, layer);
    layer.score = read_score(reader);
    return layer;
}

}  // namespace headlight
