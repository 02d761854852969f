#include "trace/trace.h"

#include <algorithm>
#include <utility>

namespace headlight {

std::optional<Tensor> Node::bias() const {
    const bool may = op == Op::linear || op == Op::project || op == Op::classify;
    return may && weights.size() > 1 ? std::optional(weights[1].name) : std::nullopt;
}

SharedResult Node::weight(Tensor name) const {
    const auto found = std::ranges::find(weights, name, &NodeWeight::name);
    return found == weights.end() ? nullptr : found->value;
}

MatrixView Slot::all() const {
    if (!result) return {};
    const MatrixView whole = result->view();
    return whole.block(0, first, whole.rows, cols);
}

Stamp::Read Slot::read() const {
    return {version(), static_cast<std::uint64_t>(stacking), static_cast<std::uint64_t>(first),
            static_cast<std::uint64_t>(cols), static_cast<std::uint64_t>(heads)};
}

const Node* Trace::node(Step step) const {
    const auto found = std::ranges::find(nodes, step, &Node::id);
    return found == nodes.end() ? nullptr : &*found;
}

std::vector<Step> Trace::steps() const {
    std::vector<Step> steps;
    for (const Node& node : nodes) steps.push_back(node.id);
    return steps;
}

void Trace::set(Tensor tensor, SharedResult result) {
    Slot slot;
    if (result) {
        const bool squares = info(tensor).cols == Axis::key_token;
        slot.cols = result->view().cols;
        slot.stacking = shared_by_samples(tensor) && info(tensor).per_head
                            ? Slot::Stacking::heads_shared
                        : shared_by_samples(tensor) ? Slot::Stacking::shared
                        : !info(tensor).per_head    ? Slot::Stacking::samples
                        : squares                   ? Slot::Stacking::heads_down
                                                    : Slot::Stacking::heads_across;
        if (info(tensor).per_head) slot.heads = shape.heads;
        slot.result = std::move(result);
    }
    set(tensor, std::move(slot));
}

MatrixView Trace::view(Tensor tensor, Index sample, Index head) const {
    const Slot& from = slot(tensor);
    const MatrixView whole = from.all();
    if (whole.empty()) return {};
    const Index rows = whole.rows / shape.batch;
    switch (from.stacking) {
        case Slot::Stacking::shared:
            return whole;
        case Slot::Stacking::heads_shared: {
            const Index each = whole.rows / from.heads;
            return whole.block(head * each, 0, each, whole.cols);
        }
        case Slot::Stacking::samples:
            return whole.block(sample * rows, 0, rows, whole.cols);
        case Slot::Stacking::heads_across: {
            const Index width = whole.cols / from.heads;
            return whole.block(sample * rows, head * width, rows, width);
        }
        case Slot::Stacking::heads_down: {
            const Index each = rows / from.heads;
            return whole.block((sample * from.heads + head) * each, 0, each, whole.cols);
        }
    }
    return {};
}

Index Trace::rows(Tensor tensor) const {
    return on_demand(tensor) ? shape.queries : view(tensor).rows;
}

Index Trace::cols(Tensor tensor) const {
    return on_demand(tensor) ? shape.keys : view(tensor).cols;
}

double Trace::layer_milliseconds() const {
    double sum = 0;
    for (const Node& node : nodes)
        if (node.place == Place::layer) sum += milliseconds[static_cast<std::size_t>(node.id)];
    return sum;
}

float factor_of(const Trace& trace) {
    const Node* scale = trace.node(Step::scale);
    return scale == nullptr ? 1.0F : scale->get<ScaleParameters>().factor;
}

const std::vector<Index>& switched_off(const Trace& trace) {
    static const std::vector<Index> none;
    const Node* mix = trace.node(Step::mix);
    return mix == nullptr ? none : mix->get<MixParameters>().switched_off;
}

std::shared_ptr<const Mask> mask_of(const Trace& trace) {
    return mask_of(trace, trace.node(Step::relative_bias), trace.node(Step::mask));
}

std::shared_ptr<const Mask> mask_of(const Trace& trace, const Node* bias, const Node* node) {
    std::shared_ptr<const Mask> mask;
    if (node != nullptr) {
        const auto& [rules, given, window] = node->get<MaskParameters>();
        mask = make_mask(rules, given, token_grid_of(trace), trace.shape.queries, trace.shape.keys);
    }
    const std::optional<Windows> of_bias = windows_of(trace, bias),
                                 of_mask = windows_of(trace, node);
    if (bias != nullptr && !of_bias && trace.has(Tensor::relative_bias))
        mask = with_added(mask, trace.all(Tensor::relative_bias), trace.shape.heads);
    if (!of_bias && !of_mask) return mask;
    WindowMask windows{.windows = of_mask ? *of_mask : *of_bias, .blocks = of_mask.has_value()};
    if (of_bias) windows.bias = bias->weights[0].value;
    return with_windows(mask, std::move(windows), trace.shape.queries);
}

std::optional<Windows> windows_of(const Trace& trace, const Node* node) {
    if (node == nullptr) return {};
    const auto* bias = std::get_if<RelativeParameters>(&node->parameters);
    const auto* mask = std::get_if<MaskParameters>(&node->parameters);
    const Window window = bias ? bias->window : mask ? mask->window : Window{};
    if (!window.exists()) return {};
    return Windows(window, token_grid_of(trace));
}

bool is_cross(const Trace& trace) {
    if (trace.model && trace.model->is_decoder())
        return trace.model_layer().part == DecoderPart::cross_attention;
    return trace.has(Tensor::value_tokens);
}

// Given tokens have no grid, and neither have the queries of cross-attention.
TokenGrid token_grid_of(const Trace& trace) {
    TokenGrid places{.prefix = trace.layout.prefix()};
    if (trace.grid.image_width == 0 || is_cross(trace)) return places;
    places.rows = trace.grid.rows;
    places.cols = trace.grid.cols;
    return places;
}

Index token_of_row(const Trace& trace, Axis axis, Index row) {
    switch (axis) {
        case Axis::token:
        case Axis::key_token:
        case Axis::prefix_token:
            return row;
        case Axis::patch:
            return row + trace.layout.prefix();
        default:
            return -1;
    }
}

Index row_of_token(const Trace& trace, Axis axis, Index token) {
    switch (axis) {
        case Axis::token:
        case Axis::key_token:
            return token;
        case Axis::prefix_token:
            return token < trace.layout.prefix() ? token : -1;
        case Axis::patch:
            return token - trace.layout.prefix() >= 0 ? token - trace.layout.prefix() : -1;
        default:
            return -1;
    }
}

}  // namespace headlight
