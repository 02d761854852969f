#include "frame/shown.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "frame/attention_scale.h"
#include "ops/scores.h"

namespace headlight::screens {

namespace {

bool is_attention(Tensor tensor) {
    return tensor == Tensor::attention || tensor == Tensor::pool_attention;
}

// Magnitudes over all heads; combined once for each result.
struct SharedSizes {
    struct Of {
        std::uint64_t version = 0;
        Magnitudes sizes;
    };
    Of layer, probe;
};
const Magnitudes& sizes_of_all_heads(Frame& frame, const Summary& summary, Tensor tensor) {
    const auto attention = static_cast<std::size_t>(tensor);
    auto& kept = frame.memory.own<SharedSizes>();
    auto& [version, sizes] = tensor == Tensor::attention ? kept.layer : kept.probe;
    if (version == summary.versions[attention]) return sizes;
    version = summary.versions[attention];
    sizes = {};
    for (const MatrixSummary& head : summary.matrices[attention]) sizes.add(head.sizes);
    return sizes;
}

// Color range of a tensor: its own, or that of all heads together.
ui::ColorScale scale_for(Frame& frame, const Trace& trace, const Summary& summary, Tensor tensor,
                         int head) {
    if (tensor == Tensor::pixels) return {gl::ColorMap::grey, 0, 1};
    const MatrixSummary* own = summary.find(tensor, head);
    const bool shared = frame.state.look.range == RangeMode::shared || own == nullptr;
    if (is_attention(tensor))
        return attention_scale(frame.state.look,
                               shared ? sizes_of_all_heads(frame, summary, tensor) : own->sizes,
                               trace.shape.keys);
    const RowSums range =
        shared ? summary.range(tensor) : RowSums{own->statistics.min, own->statistics.max};
    return info(tensor).from_zero ? positive_scale(frame, range.max)
                                  : signed_scale(frame, range.min, range.max);
}

// One head's products or scores, which a trace with many tokens does not keep. Without cells while
// they are being computed.
Shown of_one_head(Frame& frame, const Trace& trace, Tensor tensor, int head) {
    // Two matrices have the same source; the tensor in place of the second source distinguishes
    // them.
    Derived::Entry* entry = frame.memory.derived.later(
        {Derived::Kind::of_one_head, trace.version(tensor),
         trace.view(Tensor::attention, 0, head).data, static_cast<std::uint64_t>(tensor), nullptr,
         trace.shape.queries, trace.shape.keys},
        [kept = frame.shared(trace), tensor, head] {
            return compute_for_head(*kept, tensor, 0, head);
        });
    Shown s;
    if (entry == nullptr) return s;
    s.set_cells(entry->result);
    s.summary = &entry->summarise();
    s.scale = signed_scale(frame, s.summary->statistics.min, s.summary->statistics.max);
    return s;
}

// Only the cells.
MatrixView view_of(Frame& frame, const Trace& trace, Tensor tensor, int head) {
    return trace.on_demand(tensor) ? of_one_head(frame, trace, tensor, head).view
                                   : trace.view(tensor, 0, head);
}

Shown plain(Frame& frame, const Trace& trace, const Summary& summary, Tensor tensor, int head) {
    if (trace.on_demand(tensor)) return of_one_head(frame, trace, tensor, head);
    Shown s;
    s.set_cells(trace.view(tensor, 0, head), trace.version(tensor), frame.shared(trace));
    s.summary = summary.find(tensor, head);
    s.scale = scale_for(frame, trace, summary, tensor, head);
    s.scale_is_chosen = is_attention(tensor);
    return s;
}

// The baseline's matrix that corresponds to a matrix of this step. Names differ if only one of the
// two results has a mask.
Tensor in_place_of(const Frame& frame, const Trace& before, Tensor tensor) {
    const Node& now = frame.node();
    const Node* then = before.node(now.id);
    // Without a mask, the scaled products are the scores.
    if (then == nullptr)
        return tensor == Tensor::scaled && !before.has(tensor) ? Tensor::scores : tensor;
    for (const auto list : {&Node::results, &Node::operands}) {
        const auto at = std::ranges::find(now.*list, tensor) - (now.*list).begin();
        if (at < std::ssize(then->*list) && at < std::ssize(now.*list))
            return (then->*list)[static_cast<std::size_t>(at)];
    }
    return tensor;
}

// Now − baseline; without cells if the baseline has no matrix of this shape.
Shown subtracted(Frame& frame, Tensor tensor, int head) {
    const Trace& before = *frame.work.pinned_trace();
    const Tensor other = in_place_of(frame, before, tensor);
    Shown s;
    s.view = view_of(frame, frame.trace, tensor, head);
    const MatrixView now = s.view;
    const bool has_both = frame.trace.has(tensor) && before.has(other) && head < before.shape.heads;
    s.comparable = has_both && frame.trace.rows(tensor) == before.rows(other) &&
                   frame.trace.cols(tensor) == before.cols(other);
    if (!s.comparable) return s;
    const MatrixView old = view_of(frame, before, other, head);
    if (now.empty() || old.empty()) return s;  // being computed
    Derived::Entry& entry =
        frame.memory.derived.get({Derived::Kind::difference, frame.trace.version(tensor), now.data,
                                  before.version(other), old.data, now.rows, now.cols},
                                 [&] { return difference(now, old); });
    s.set_cells(entry.result);
    s.summary = &entry.summarise();
    s.scale = signed_scale(frame, s.summary->statistics.min, s.summary->statistics.max);
    return s;
}

// The cells that are at least partly visible in a window.
MatrixView cells_in(const MatrixView& all, const gl::CellWindow& window) {
    const auto begin = [](float from, Index count) {
        return std::clamp(static_cast<Index>(std::floor(from)), Index{0}, count - 1);
    };
    const auto end = [](float to, Index first, Index count) {
        return std::clamp(static_cast<Index>(std::ceil(to)), first + 1, count);
    };
    const Index row = begin(window.row, all.rows), col = begin(window.col, all.cols);
    return all.block(row, col, end(window.row + window.rows, row, all.rows) - row,
                     end(window.col + window.cols, col, all.cols) - col);
}

// The last scale of each widget, and the cells that it is for.
struct ViewScales {
    struct Kept {
        std::uint64_t version = 0;
        MatrixView cells;
        Look look;
        ui::ColorScale scale;
    };
    std::map<std::string, Kept> kept;
};

}  // namespace

void Shown::set_cells(const MatrixView& matrix, std::uint64_t version,
                      std::shared_ptr<const void> keeper) {
    view = matrix;
    cells = {view.data,
             static_cast<int>(view.rows),
             static_cast<int>(view.cols),
             static_cast<int>(view.stride),
             version,
             std::move(keeper)};
}

void Shown::set_cells(const SharedResult& result) {
    set_cells(result->view(), result->version(), result);
}

void fit_to_view(Frame& frame, const std::string& name, Tensor tensor, const gl::CellWindow& window,
                 Shown& what) {
    const Look& look = frame.state.look;
    if (look.range != RangeMode::view || what.cells.empty() || tensor == Tensor::pixels) return;
    const MatrixView cells = cells_in(what.view, window);
    if (cells == what.view) return;
    auto& kept = frame.memory.own<ViewScales>().kept[name];
    if (kept.version != what.cells.version || !(kept.cells == cells) || !(kept.look == look)) {
        kept = {what.cells.version, cells, look, {}};
        if (what.scale_is_chosen) {
            Magnitudes sizes;
            sizes.add(cells);
            kept.scale = attention_scale(look, sizes, frame.trace.shape.keys);
        } else {
            const Statistics range = statistics(cells);
            kept.scale = signed_scale(frame, range.min, range.max);
        }
    }
    what.scale = kept.scale;
}

gl::ColorMap attention_map(const Frame& frame) {
    return map_named(frame.state.look.attention_map, gl::ColorMap::magma);
}

ui::ColorScale signed_scale(const Frame& frame, float low, float high) {
    return signed_scale(frame.state.look, low, high);
}

ui::ColorScale positive_scale(const Frame& frame, float high) {
    return {attention_map(frame), 0, high > 0 && std::isfinite(high) ? high : 1.0F};
}

Shown shown(Frame& frame, Tensor tensor, int head) {
    // A picture is shown as it is; a difference of pictures would not be one.
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
    s.set_cells(entry.result);
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
    s.set_cells(entry.result);
    s.summary = &entry.summarise();
    const Statistics& range = s.summary->statistics;
    const bool deviation = info(tensor).cols == Axis::moment && index == 1;
    s.scale = deviation && !frame.difference() ? positive_scale(frame, range.max)
                                               : signed_scale(frame, range.min, range.max);
    return s;
}

}  // namespace headlight::screens
