#include "families/layer_file.h"

#include <algorithm>
#include <array>
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
    Naming{"qkv.weight", "t2t"},
    Naming{"in_proj_weight", "mha"},
    Naming{"q_proj_weight", "mha"},
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
            "the tensors of one attention layer (qkv.weight and proj.weight, or in_proj_weight "
            "and out_proj.weight)",
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
    else
        read_mha(reader, found.naming.sign, layer);
    layer.score = read_score(reader);
    return layer;
}

}  // namespace headlight
