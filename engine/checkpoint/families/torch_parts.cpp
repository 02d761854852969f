#include "families/torch_parts.h"

#include <algorithm>
#include <set>
#include <utility>

#include "families/bare.h"
#include "files/error.h"

namespace headlight {

namespace {

// "layers.3." at the end of a prefix is the number of a layer.
std::optional<std::string> base_of_layers(const std::string& prefix) {
    constexpr std::string_view kLayers = "layers.";
    const std::size_t at = prefix.rfind(kLayers);
    if (at == std::string::npos || (at > 0 && prefix[at - 1] != '.')) return {};
    const std::string number = prefix.substr(at + kLayers.size());
    const bool digits =
        number.size() > 1 && number.back() == '.' &&
        std::all_of(number.begin(), number.end() - 1, [](char c) { return c >= '0' && c <= '9'; });
    return digits ? std::optional(prefix.substr(0, at)) : std::nullopt;
}

// Mean above variance, [2, width], as stored by torch.nn.BatchNorm1d.
SharedResult running_of(TensorReader& reader, const std::string& name, Index width) {
    Matrix rows(2, width);
    rows.row(0) = reader.row(name + ".running_mean", width)->view().eigen();
    rows.row(1) = reader.row(name + ".running_var", width)->view().eigen();
    if (rows.row(1).minCoeff() < 0)
        reader.refuse(name + ".running_var", "variances, which are at least 0",
                      text_of(rows.row(1).minCoeff()));
    return make_result(std::move(rows));
}

}  // namespace

std::optional<TorchPlace> torch_place_of(const TensorReader& file, bool decoder) {
    std::set<std::string> bases;
    bool alone = false;
    for (const std::string& prefix : file.prefixes_of(kSelfAttentionSign)) {
        const TensorReader at = file.at(prefix);
        if (!at.has("linear1.weight") || at.has(kCrossAttentionSign) != decoder) continue;
        const auto base = base_of_layers(prefix);
        alone = alone || !base;
        bases.insert(base.value_or(prefix));
    }
    if (bases.size() != 1) return {};
    return TorchPlace{*bases.begin(), alone};
}

bool is_torch_batch_norm(const TensorReader& reader, const std::string& name) {
    return reader.has(name + ".running_mean") || reader.has(name + ".num_batches_tracked");
}

Norm read_torch_norm(const ModelBuilder& builder, TensorReader& reader, const std::string& name,
                     Index width) {
    Norm norm{reader.row(name + ".weight", width), reader.optional_row(name + ".bias", width),
              builder.eps()};
    if (is_torch_batch_norm(reader, name)) norm.running = running_of(reader, name, width);
    return norm;
}

void read_torch_attention(const ModelBuilder& builder, TensorReader& reader,
                          const std::string& name, Index dim, Layer& layer) {
    layer.qkv = {reader.matrix(name + ".in_proj_weight", 3 * dim, dim),
                 reader.optional_row(name + ".in_proj_bias", 3 * dim)};
    layer.projection = builder.linear(reader, name + ".out_proj", dim, dim);
    layer.norm_first = builder.decisions().find(&ModelConfig::norm_first)->value;
    layer.attention.dim = layer.attention.channels = static_cast<int>(dim);
    layer.attention.qkv_bias = layer.qkv.bias != nullptr;
    layer.attention.skip = Skip::input;
}

void read_torch_mlp(const ModelBuilder& builder, TensorReader& reader, Index dim, Layer& layer) {
    layer.mlp_in = builder.linear(reader, "linear1", dim);
    layer.mlp_out = builder.linear(reader, "linear2", dim, layer.mlp_in.weight->view().rows);
    layer.activation = builder.activation();
}

void decide_torch_heads(ModelBuilder& builder, std::vector<Layer>& layers) {
    AttentionConfig& first = layers.front().attention;
    builder.say("dim", std::to_string(first.dim), "width of an input token");
    decide_heads(builder, {{}, usual_heads_of("torch", first.dim)}, first);
    for (Layer& layer : layers) {
        layer.attention.heads = first.heads;
        layer.attention.scale = first.scale;
    }
}

void say_torch_layer(ModelBuilder& builder, const Layer& layer) {
    const auto say = [&](const char* what, std::string value, auto field, const char* key) {
        const auto decided = builder.decisions().find(field);
        const bool own = decided->origin.starts_with("convention");
        builder.say(what, std::move(value),
                    decided->origin + (own ? std::string("; set ") + key + " to change it" : ""));
    };
    builder.say("MLP width", std::to_string(layer.mlp_in.weight->view().rows), "tensor shapes");
    say("activation", std::string(name_of(layer.activation)), &ModelConfig::activation,
        "activation");
    say("norms", layer.norm_first ? "before attention and MLP" : "after the sums",
        &ModelConfig::norm_first, "norm_first");
    if (layer.norm1.is_of_batch()) builder.say("batch norm", "in evaluation", "tensor names");
    say("norm epsilon", text_of(layer.norm1.eps), &ModelConfig::layer_norm_eps, "layer_norm_eps");
}

bool is_count_of_batches(const TensorReader& file, const std::string& name) {
    constexpr std::string_view kCount = "num_batches_tracked";
    return name.ends_with(kCount) &&
           file.has(name.substr(0, name.size() - kCount.size()) + "running_mean");
}

}  // namespace headlight
