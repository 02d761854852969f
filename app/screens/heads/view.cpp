#include "heads/view.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "analysis/mass.h"
#include "analysis/statistics.h"
#include "frame/attention_scale.h"
#include "trace/same_place.h"

namespace headlight::screens {

bool is_query_pinned(const Frame& frame) {
    const Selection& s = frame.state.selection;
    return s.token && (s.token_chosen || !s.also.empty()) && *s.token < frame.trace.shape.queries;
}

bool can_be_patched(const Frame& frame) {
    const auto before = frame.work.pinned_trace();
    const auto rows = [](const Trace& trace) {
        return trace.stream.empty() ? Index{0} : trace.stream.back()->view().rows;
    };
    return before && frame.state.pinned && before.get() != &frame.trace &&
           before->model == frame.trace.model && rows(*before) == rows(frame.trace);
}

SharedResult mass_of(const MatrixView& map, double part) {
    const std::vector<bool> chosen = smallest_set(map, part);
    if (std::ranges::find(chosen, true) == chosen.end()) return nullptr;
    Matrix cells = map.eigen();
    for (Index i = 0; i < cells.size(); ++i)
        if (!chosen[static_cast<std::size_t>(i)])
            cells.data()[i] = std::numeric_limits<float>::quiet_NaN();
    return make_result(std::move(cells));
}

const PatchGrid& grid_of(const Frame& frame, int layer) {
    return grid_in_layer(frame.trace, frame.summary.kept, layer);
}

int token_there(const Frame& frame, int layer, Index token) {
    if (!frame.trace.model->has_merges()) return static_cast<int>(token);
    TokenPlaces to = places_of(frame.trace);
    to.grid = grid_of(frame, layer);
    to.layout.patches = to.grid.count();
    return token_at_same_place(places_of(frame.trace), to, static_cast<int>(token));
}

MatrixView patches_of(const Frame& frame, const HeadsView& view, const HeadPlace& place) {
    return patches_of(frame, view, place, view.query());
}

MatrixView patches_of(const Frame&, const HeadsView& view, const HeadPlace& place,
                      std::size_t query) {
    return patches_in(*view.said, place, query);
}

OtherResult other_result(const Frame& frame) {
    if (frame.before())
        return {frame.work.trace(), frame.work.summary(), frame.work.trace_recipe()};
    return {frame.work.pinned_trace(), frame.work.pinned_summary(), *frame.state.pinned};
}

Frame with_result(Frame& frame, const Trace& trace, const Summary& summary, const Recipe& recipe) {
    return {frame.ui,     frame.work,    frame.state,         trace,        summary,   recipe,
            frame.memory, frame.out,     frame.picture_tools, frame.reader, frame.low, frame.small,
            frame.focus,  frame.present, frame.head};
}

const MapPair* pair_of(const Frame& frame, const HeadsView& view, const HeadPlace& place) {
    if (!view.pairs || !view.pairs->answer.why_not.empty()) return nullptr;
    std::optional<HeadPlace> now = place;
    if (frame.before()) now = same_head(frame.trace, *frame.work.trace(), place);
    const auto& pairs = view.pairs->answer.pairs[view.query()];
    const auto found = now ? pairs.find(*now) : pairs.end();
    return found == pairs.end() ? nullptr : &found->second;
}

Shown shown_difference(Frame& frame, const HeadsView& view, const MapPair& pair) {
    Shown map;
    map.set_cells(pair.difference);
    float reach = view.pairs->answer.reach[view.query()];
    if (frame.state.look.range != RangeMode::shared || !pair.of_attention()) {
        const Statistics own = statistics(map.view);
        reach = std::max(std::abs(own.min), std::abs(own.max));
    }
    map.scale = signed_scale(frame, -reach, reach);
    return map;
}

void show_part(Shown& map, const Result& mass) {
    const MatrixView held = mass.view();
    map.cells = {held.data, static_cast<int>(held.rows), static_cast<int>(held.cols),
                 static_cast<int>(held.stride), mass.version()};
    map.scale.nan = {0, 0, 0};
}

namespace {

// mass: the part that is shown; null: all. A row has a weight for each of the map's tokens. A
// rollout is no head's attention and has its own range.
Shown shown_cells(Frame& frame, const HeadsView& view, const MatrixView& cells,
                  std::uint64_t version, const SharedResult& mass, bool is_rollout = false) {
    Shown map;
    map.set_cells(cells, version);
    Magnitudes own;
    const bool shared = frame.state.look.range == RangeMode::shared && !is_rollout;
    if (!shared) own.add(cells);
    map.scale = attention_scale(frame.state.look, shared ? *view.sizes : own,
                                frame.trace.layout.prefix() + cells.rows * cells.cols);
    if (mass) show_part(map, *mass);
    return map;
}

}  // namespace

Shown shown_map(Frame& frame, const HeadsView& view, const HeadPlace& place, std::size_t query) {
    const MatrixView patches = patches_of(frame, view, place, query);
    if (patches.empty()) return {};
    return shown_cells(frame, view, patches,
                       view.all().of(query)[static_cast<std::size_t>(place.layer)]->version(),
                       view.masses == nullptr ? nullptr : (*view.masses)[query].at(place));
}

ui::ColorScale class_map_scale(const Frame& frame, std::initializer_list<MatrixView> maps) {
    float least = 0, most = 0;
    for (const MatrixView& map : maps) {
        if (map.empty()) continue;
        const Statistics range = statistics(map);
        least = std::min(least, range.min);
        most = std::max(most, range.max);
    }
    if (least < 0) return signed_scale(frame, least, most);
    ui::ColorScale scale;
    scale.map = map_named(frame.state.look.attention_map, gl::ColorMap::magma);
    scale.low = 0;
    scale.high = most > 0 ? most : 1;
    return scale;
}

namespace {

Shown shown_class_map(Frame& frame, const SharedResult& cells, const SharedResult& mass) {
    Shown map;
    map.set_cells(cells->view(), cells->version());
    map.scale = class_map_scale(frame, {cells->view()});
    if (mass) show_part(map, *mass);
    return map;
}

}  // namespace

Shown shown_map(Frame& frame, const HeadsView& view, const Combination& of, std::size_t query) {
    const SharedResult& cells = of.cells[query];
    if (of.class_map)
        return shown_class_map(frame, cells, of.mass.empty() ? nullptr : of.mass[query]);
    return shown_cells(frame, view, cells->view(), cells->version(),
                       of.mass.empty() ? nullptr : of.mass[query], of.is_rollout);
}

Index patches_shown(const HeadsView& view, const HeadPlace& place) {
    const SharedResult& mass = (*view.masses)[view.query()].at(place);
    if (!mass) return 0;
    const auto cells = mass->view().eigen().array();
    return (cells == cells).count();  // NaN differs from itself
}

const HeadNumbers& numbers_of(const Frame& frame, const HeadPlace& place) {
    return frame.summary
        .layers[static_cast<std::size_t>(place.layer)][static_cast<std::size_t>(place.head)];
}

const std::string& layer_name(const Frame& frame, int layer) {
    return frame.trace.model->layers[static_cast<std::size_t>(layer)].name;
}

std::string name_of_head(const Frame& frame, const HeadPlace& place) {
    return layer_name(frame, place.layer) + " · head " + std::to_string(place.head + 1);
}

int most_heads(const HeadsView& view) {
    int most = 1;
    for (const HeadTile& tile : view.tiles) most = std::max(most, tile.place.head + 1);
    return most;
}

}  // namespace headlight::screens
