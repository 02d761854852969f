#include <algorithm>
#include <cmath>

#include "analysis/rollout.h"
#include "views/shown.h"

namespace headlight::views {

namespace {

float reach_of(const Statistics& range) {
    return std::max(std::abs(range.min), std::abs(range.max));
}

// A averaged over the heads. Made when it is looked at, for that of thousands of tokens is large.
SharedResult mean_attention(Scene& scene, const Trace& trace) {
    const MatrixView all = trace.all(Tensor::attention);
    if (all.empty()) return nullptr;
    const Index heads = trace.shape.heads, rows = heads * trace.shape.queries;
    const auto mean = [&] {
        return fuse_heads(all.block(0, 0, rows, all.cols), heads, HeadFusion::mean);
    };
    return scene.memory.derived
        .get({Derived::Kind::mean_of_heads, trace.version(Tensor::attention), all.data, 0, nullptr,
              rows, all.cols},
             mean)
        .result;
}

// `now`; or its difference to A's.
Shown compared(Scene& scene, const SharedResult& now, const SharedResult& old) {
    if (!now) return {};
    Shown s;
    s.set_cells(now->view(), now->version());
    if (!scene.difference()) return s;
    if (!old || old->view().rows != s.view.rows || old->view().cols != s.view.cols) return {};
    const auto& entry =
        scene.memory.derived.get({Derived::Kind::difference, now->version(), now->view().data,
                                  old->version(), old->view().data, s.view.rows, s.view.cols},
                                 [&] { return difference(now->view(), old->view()); });
    s.set_cells(entry.result->view(), entry.result->version());
    return s;
}

}  // namespace

float shared_reach(Scene& scene, int token) {
    const Reading reading = scene.state.look.reading;
    const std::uint64_t before =
        scene.difference() ? scene.work.pinned_trace()->version(Tensor::attention) : 0;
    auto& [version, other, last_token, last_reading, reach] = scene.memory.shared_reach;
    const auto key = std::tuple(scene.trace.version(Tensor::attention), before, token, reading);
    if (std::tie(version, other, last_token, last_reading) == key) return reach;
    std::tie(version, other, last_token, last_reading) = key;
    reach = 0;
    for (int h = 0; h < static_cast<int>(scene.trace.shape.heads); ++h) {
        const Shown all = shown(scene, Tensor::attention, h);
        if (all.cells.empty() || token >= all.view.rows) continue;
        // Of the patches, which the picture shows: a class token may take most of the attention.
        const Index prefix = scene.trace.layout.prefix(), patches = all.view.cols - prefix;
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

Shown shown_reading(Scene& scene, Reader reader) {
    const bool difference = scene.difference();
    if (reader == kRollout)
        return compared(scene, scene.summary.rollout,
                        difference ? scene.work.pinned_summary()->rollout : nullptr);
    if (reader == kAllHeads)
        return compared(scene, mean_attention(scene, scene.trace),
                        difference ? mean_attention(scene, *scene.work.pinned_trace()) : nullptr);
    return shown(scene, Tensor::attention, reader);
}

Shown shown_token_map(Scene& scene, Reader reader, int token) {
    const PatchGrid& grid = scene.trace.grid;
    const Index prefix = scene.trace.layout.prefix();
    const Shown all = shown_reading(scene, reader);
    if (all.cells.empty() || token >= all.view.rows || all.view.cols != prefix + grid.count())
        return {};
    Shown map = all;
    if (scene.state.look.reading == Reading::from) {
        map.set_cells({all.view.row(token) + prefix, grid.rows, grid.cols, grid.cols},
                      all.cells.version);
    } else {
        const auto& entry = scene.memory.derived.get(
            {Derived::Kind::column, all.cells.version, all.view.data + token, 0, nullptr, grid.rows,
             grid.cols},
            [&] {
                const Matrix column = column_of(all.view, token).rightCols(grid.count());
                return Matrix(column.reshaped<Eigen::RowMajor>(grid.rows, grid.cols));
            });
        map.set_cells(entry.result->view(), entry.result->version());
    }
    map.summary = nullptr;
    const bool shared = scene.state.look.range == RangeMode::shared && reader != kRollout;
    const float reach = shared ? shared_reach(scene, token) : reach_of(statistics(map.view));
    map.scale =
        scene.difference() ? signed_scale(scene, -reach, reach) : positive_scale(scene, reach);
    return map;
}

}  // namespace headlight::views
