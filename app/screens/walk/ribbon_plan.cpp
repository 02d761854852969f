#include "walk/ribbon_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headlight::screens {

namespace {

// Adds a marker for the layers [begin, end), if there are any.
void add_layers(std::vector<RibbonItem>& items, int begin, int end) {
    if (begin >= end) return;
    RibbonItem layers;
    layers.first = begin;
    layers.last = end - 1;
    items.push_back(layers);
}

// A norm after a sum is on the residual stream itself.
bool is_post_norm(const Node& node) {
    if (node.op != Op::norm && node.op != Op::batch_norm) return false;
    const auto reads = [&](Tensor tensor) {
        return std::ranges::find(node.operands, tensor) != node.operands.end();
    };
    return reads(Tensor::residual2) || (node.id == Step::norm1 && reads(Tensor::residual1));
}

// V is added before the sum on the residual stream.
bool is_branch(const Node& node) {
    if (node.place != Place::layer || is_post_norm(node)) return false;
    return node.op != Op::add || node.id == Step::value_skip;
}

// Without the word that is beside the range anyway.
std::string short_name(const Layer& layer) {
    constexpr std::string_view word = "Layer ";
    return layer.name.starts_with(word) ? layer.name.substr(word.size()) : layer.name;
}

}  // namespace

std::vector<RibbonItem> ribbon_items(const Trace& trace) {
    const int transformers = trace.model->token_transformers(),
              count = static_cast<int>(trace.model->layers.size());
    std::vector<RibbonItem> items;
    Place place = Place::front;
    const auto enter = [&](Place next) {
        if (place == Place::front && next != Place::front)
            add_layers(items, transformers, trace.layer);
        if (place != Place::end && next == Place::end) add_layers(items, trace.layer + 1, count);
        place = next;
    };
    for (const Node& node : trace.nodes) {
        enter(node.place);
        // T2T's soft splits come before and between its token transformers.
        if (node.op == Op::gather) add_layers(items, 0, std::min(trace.layer, transformers));
        items.push_back({.node = &node, .branch = is_branch(node)});
    }
    enter(Place::end);
    return items;
}

std::string layer_range(const Model& model, int first, int last) {
    const auto at = [&](int i) -> const Layer& {
        return model.layers[static_cast<std::size_t>(i)];
    };
    const std::string from = short_name(at(first));
    if (first == last) return from;
    const std::string& to = at(last).name;
    // "T2T 1" to "T2T 2": the word appears once.
    const std::size_t blank = to.rfind(' ');
    if (blank != std::string::npos && at(first).name.starts_with(to.substr(0, blank + 1)))
        return from + "–" + to.substr(blank + 1);
    return from + " – " + to;  // "T2T 2" to "Layer 14": each with its own
}

std::vector<float> share_out(const std::vector<float>& wanted, std::vector<float> least,
                             float room) {
    const auto total = [](const std::vector<float>& list) {
        return std::accumulate(list.begin(), list.end(), 0.0F);
    };
    const auto count = static_cast<float>(wanted.size());
    const float sum = total(wanted);
    std::vector<float> widths = wanted;
    if (sum <= room) {
        for (float& width : widths) width += (room - sum) / count;
        return widths;
    }
    if (const float floor = total(least); floor > room)
        for (float& each : least) each *= room / floor;
    const float floor = total(least);
    const float factor = sum > floor ? (room - floor) / (sum - floor) : 0;
    for (std::size_t i = 0; i < widths.size(); ++i)
        widths[i] = least[i] + (wanted[i] - least[i]) * factor;
    return widths;
}

std::vector<bool> place_labels(std::vector<Label>& labels, float gap, float left, float right) {
    std::vector<std::size_t> order(labels.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return labels[a].rank < labels[b].rank; });
    std::vector<bool> placed(labels.size(), false);
    for (const std::size_t i : order) {
        Label& label = labels[i];
        if (label.width > right - left) continue;
        const float most = right - label.width / 2;
        label.center = std::max(left + label.width / 2, std::min(label.center, most));
        bool free = true;
        for (std::size_t j = 0; j < labels.size() && free; ++j)
            free = !placed[j] || labels[j].row != label.row ||
                   std::abs(labels[j].center - label.center) >=
                       (labels[j].width + label.width) / 2 + gap;
        placed[i] = free;
    }
    return placed;
}

}  // namespace headlight::screens
