#include "frame/shown.h"

#include <algorithm>
#include <cmath>

#include "ops/scores.h"

namespace headlight::screens {

namespace {

gl::ColorMap map_named(const std::string& name, gl::ColorMap otherwise) {
    for (int i = 0; i < gl::kColorMapCount; ++i)
        if (gl::name(static_cast<gl::ColorMap>(i)) == name) return static_cast<gl::ColorMap>(i);
    return otherwise;
}

// Range of a tensor's colours: its own, or that of all heads together.
ui::ColorScale scale_for(const Frame& frame, const Summary& summary, Tensor tensor, int head) {
    RowSums range = summary.range(tensor);
    const MatrixSummary* own = summary.find(tensor, head);
    if (frame.state.look.range == RangeMode::own && own != nullptr)
        range = {own->statistics.min, own->statistics.max};
    if (tensor == Tensor::pixels) return {gl::ColorMap::grey, 0, 1};
    return info(tensor).from_zero ? positive_scale(frame, range.max)
                                  : signed_scale(frame, range.min, range.max);
}

// One head's products or scores, which a trace of many tokens does not keep. Without cells while
// they are on their way.
Shown of_one_head(Frame& frame, const Trace& trace, Tensor tensor, int head) {
    // Two matrices of one source: told apart by the tensor in the place of the other source.
    Derived::Entry* entry = frame.memory.derived.later(
        {Derived::Kind::of_one_head, trace.version(tensor),
         trace.view(Tensor::attention, 0, head).data, static_cast<std::uint64_t>(tensor), nullptr,
         trace.shape.queries, trace.shape.keys},
        [kept = frame.shared(trace), tensor, head] {
            return compute_for_head(*kept, tensor, 0, head);
        });
    Shown s;
    if (entry == nullptr) return s;
    s.set_cells(entry->result->view(), entry->result->version());
    s.summary = &entry->summarise();
    s.scale = signed_scale(frame, s.summary->statistics.min, s.summary->statistics.max);
    return s;
}

Shown plain(Frame& frame, const Trace& trace, const Summary& summary, Tensor tensor, int head) {
    if (trace.on_demand(tensor)) return of_one_head(frame, trace, tensor, head);
    Shown s;
    s.set_cells(trace.view(tensor, 0, head), trace.version(tensor));
    s.summary = summary.find(tensor, head);
    s.scale = scale_for(frame, summary, tensor, head);
    return s;
}

// What A's own step has in the place of a matrix of this step: they have other names where one of
// them is followed by a mask.
Tensor in_place_of(const Frame& frame, const Trace& before, Tensor tensor) {
    const Node& now = frame.node();
    const Node* then = before.node(now.id);
    if (then == nullptr) return tensor;
    for (const auto list : {&Node::results, &Node::operands}) {
        const auto at = std::ranges::find(now.*list, tensor) - (now.*list).begin();
        if (at < std::ssize(then->*list) && at < std::ssize(now.*list))
            return (then->*list)[static_cast<std::size_t>(at)];
    }
    return tensor;
}

// Now − A; without cells where A has no matrix of this shape.
Shown subtracted(Frame& frame, Tensor tensor, int head) {
    const Trace& before = *frame.work.pinned_trace();
    const Tensor other = in_place_of(frame, before, tensor);
    Shown s;
    s.view = plain(frame, frame.trace, frame.summary, tensor, head).view;
    const MatrixView now = s.view;
    const bool has_both = frame.trace.has(tensor) && before.has(other) && head < before.shape.heads;
    s.comparable = has_both && frame.trace.rows(tensor) == before.rows(other) &&
                   frame.trace.cols(tensor) == before.cols(other);
    if (!s.comparable) return s;
    const MatrixView old = plain(frame, before, *frame.work.pinned_summary(), other, head).view;
    if (now.empty() || old.empty()) return s;  // on its way
    Derived::Entry& entry =
        frame.memory.derived.get({Derived::Kind::difference, frame.trace.version(tensor), now.data,
                                  before.version(other), old.data, now.rows, now.cols},
                                 [&] { return difference(now, old); });
    s.set_cells(entry.result->view(), entry.result->version());
    s.summary = &entry.summarise();
    s.scale = signed_scale(frame, s.summary->statistics.min, s.summary->statistics.max);
    return s;
}

}  // namespace

void Shown::set_cells(const MatrixView& matrix, std::uint64_t version) {
    view = matrix;
    cells = {view.data, static_cast<int>(view.rows), static_cast<int>(view.cols),
             static_cast<int>(view.stride), version};
}

gl::ColorMap attention_map(const Frame& frame) {
    return map_named(frame.state.look.attention_map, gl::ColorMap::magma);
}

ui::ColorScale signed_scale(const Frame& frame, float low, float high) {
    const float largest = std::max(std::abs(low), std::abs(high));
    const float reach = largest > 0 && std::isfinite(largest) ? largest : 1.0F;
    return {map_named(frame.state.look.signed_map, gl::ColorMap::blue_white_red), -reach, reach};
}

ui::ColorScale positive_scale(const Frame& frame, float high) {
    return {attention_map(frame), 0, high > 0 && std::isfinite(high) ? high : 1.0F};
}

Shown shown(Frame& frame, Tensor tensor, int head) {
    // A picture is shown as it is: minus another it would be none.
    return frame.difference() && tensor != Tensor::pixels
               ? subtracted(frame, tensor, head)
               : plain(frame, frame.trace, frame.summary, tensor, head);
}

Shown shown_transposed(Frame& frame, Tensor tensor, int head) {
    Shown s = shown(frame, tensor, head);
    if (s.cells.empty()) return s;
    const MatrixView source = s.view;
    const auto& entry =
        frame.memory.derived.get({Derived::Kind::transposed, s.cells.version, source.data, 0,
                                  nullptr, source.rows, source.cols},
                                 [&] { return Matrix(source.eigen().transpose()); });
    s.set_cells(entry.result->view(), entry.result->version());
    return s;
}

Shown shown_line(Frame& frame, Tensor tensor, Line line, Index index) {
    Shown s = shown(frame, tensor, 0);
    if (s.cells.empty()) return s;
    const MatrixView source = line == Line::row ? s.view.block(index, 0, 1, s.view.cols)
                                                : s.view.block(0, index, s.view.rows, 1);
    Derived::Entry& entry = frame.memory.derived.get(
        {Derived::Kind::line, s.cells.version, source.data, 0, nullptr, source.rows, source.cols},
        [&] { return Matrix(source.eigen()); });
    s.set_cells(entry.result->view(), entry.result->version());
    s.summary = &entry.summarise();
    const Statistics& range = s.summary->statistics;
    const bool deviation = info(tensor).cols == Axis::moment && index == 1;
    s.scale = deviation && !frame.difference() ? positive_scale(frame, range.max)
                                               : signed_scale(frame, range.min, range.max);
    return s;
}

}  // namespace headlight::screens
