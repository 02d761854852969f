#include <algorithm>
#include <cmath>

#include "analysis/rollout.h"
#include "frame/attention_scale.h"
#include "frame/shown.h"

namespace headlight::screens {

namespace {

float reach_of(const Statistics& range) {
    return std::max(std::abs(range.min), std::abs(range.max));
}

// A averaged over the heads. Computed on demand, because it is large for thousands of tokens; null
// until it is done.
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

// The same for the pooling query: one row.
SharedResult mean_of_probe(Frame& frame, const Trace& trace) {
    const MatrixView all = trace.all(Tensor::pool_attention);
    if (all.empty()) return nullptr;
    const MatrixView rows = all.block(0, 0, trace.shape.heads, all.cols);
    return frame.memory.derived
        .get({Derived::Kind::mean_of_heads, trace.version(Tensor::pool_attention), rows.data, 0,
              nullptr, rows.rows, rows.cols},
             [&] { return Matrix(rows.eigen().colwise().mean()); })
        .result;
}

// `now`, or its difference from the baseline.
Shown compared(Frame& frame, const SharedResult& now, const SharedResult& old) {
    if (!now) return {};
    Shown s;
    s.set_cells(now);
    if (!frame.difference()) return s;
    if (!old || old->view().rows != s.view.rows || old->view().cols != s.view.cols) return {};
    const auto& entry =
        frame.memory.derived.get({Derived::Kind::difference, now->version(), now->view().data,
                                  old->version(), old->view().data, s.view.rows, s.view.cols},
                                 [&] { return difference(now->view(), old->view()); });
    s.set_cells(entry.result);
    return s;
}

// The patches of one head's row or column, or of the mean of its rows. Without prefix tokens, since
// a class token may get most of the attention.
Matrix patches_of(const Frame& frame, const MatrixView& all, std::optional<int> token) {
    const Index prefix = frame.trace.layout.prefix(), patches = all.cols - prefix;
    if (!token) return Matrix(all.eigen().colwise().mean().rightCols(patches));
    if (!shows_reading_from(frame)) return Matrix(column_of(all, *token).rightCols(patches));
    return Matrix(MatrixView{all.row(*token) + prefix, 1, patches, patches}.eigen());
}

// The last range shared by all heads' maps of this token, and the maps that it is for.
struct SharedMaps {
    std::uint64_t version = 0, other = 0;
    std::optional<int> token;
    Reading reading{};
    float reach = 0;  // largest absolute value
    Magnitudes sizes;
};

const SharedMaps& shared_maps(Frame& frame, std::optional<int> token) {
    const Reading reading = frame.state.look.reading;
    const std::uint64_t before =
        frame.difference() ? frame.work.pinned_trace()->version(Tensor::attention) : 0;
    auto& kept = frame.memory.own<SharedMaps>();
    const auto key = std::tuple(frame.trace.version(Tensor::attention), before, token, reading);
    if (std::tie(kept.version, kept.other, kept.token, kept.reading) == key) return kept;
    kept = {std::get<0>(key), before, token, reading, 0, {}};
    for (int h = 0; h < static_cast<int>(frame.trace.shape.heads); ++h) {
        const Shown all = shown(frame, Tensor::attention, h);
        if (all.cells.empty() || token.value_or(0) >= all.view.rows) continue;
        const Matrix cells = patches_of(frame, all.view, token);
        const Statistics range = statistics(cells);
        for (const float end : {range.min, range.max})
            if (std::isfinite(end)) kept.reach = std::max(kept.reach, std::abs(end));
        kept.sizes.add(cells);
    }
    return kept;
}

ui::ColorScale scale_of_map(Frame& frame, const Reader& reader, std::optional<int> token,
                            const MatrixView& map) {
    const bool shared =
        frame.state.look.range == RangeMode::shared && reader.kind != Reader::Kind::rollout;
    if (frame.difference()) {
        const float reach = shared ? shared_maps(frame, token).reach : reach_of(statistics(map));
        return signed_scale(frame, -reach, reach);
    }
    Magnitudes own;
    if (!shared) own.add(map);
    return attention_scale(frame.state.look, shared ? shared_maps(frame, token).sizes : own,
                           frame.trace.shape.keys);
}

}  // namespace

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

bool reads_probe(const Frame& frame) {
    const Step step = frame.node().id;
    return step >= Step::pool_probe && step <= Step::pool &&
           frame.trace.has(Tensor::pool_attention);
}

Shown shown_probe_map(Frame& frame, const Reader& reader) {
    const PatchGrid& grid = frame.trace.grid;
    const Index prefix = frame.trace.layout.prefix();
    const bool one = reader.kind == Reader::Kind::head;
    Shown map;
    if (one) {
        map = shown(frame, Tensor::pool_attention, reader.head);
    } else {
        const Trace* before = frame.difference() ? frame.work.pinned_trace().get() : nullptr;
        map = compared(frame, mean_of_probe(frame, frame.trace),
                       before != nullptr ? mean_of_probe(frame, *before) : nullptr);
    }
    if (map.cells.empty() || map.view.cols != prefix + grid.count()) return {};
    map.set_cells({map.view.row(0) + prefix, grid.rows, grid.cols, grid.cols}, map.cells.version);
    const bool shares = frame.state.look.range == RangeMode::shared;
    if (!one || frame.difference() || !shares) {
        Magnitudes own;
        own.add(map.view);
        const float reach = reach_of(statistics(map.view));
        map.scale = frame.difference()
                        ? signed_scale(frame, -reach, reach)
                        : attention_scale(frame.state.look, own, frame.trace.shape.keys);
    }
    map.summary = nullptr;
    map.scale_is_chosen = !frame.difference();
    return map;
}

Shown shown_token_map(Frame& frame, const Reader& reader, std::optional<int> token) {
    if (reads_probe(frame)) return shown_probe_map(frame, reader);
    const PatchGrid& grid = frame.trace.grid;
    const Index prefix = frame.trace.layout.prefix();
    const Shown all = shown_reading(frame, reader);
    if (all.cells.empty() || token.value_or(0) >= all.view.rows ||
        all.view.cols != prefix + grid.count())
        return {};
    Shown map = all;
    if (token && shows_reading_from(frame)) {
        map.set_cells({all.view.row(*token) + prefix, grid.rows, grid.cols, grid.cols},
                      all.cells.version);
    } else {
        const auto kind = token ? Derived::Kind::column : Derived::Kind::mean_of_rows;
        const auto& entry = frame.memory.derived.get(
            {kind, all.cells.version, all.view.data + token.value_or(0), 0, nullptr, grid.rows,
             grid.cols},
            [&] {
                const Matrix cells = patches_of(frame, all.view, token);
                return Matrix(cells.reshaped<Eigen::RowMajor>(grid.rows, grid.cols));
            });
        map.set_cells(entry.result);
    }
    map.summary = nullptr;
    map.scale = scale_of_map(frame, reader, token, map.view);
    map.scale_is_chosen = !frame.difference();
    return map;
}

}  // namespace headlight::screens
