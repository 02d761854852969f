#include <algorithm>
#include <functional>

#include "model/builder.h"

// Facts about a model with several stages, whose layers differ in size.
namespace headlight {

namespace {

// "2, 2, 6, 2"; a single text if all are equal.
std::string listed(std::vector<std::string> texts, bool all = false) {
    const bool same = std::ranges::adjacent_find(texts, std::not_equal_to<>()) == texts.end();
    if (same && !all) texts.resize(1);
    std::string list;
    for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + text;
    return list;
}

// The text for a layer of each stage.
std::string text_of_stages(const Model& model,
                           const std::function<std::string(const Layer&)>& text) {
    std::vector<std::string> texts;
    for (const auto& [first, end] : model.stages())
        texts.push_back(text(model.layers[static_cast<std::size_t>(first)]));
    return listed(std::move(texts));
}

std::string depths_of(const Model& model) {
    std::vector<std::string> depths;
    for (const auto& [first, end] : model.stages()) depths.push_back(std::to_string(end - first));
    return listed(std::move(depths), true);
}

std::string head_width(const Layer& layer) {
    return std::to_string(layer.attention.channels / layer.attention.heads);
}

}  // namespace

void ModelBuilder::say_stages() {
    const std::string shapes = "tensor shapes";
    const auto number = [](auto value) { return std::to_string(value); };
    const auto each = [&](const std::function<std::string(const Layer&)>& text) {
        return text_of_stages(model, text);
    };
    say("layers", number(model.layers.size()), "tensor names");
    say("stages", number(model.stages().size()) + ", of " + depths_of(model) + " layers",
        "tensor names");
    say("width", each([&](const Layer& layer) { return number(layer.attention.channels); }),
        shapes);
    say("heads",
        each([&](const Layer& layer) { return number(layer.attention.heads); }) + ", each " +
            each(head_width) + " wide",
        shapes);
    say("windows",
        each([&](const Layer& layer) {
            return number(layer.window.size) + " × " + number(layer.window.size);
        }) + " tokens; every second layer of a stage shifts them by " +
            each([&](const Layer& layer) { return number(layer.window.size / 2); }),
        shapes);
    say("MLP width",
        each([&](const Layer& layer) { return number(layer.mlp_out.weight->view().cols); }),
        shapes);
    say("scale of Q·Kᵀ",
        each([](const Layer& layer) { return text_of(layer.attention.effective_scale()); }),
        scale_origin());
}

}  // namespace headlight
