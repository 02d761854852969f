#include <algorithm>
#include <numeric>

#include "model/stages.h"

namespace headlight {

int Model::level_of(int b) const {
    if (!splits.empty()) return std::min(b, token_transformers());
    const auto read = layers.begin() + std::clamp<std::ptrdiff_t>(b + 1, 0, std::ssize(layers));
    return static_cast<int>(
        std::count_if(layers.begin(), read, [](const Layer& l) { return l.merge.exists(); }));
}

bool Model::has_merges() const {
    return std::ranges::any_of(layers, [](const Layer& layer) { return layer.merge.exists(); });
}

int Model::alike_from() const {
    int from = token_transformers();
    for (int b = from; b < static_cast<int>(layers.size()); ++b)
        if (layers[static_cast<std::size_t>(b)].merge.exists()) from = b + 1;
    return from;
}

std::vector<std::pair<int, int>> Model::stages() const {
    std::vector<std::pair<int, int>> stages;
    const int first = token_transformers();
    for (int b = first; b < static_cast<int>(layers.size()); ++b) {
        if (b == first || layers[static_cast<std::size_t>(b)].merge.exists())
            stages.emplace_back(b, b);
        stages.back().second = b + 1;
    }
    return stages;
}

std::string stages_text(const Model& model) {
    std::string text;
    for (const auto& [first, end] : model.stages()) {
        const int heads = model.layers[static_cast<std::size_t>(first)].attention.heads;
        text += (text.empty() ? "" : ", ") +
                (first + 1 == end
                     ? "layer " + std::to_string(end)
                     : "layers " + std::to_string(first + 1) + " to " + std::to_string(end)) +
                " with " + std::to_string(heads) +
                (text.empty() ? heads == 1 ? " head" : " heads" : "");
    }
    return text + ", and each stage has a quarter of the tokens of the one before";
}

int size_unit(const Model& model) {
    if (model.is_bare_layer() || model.is_maps()) return 1;
    return std::lcm(picture_unit(model), std::max(1, model.patch_size));
}

int picture_unit(const Model& model) {
    constexpr std::int64_t kMost = 1 << 30;  // in pixels; no picture is this large
    const bool any = std::ranges::any_of(
        model.layers, [](const Layer& l) { return l.window.exists() || l.merge.exists(); });
    std::int64_t unit = 1;
    for (int b = 0; any && b < static_cast<int>(model.layers.size()) && unit < kMost; ++b) {
        const Window& window = model.layers[static_cast<std::size_t>(b)].window;
        const std::int64_t side = std::max(1, window.size),
                           token = std::int64_t{model.patch_size}
                                   << std::min(model.level_of(b), 30);
        unit = std::lcm(unit, side * token);
    }
    return static_cast<int>(std::min(unit, kMost));
}

}  // namespace headlight
