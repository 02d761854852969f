#include "state/named_layer.h"

#include <algorithm>

#include "program/values.h"

namespace headlight {

namespace {

constexpr char kTransformer = 'T';

}  // namespace

NamedLayer NamedLayer::parse(std::string_view what, std::string_view text) {
    constexpr int kMostLayers = 1000;
    const bool is_transformer = text.starts_with(kTransformer);
    const int number = parse_integer(what, text.substr(is_transformer ? 1 : 0), 1, kMostLayers);
    return {number - 1, is_transformer};
}

NamedLayer NamedLayer::of(const Model& model, int layer) {
    const int transformers = model.token_transformers();
    return layer < transformers ? NamedLayer{layer, true} : NamedLayer{layer - transformers, false};
}

int NamedLayer::nearest_in(const Model& model) const {
    const int transformers = model.token_transformers();
    if (is_transformer) return std::min(index, std::max(transformers - 1, 0));
    return std::min(transformers + index, static_cast<int>(model.layers.size()) - 1);
}

std::string NamedLayer::name() const {
    return (is_transformer ? std::string(1, kTransformer) : "") + std::to_string(index + 1);
}

}  // namespace headlight
