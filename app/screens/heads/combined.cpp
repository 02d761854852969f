#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "analysis/rollout.h"
#include "encoder/run_scene.h"
#include "heads/memory.h"
#include "heads/view.h"

// Combined maps: one for the heads of each layer, for a head over all layers, and for all of them.
namespace headlight::screens {

namespace {

// The heads that have a map there.
std::vector<HeadPlace> heads_of(const TokenFinder::Said& said, std::optional<int> layer,
                                std::optional<int> head) {
    std::vector<HeadPlace> places = heads_in(said);
    std::erase_if(places, [&](const HeadPlace& place) {
        return (layer && *layer != place.layer) || (head && *head != place.head);
    });
    return places;
}

Matrix combined(Combined as, const TokenFinder::Said& said, const std::vector<HeadPlace>& places,
                std::size_t query) {
    const PatchGrid& grid =
        grid_in_layer(*said.question.trace, said.question.summary->kept, places.front().layer);
    Matrix maps(static_cast<Index>(places.size()), grid.count());
    for (std::size_t i = 0; i < places.size(); ++i) {
        const MatrixView patches = patches_in(said, places[i], query);
        maps.row(static_cast<Index>(i)) =
            Eigen::Map<const Vector>(patches.data, patches.rows * patches.cols);
    }
    const auto how = static_cast<HeadFusion>(static_cast<int>(as) - 1);
    Matrix one = fuse_heads(maps, maps.rows(), how);
    one.resize(grid.rows, grid.cols);
    return one;
}

Combination combine(const Frame& frame, const HeadsView& view, std::optional<int> layer,
                    std::optional<int> head) {
    const Look& look = frame.state.look;
    Combination made{layer, head, {}, {}};
    if (look.heads_combined == Combined::hues) return made;
    const std::vector<HeadPlace> places = heads_of(*view.said, layer, head);
    for (std::size_t q = 0; q < view.tokens.size(); ++q) {
        Matrix one = combined(look.heads_combined, *view.said, places, q);
        if (look.heads_mass < 100) made.mass.push_back(mass_of(one, look.heads_mass / 100.0));
        made.cells.push_back(make_result(std::move(one)));
        if (look.heads_combined == Combined::mean)
            made.share.push_back(patch_share(*view.said, places, q));
    }
    return made;
}

// The corresponding layer of the other model.
std::optional<int> other_layer(const Frame& frame, const HeadsView& view, int layer) {
    const auto place = same_head(frame.trace, *view.other->question.trace, {layer, 0});
    return place ? std::optional(place->layer) : std::nullopt;
}

bool same_size(const MatrixView& a, const MatrixView& b) {
    return a.rows == b.rows && a.cols == b.cols;
}

// In the order of the two results.
MapPair paired(const Frame& frame, const MatrixView& here, const MatrixView& there) {
    return frame.before() ? pair_maps(there, here) : pair_maps(here, there);
}

CombinedPair pair_of_class_maps(const Frame& frame, const HeadsView& view, const Combination& of) {
    const auto* found = answer_of(view.other_class_map);
    if (found == nullptr) return {};
    CombinedPair pair{make_result(Matrix(found->cells)), {}};
    const MatrixView here = of.cells.front()->view(), there = pair.other->view();
    if (!same_size(here, there)) return pair;
    pair.maps = paired(frame, here, there);
    pair.maps.variation = std::numeric_limits<double>::quiet_NaN();
    return pair;
}

// Empty for a rollout, which the other result may not have.
CombinedPair pair_with_other(const Frame& frame, const HeadsView& view, const Combination& of) {
    if (of.class_map) return pair_of_class_maps(frame, view, of);
    if (of.is_rollout) return {};
    std::optional<int> layer;
    if (of.layer) layer = other_layer(frame, view, *of.layer);
    if (of.layer && !layer) return {};
    const std::vector<HeadPlace> places = heads_of(*view.other, layer, of.head);
    if (places.empty() || patches_in(*view.other, places.front(), view.query()).empty()) return {};
    CombinedPair pair;
    pair.other =
        make_result(combined(frame.state.look.heads_combined, *view.other, places, view.query()));
    const MatrixView here = of.cells[view.query()]->view(), there = pair.other->view();
    if (same_size(here, there)) pair.maps = paired(frame, here, there);
    return pair;
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
    // Sorted, so that results do not depend on the order of the heads.
    std::ranges::sort(layers);
    std::ranges::sort(heads);
    std::vector<Combination> all;
    for (const int layer : layers) all.push_back(combine(frame, view, layer, std::nullopt));
    // Combines several layers only if they have the same tokens.
    if (frame.state.look.heads_combined == Combined::hues || frame.trace.model->has_merges())
        return all;
    for (const int head : heads) all.push_back(combine(frame, view, std::nullopt, head));
    all.push_back(combine(frame, view, std::nullopt, std::nullopt));
    return all;
}

// The rollout over all layers if it was requested; otherwise null.
SharedResult rollout_of(const Frame& frame) {
    const SharedResult& rollout = frame.summary.rollout;
    const bool fits = rollout && rollout->view().rows == frame.trace.layout.count();
    return frame.recipe.rollout && fits ? rollout : nullptr;
}

// The fraction of a token's row or column of it that is on the patches.
std::optional<double> rollout_share(const Frame& frame, const MatrixView& rollout, Index token) {
    const bool from = frame.state.look.reading == Reading::from;
    const auto cells = rollout.eigen().cast<double>();
    const double all = from ? cells.row(token).sum() : cells.col(token).sum();
    double patches = 0;
    for (Index other = frame.trace.layout.prefix(); other < rollout.rows; ++other)
        patches += from ? cells(token, other) : cells(other, token);
    return std::isfinite(all) && all > 0 ? std::optional(patches / all) : std::nullopt;
}

// A token's row or column of it, in the layout of the grid.
Matrix rollout_map(const Frame& frame, const MatrixView& rollout, Index token) {
    const PatchGrid& grid = frame.trace.grid;
    const Index prefix = frame.trace.layout.prefix();
    Matrix map(grid.rows, grid.cols);
    for (Index patch = 0; patch < map.size(); ++patch)
        map.data()[patch] = frame.state.look.reading == Reading::from
                                ? rollout(token, prefix + patch)
                                : rollout(prefix + patch, token);
    return map;
}

Combination rollout_combination(const Frame& frame, const HeadsView& view,
                                const MatrixView& rollout) {
    Combination made;
    made.is_rollout = true;
    for (const Index token : view.tokens) {
        Matrix one = rollout_map(frame, rollout, token);
        if (frame.state.look.heads_mass < 100)
            made.mass.push_back(mass_of(one, frame.state.look.heads_mass / 100.0));
        made.cells.push_back(make_result(std::move(one)));
        made.share.push_back(rollout_share(frame, rollout, token));
    }
    return made;
}

bool fits(const ClassMap* map, const PatchGrid& grid) {
    return map != nullptr && map->cells.rows() == grid.rows && map->cells.cols() == grid.cols;
}

// The class map if it is there and has the same patches; otherwise null. So must the other result's
// for a difference.
std::shared_ptr<const ClassMapFinder::Said> class_map_of(const Frame& frame,
                                                         const HeadsView& view) {
    const PatchGrid& grid = frame.trace.grid;
    const bool shown = fits(answer_of(view.class_map), grid) &&
                       (!view.difference || fits(answer_of(view.other_class_map), grid));
    return shown ? view.class_map : nullptr;
}

// The same for every query. Values of both signs have no mass.
Combination class_map_combination(const Frame& frame, const HeadsView& view,
                                  const ClassMapFinder::Said& said) {
    Combination made;
    made.class_map = said.question.method;
    const Matrix& cells = said.answer.cells;
    const SharedResult map = make_result(Matrix(cells));
    const bool has_mass = frame.state.look.heads_mass < 100 && cells.minCoeff() >= 0;
    const SharedResult mass =
        has_mass ? mass_of(cells, frame.state.look.heads_mass / 100.0) : nullptr;
    made.cells.assign(view.tokens.size(), map);
    if (mass) made.mass.assign(view.tokens.size(), mass);
    return made;
}

// Hues cannot show negative values, and rollouts cannot be subtracted.
bool can_be_combined(const Frame& frame, const HeadsView& view) {
    const Combined how = frame.state.look.heads_combined;
    const bool wanted = how != Combined::nothing || (rollout_of(frame) && !view.difference) ||
                        class_map_of(frame, view);
    return wanted && !(how == Combined::hues && view.difference) && !view.tiles.empty() &&
           !patches_of(frame, view, view.tiles.front().place).empty();
}

std::string rollout_name(const RolloutSettings& settings) {
    std::string name = "rollout of the heads' " + std::string(name_of(settings.fusion));
    if (settings.discard_ratio > 0)
        name += fmt::format(", the lowest {:g} % discarded", settings.discard_ratio * 100);
    if (settings.normalisation == RolloutNormalisation::vit_explain)
        name += ", normalized as in vit-explain";
    return name;
}

}  // namespace

void find_combinations(Frame& frame, HeadsView& view, HeadsMemory& memory) {
    if (!can_be_combined(frame, view)) return;
    const Look& look = frame.state.look;
    const SharedResult rollout = view.difference ? nullptr : rollout_of(frame);
    const auto class_map = class_map_of(frame, view);
    view.combinations = memory.combinations.get(
        {view.said, look.heads_combined, look.heads_mass, rollout, look.reading, class_map}, [&] {
            std::vector<Combination> made;
            if (look.heads_combined != Combined::nothing) made = all_of(frame, view);
            if (rollout) made.push_back(rollout_combination(frame, view, rollout->view()));
            if (class_map) made.push_back(class_map_combination(frame, view, *class_map));
            return made;
        });
    if (const auto i = memory.pointed.combination; i && *i < view.combinations.size())
        view.hovered_combination = &view.combinations[*i];
}

void find_combined_pairs(const Frame& frame, HeadsView& view, HeadsMemory& memory) {
    const bool wanted = view.comparing && view.pairs && !view.combinations.empty() &&
                        !view.combinations.front().in_hues();
    if (!wanted) return;
    view.combined_pairs =
        memory.combined_pairs.get({view.pairs, frame.before(), frame.state.look.heads_combined,
                                   view.query(), view.other_class_map, view.combinations.size()},
                                  [&] {
                                      std::vector<CombinedPair> made;
                                      for (const Combination& of : view.combinations)
                                          made.push_back(pair_with_other(frame, view, of));
                                      return made;
                                  });
}

std::string name_of_combination(const Frame& frame, const HeadsView& view, const Combination& of) {
    if (of.is_rollout) return rollout_name(*frame.recipe.rollout);
    if (of.class_map) {
        const auto& about = view.class_map->answer.about;
        return std::string(info(*of.class_map).title) + " · " +
               (about ? class_name(*frame.trace.model, about->index) : "pooled output");
    }
    const std::string how(name_of(frame.state.look.heads_combined));
    if (of.in_hues())
        return layer_name(frame, *of.layer) + " · heads in hues, " +
               token_name(frame.trace.layout, view.token);
    if (of.layer) return how + " of " + layer_name(frame, *of.layer);
    if (of.head) return how + " of head " + std::to_string(*of.head + 1) + " in all layers";
    return how + " of all heads";
}

}  // namespace headlight::screens
