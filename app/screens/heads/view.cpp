#include "heads/view.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/similarity.h"
#include "frame/attention_scale.h"

namespace headlight::screens {

namespace {

// The token in focus; without one the class token, or the picture's middle.
Index token_of(const Frame& frame) {
    if (frame.focus.token) return *frame.focus.token;
    const TokenLayout& layout = frame.trace.layout;
    const PatchGrid& grid = frame.trace.grid;
    if (layout.class_tokens > 0) return 0;
    return layout.prefix() + static_cast<Index>(grid.rows / 2) * grid.cols + grid.cols / 2;
}

double alike(const Frame& frame, const HeadsView& view, const HeadPlace& a, const HeadPlace& b) {
    const double r = correlation(patches_of(frame, view, a), patches_of(frame, view, b));
    return std::isnan(r) ? -2.0 : r;
}

std::optional<double> number_of(const Frame& frame, const HeadsView& view, const HeadPlace& place) {
    const HeadNumbers& n = numbers_of(frame, place);
    switch (frame.state.look.heads_order) {
        case HeadOrder::layer:
        case HeadOrder::entropy:
            return n.entropy;
        case HeadOrder::distance:
            return n.distance;
        case HeadOrder::class_token:
            return n.class_mass;
        case HeadOrder::itself:
            return n.self_mass;
        case HeadOrder::alike:
            return alike(frame, view, view.chosen, place);
        case HeadOrder::importance:
            if (!view.effects || !view.effects->error.empty()) return std::nullopt;
            return std::abs(view.effects
                                ->answer[static_cast<std::size_t>(place.layer)]
                                        [static_cast<std::size_t>(place.head)]
                                .probability);
    }
    return std::nullopt;
}

std::vector<HeadTile> tiles_of(const Frame& frame, const HeadsView& view) {
    std::vector<HeadTile> tiles;
    const auto& maps = view.all().maps;
    for (std::size_t b = 0; b < maps.size(); ++b)
        for (Index h = 0; maps[b] && h < maps[b]->view().rows; ++h) {
            const HeadPlace place{static_cast<int>(b), static_cast<int>(h)};
            tiles.push_back({place, number_of(frame, view, place)});
        }
    const double least = -std::numeric_limits<double>::infinity();
    const auto sorted_by = [&](const HeadTile& tile) {
        return tile.number && !std::isnan(*tile.number) ? *tile.number : least;
    };
    if (frame.state.look.heads_order != HeadOrder::layer)
        std::ranges::stable_sort(tiles, std::greater{}, sorted_by);
    return tiles;
}

std::optional<HeadPlace> most_alike_to(const Frame& frame, const HeadsView& view,
                                       const HeadPlace& place) {
    std::optional<HeadPlace> best;
    double most = -2;
    for (const HeadTile& tile : view.tiles) {
        if (tile.place == place) continue;
        const double r = alike(frame, view, place, tile.place);
        if (r > most) {
            most = r;
            best = tile.place;
        }
    }
    return best;
}

bool has_map(const HeadsView& view, const HeadPlace& place) {
    return std::ranges::find(view.tiles, place, &HeadTile::place) != view.tiles.end();
}

void count(const Frame& frame, const HeadsView& view, HeadsMemory& memory) {
    if (memory.counted == view.said) return;
    memory.counted = view.said;
    memory.sizes = {};
    for (const HeadTile& tile : view.tiles)
        memory.sizes.add(Matrix(patches_of(frame, view, tile.place).eigen()));
}

const std::shared_ptr<const Summary>& summary_of(const Frame& frame) {
    const bool before = &frame.trace == frame.work.pinned_trace().get();
    return before ? frame.work.pinned_summary() : frame.work.summary();
}

// Asked again in every frame: what was asked already costs nothing.
void ask(const Frame& frame, HeadsMemory& memory, Index token) {
    memory.reader->ask(
        {frame.shared(frame.trace), summary_of(frame), token, frame.state.look.reading});
    const bool wanted = frame.state.look.heads_order == HeadOrder::importance;
    if (!wanted || frame.summary.top.empty()) return;
    memory.effects->ask({frame.shared(frame.trace),
                         counterfactual_of(frame.recipe, *frame.trace.model),
                         frame.summary.top.front().index});
}

}  // namespace

HeadsView view_of(Frame& frame, HeadsMemory& memory) {
    HeadsView view;
    view.token = token_of(frame);
    ask(frame, memory, view.token);
    if (memory.reader->busy() || memory.effects->busy()) frame.ui.ask_for_frame();
    view.said = memory.reader->last();
    // What is there of another result has other heads or other tokens.
    if (view.said && view.said->question.trace.get() != &frame.trace) view.said = nullptr;
    if (!view.said || !view.said->error.empty()) return view;
    view.effects = memory.effects->last();
    if (view.effects && view.effects->question.trace.get() != &frame.trace) view.effects = nullptr;
    view.token = view.said->question.token;
    view.chosen = {frame.trace.layer, frame.state.selection.head};
    view.tiles = tiles_of(frame, view);
    if (!has_map(view, view.chosen) && !view.tiles.empty()) view.chosen = view.tiles.front().place;
    view.shown = memory.hovered && has_map(view, *memory.hovered) ? *memory.hovered : view.chosen;
    view.most_alike = most_alike_to(frame, view, view.shown);
    count(frame, view, memory);
    view.sizes = &memory.sizes;
    return view;
}

MatrixView patches_of(const Frame& frame, const HeadsView& view, const HeadPlace& place) {
    const SharedResult& maps = view.all().maps[static_cast<std::size_t>(place.layer)];
    const PatchGrid& grid = frame.trace.grid;
    const Index prefix = frame.trace.layout.prefix();
    if (!maps || maps->view().cols != prefix + grid.count()) return {};
    return {maps->view().row(place.head) + prefix, grid.rows, grid.cols, grid.cols};
}

Shown shown_map(Frame& frame, const HeadsView& view, const HeadPlace& place) {
    Shown map;
    const MatrixView patches = patches_of(frame, view, place);
    if (patches.empty()) return map;
    map.set_cells(patches, view.all().maps[static_cast<std::size_t>(place.layer)]->version());
    Magnitudes own;
    const bool shared = frame.state.look.range == RangeMode::shared;
    if (!shared) own.add(patches);
    map.scale =
        attention_scale(frame.state.look, shared ? *view.sizes : own, frame.trace.layout.count());
    return map;
}

const HeadNumbers& numbers_of(const Frame& frame, const HeadPlace& place) {
    return frame.summary
        .layers[static_cast<std::size_t>(place.layer)][static_cast<std::size_t>(place.head)];
}

std::string name_of_head(const Frame& frame, const HeadPlace& place) {
    return frame.trace.model->layers[static_cast<std::size_t>(place.layer)].name + " · head " +
           std::to_string(place.head + 1);
}

}  // namespace headlight::screens
