#include <algorithm>
#include <cmath>

#include "analysis/rollout.h"
#include "frame/shown.h"

namespace headlight::screens {

namespace {

float reach_of(const Statistics& range) {
    return std::max(std::abs(range.min), std::abs(range.max));
}

// A averaged over the heads. Made when it is looked at, for that of thousands of tokens is large;
// null while it is on its way.
SharedResult mean_attention(Frame& frame, const Trace& trace) {
    const MatrixView all = trace.all(Tensor::attention);
    if (all.empty()) return nullptr;
    const Index heads = trace.shape.heads, rows = heads * trace.shape.queries;
    Derived& derived = frame.memory.derived;
    const Derived::Key key{Derived::Kind::mean_of_heads,
                           trace.version(Tensor::attention),
                           all.data,
                           0,
                           nullptr,
                           rows,
                           all.cols};
    const auto make = [kept = frame.shared(trace), all, heads, rows] {
        return fuse_heads(all.block(0, 0, rows, all.cols), heads, HeadFusion::mean);
    };
    if (rows * all.cols < Derived::kMany) return derived.get(key, make).result;
    const Derived::Entry* mean = derived.later(key, make);
    return mean != nullptr ? mean->result : nullptr;
}

// `now`; or its difference to A's.
Shown compared(Frame& frame, const SharedResult& now, const SharedResult& old) {
    if (!now) return {};
    Shown s;
    s.set_cells(now->view(), now->version());
    if (!frame.difference()) return s;
    if (!old || old->view().rows != s.view.rows || old->view().cols != s.view.cols) return {};
    const auto& entry =
        frame.memory.derived.get({Derived::Kind::difference, now->version(), now->view().data,
                                  old->version(), old->view().data, s.view.rows, s.view.cols},
                                 [&] { return difference(now->view(), old->view()); });
    s.set_cells(entry.result->view(), entry.result->version());
    return s;
}

// What was found last, and of which maps.
struct SharedReach {
    std::uint64_t version = 0, other = 0;
    int token = 0;
    Reading reading{};
    float reach = 0;
};

}  // namespace

float shared_reach(Frame& frame, int token) {
    const Reading reading = frame.state.look.reading;
    const std::uint64_t before =
        frame.difference() ? frame.work.pinned_trace()->version(Tensor::attention) : 0;
    auto& [version, other, last_token, last_reading, reach] = frame.memory.own<SharedReach>();
    const auto key = std::tuple(frame.trace.version(Tensor::attention), before, token, reading);
    if (std::tie(version, other, last_token, last_reading) == key) return reach;
    std::tie(version, other, last_token, last_reading) = key;
    reach = 0;
    for (int h = 0; h < static_cast<int>(frame.trace.shape.heads); ++h) {
        const Shown all = shown(frame, Tensor::attention, h);
        if (all.cells.empty() || token >= all.view.rows) continue;
        // Of the patches, which the picture shows: a class token may take most of the attention.
        const Index prefix = frame.trace.layout.prefix(), patches = all.view.cols - prefix;
        const Matrix column = reading == Reading::by
                                  ? Matrix(column_of(all.view, token).rightCols(patches))
                                  : Matrix();
        const Statistics range = statistics(
            reading == Reading::by ? MatrixView(column)
                                   : MatrixView{all.view.row(token) + prefix, 1, patches, patches});
        for (const float end : {range.min, range.max})
            if (std::isfinite(end)) reach = std::max(reach, std::abs(end));
    }
    return reach;
}

Shown shown_reading(Frame& frame, const Reader& reader) {
    const bool difference = frame.difference();
    switch (reader.kind) {
        case Reader::Kind::rollout:
            return compared(frame, frame.summary.rollout,
                            difference ? frame.work.pinned_summary()->rollout : nullptr);
        case Reader::Kind::all_heads:
            return compared(
                frame, mean_attention(frame, frame.trace),
                difference ? mean_attention(frame, *frame.work.pinned_trace()) : nullptr);
        case Reader::Kind::head:
            break;
    }
    return shown(frame, Tensor::attention, reader.head);
}

Shown shown_token_map(Frame& frame, const Reader& reader, int token) {
    const PatchGrid& grid = frame.trace.grid;
    const Index prefix = frame.trace.layout.prefix();
    const Shown all = shown_reading(frame, reader);
    if (all.cells.empty() || token >= all.view.rows || all.view.cols != prefix + grid.count())
        return {};
    Shown map = all;
    if (frame.state.look.reading == Reading::from) {
        map.set_cells({all.view.row(token) + prefix, grid.rows, grid.cols, grid.cols},
                      all.cells.version);
    } else {
        const auto& entry = frame.memory.derived.get(
            {Derived::Kind::column, all.cells.version, all.view.data + token, 0, nullptr, grid.rows,
             grid.cols},
            [&] {
                const Matrix column = column_of(all.view, token).rightCols(grid.count());
                return Matrix(column.reshaped<Eigen::RowMajor>(grid.rows, grid.cols));
            });
        map.set_cells(entry.result->view(), entry.result->version());
    }
    map.summary = nullptr;
    const bool shared =
        frame.state.look.range == RangeMode::shared && reader.kind != Reader::Kind::rollout;
    const float reach = shared ? shared_reach(frame, token) : reach_of(statistics(map.view));
    map.scale =
        frame.difference() ? signed_scale(frame, -reach, reach) : positive_scale(frame, reach);
    return map;
}

}  // namespace headlight::screens
