#include <algorithm>

#include "analysis/rollout.h"
#include "heads/view.h"

// The heads of a layer, a head of all layers, and all of them, as one map each.
namespace headlight::screens {

namespace {

// Of the heads that have a map there.
std::vector<HeadPlace> heads_of(const HeadsView& view, std::optional<int> layer,
                                std::optional<int> head) {
    std::vector<HeadPlace> places;
    for (const HeadTile& tile : view.tiles)
        if ((!layer || *layer == tile.place.layer) && (!head || *head == tile.place.head))
            places.push_back(tile.place);
    return places;
}

Matrix combined(const Frame& frame, const HeadsView& view, const std::vector<HeadPlace>& places,
                std::size_t query) {
    const PatchGrid& grid = frame.trace.grid;
    Matrix maps(static_cast<Index>(places.size()), grid.count());
    for (std::size_t i = 0; i < places.size(); ++i) {
        const MatrixView patches = patches_of(frame, view, places[i], query);
        maps.row(static_cast<Index>(i)) =
            Eigen::Map<const Vector>(patches.data, patches.rows * patches.cols);
    }
    const auto how = static_cast<HeadFusion>(static_cast<int>(frame.state.look.heads_combined) - 1);
    Matrix one = fuse_heads(maps, maps.rows(), how);
    one.resize(grid.rows, grid.cols);
    return one;
}

Combination combine(const Frame& frame, const HeadsView& view, std::optional<int> layer,
                    std::optional<int> head) {
    const Look& look = frame.state.look;
    Combination made{layer, head, {}, {}};
    if (look.heads_combined == Combined::hues) return made;
    const std::vector<HeadPlace> places = heads_of(view, layer, head);
    for (std::size_t q = 0; q < view.tokens.size(); ++q) {
        Matrix one = combined(frame, view, places, q);
        if (look.heads_mass < 100)
            made.mass.push_back(make_result(mass_of(one, look.heads_mass / 100.0)));
        made.cells.push_back(make_result(std::move(one)));
    }
    return made;
}

std::vector<Combination> all_of(const Frame& frame, const HeadsView& view) {
    std::vector<int> layers, heads;
    const auto add = [](std::vector<int>& list, int number) {
        if (std::ranges::find(list, number) == list.end()) list.push_back(number);
    };
    for (const HeadTile& tile : view.tiles) {
        add(layers, tile.place.layer);
        add(heads, tile.place.head);
    }
    std::vector<Combination> all;
    for (const int layer : layers) all.push_back(combine(frame, view, layer, std::nullopt));
    if (frame.state.look.heads_combined == Combined::hues) return all;
    for (const int head : heads) all.push_back(combine(frame, view, std::nullopt, head));
    all.push_back(combine(frame, view, std::nullopt, std::nullopt));
    return all;
}

bool can_be_combined(const Frame& frame, const HeadsView& view) {
    return frame.state.look.heads_combined != Combined::nothing &&
           frame.state.look.heads_order == HeadOrder::layer && !view.tiles.empty() &&
           !patches_of(frame, view, view.tiles.front().place).empty();
}

}  // namespace

void find_combinations(Frame& frame, HeadsView& view, HeadsMemory& memory) {
    if (!can_be_combined(frame, view)) return;
    const Look& look = frame.state.look;
    if (memory.combined_of != view.said || memory.combined_how != look.heads_combined ||
        memory.combined_mass != look.heads_mass) {
        memory.combined_of = view.said;
        memory.combined_how = look.heads_combined;
        memory.combined_mass = look.heads_mass;
        memory.combinations = all_of(frame, view);
    }
    view.combinations = memory.combinations;
    if (const auto i = memory.hovered_combination; i && *i < view.combinations.size())
        view.hovered_combination = &view.combinations[*i];
}

std::string name_of_combination(const Frame& frame, const HeadsView& view, const Combination& of) {
    const std::string how(name_of(frame.state.look.heads_combined));
    if (of.in_hues())
        return frame.trace.model->layers[static_cast<std::size_t>(*of.layer)].name +
               " · heads in hues, " + token_name(frame.trace.layout, view.token);
    if (of.layer)
        return how + " of " + frame.trace.model->layers[static_cast<std::size_t>(*of.layer)].name;
    if (of.head) return how + " of head " + std::to_string(*of.head + 1) + " in all layers";
    return how + " of all heads";
}

}  // namespace headlight::screens
