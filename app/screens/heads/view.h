#pragma once

#include <algorithm>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/magnitudes.h"
#include "frame/shown.h"
#include "frame/studies.h"
#include "program/head_place.h"
#include "state/class_map_study.h"
#include "state/layer_studies.h"
#include "state/map_curves_study.h"
#include "state/paired_maps.h"
#include "state/region_study.h"

// Shared by the parts of the Heads screen.
namespace headlight::screens {

struct HeadsMemory;

// Maps of several heads combined into one.
struct Combination {
    std::optional<int> layer, head;  // combined over the one that is empty, or over both
    // For each query, in the layout of the grid; empty if each head is shown in its hue.
    std::vector<SharedResult> cells;
    std::vector<SharedResult> mass;        // as shown, limited to the mass; empty: whole maps
    bool is_rollout = false;               // attention rollout through all layers
    std::optional<MapMethod> class_map{};  // what the class in question depends on
    // For each query, the fraction of the combined attention on patches. Empty for maximum and
    // minimum, which are no attention row.
    std::vector<std::optional<double>> share{};

    [[nodiscard]] bool in_hues() const { return cells.empty(); }
    // Whether it covers the whole model: no head's attention, with a range of its own.
    [[nodiscard]] bool of_model() const { return is_rollout || class_map; }
};

// The same for the current result and the baseline; null if either has none.
struct CombinedPair {
    SharedResult other;  // of the result that is not shown
    MapPair maps;
};

// One head that has a map.
struct HeadTile {
    HeadPlace place;
    std::optional<double> number;  // the measure for the order and for the bar beside the map
    int group = -1;                // of similar maps, in that order
    int hue = -1;                  // the group's; -1: a group of its own
    bool left_out = false;         // by the filter
};

// Everything to draw in this frame.
struct HeadsView {
    Index token = 0;                                // the query; or the key, when columns are shown
    std::vector<Index> tokens;                      // all queries, in the order of their hues
    std::optional<std::size_t> alone;               // the only one shown of several
    std::shared_ptr<const TokenFinder::Said> said;  // null: not yet
    // All for the current result; null: not known, or not requested.
    std::shared_ptr<const EffectFinder::Said> effects;
    std::shared_ptr<const TurnFinder::Said> turns;
    std::map<HeadMeasure, std::shared_ptr<const ComputedFinder::Said>> computed;
    std::shared_ptr<const PatchFinder::Said> patches;
    std::shared_ptr<const ContributionFinder::Said> contributions;
    std::shared_ptr<const GroupFinder::Said> groups;
    std::shared_ptr<const ClassMapFinder::Said> class_map;
    // Of the result that is not shown, for the same class; and whether it has one.
    std::shared_ptr<const ClassMapFinder::Said> other_class_map;
    bool has_other_class_map = false;
    std::shared_ptr<const MapCurvesFinder::Said> map_curves;  // a part until all are there
    std::shared_ptr<const RegionFinder::Said> region;
    HeadOrder order = HeadOrder::layer;   // the effective one
    bool stale = false;                   // from the previous result; new maps are being computed
    std::vector<HeadTile> tiles;          // in their order
    HeadPlace chosen;                     // the selection
    HeadPlace shown;                      // hovered, or else selected
    std::optional<HeadPlace> most_alike;  // to the shown one
    const Magnitudes* sizes = nullptr;    // over all maps' patches
    // For each query; null: the maps are shown whole.
    const std::vector<std::map<HeadPlace, SharedResult>>* masses = nullptr;
    std::span<const Combination> combinations;  // layers, heads, all, rollout
    const Combination* hovered_combination = nullptr;

    // With a baseline: the maps of the result that is not shown, for the tokens at the same
    // positions. Null: not yet, or `apart` has the reason.
    std::shared_ptr<const TokenFinder::Said> other;
    std::shared_ptr<const PairFinder::Said> pairs;  // of both results; null: not yet
    std::string apart;        // one sentence: why the results cannot be compared
    bool comparing = false;   // large maps are shown for both results
    bool difference = false;  // each map is after − before
    std::span<const CombinedPair> combined_pairs;  // parallel to `combinations`; empty: not wanted

    [[nodiscard]] const TokenInLayers& all() const { return said->answer; }
    // For the query that the numbers refer to.
    [[nodiscard]] const TokenInStream& stream() const { return all().stream[query()]; }
    [[nodiscard]] std::size_t query() const { return alone.value_or(0); }
    [[nodiscard]] bool shows_class_map() const {
        return std::ranges::any_of(combinations,
                                   [](const Combination& of) { return of.class_map.has_value(); });
    }
    // Whether each map shows several queries in their hues.
    [[nodiscard]] bool together() const { return tokens.size() > 1 && !alone; }
};

// Null: not known yet, or refused.
template <class Said>
auto answer_of(const std::shared_ptr<const Said>& said) {
    return said && said->error.empty() ? &said->answer : nullptr;
}

// Whether a click has pinned the query, so that the pointer selects the key.
bool is_query_pinned(const Frame& frame);

int most_heads(const HeadsView& view);  // of a layer; at least 1

// Whether there is a baseline to patch from: the same model with as many tokens.
bool can_be_patched(const Frame& frame);

// The patch grid of that layer: the selected layer's, except in other stages of Swin.
const PatchGrid& grid_of(const Frame& frame, int layer);
// "layers 11 to 12": the layers of the last stage.
std::string last_layers(const Model& model);
// The token of that layer at the position of the selected layer's token.
int token_there(const Frame& frame, int layer, Index token);
// With a baseline: the result that is not shown.
struct OtherResult {
    const std::shared_ptr<const Trace>& trace;
    const std::shared_ptr<const Summary>& summary;
    const Recipe& recipe;
};
OtherResult other_result(const Frame& frame);
// A copy of the frame that shows that result.
Frame with_result(Frame& frame, const Trace& trace, const Summary& summary, const Recipe& recipe);

// A head's maps in both results; null: not known, or one of them has no such head.
const MapPair* pair_of(const Frame& frame, const HeadsView& view, const HeadPlace& place);
// The same, for display.
Shown shown_difference(Frame& frame, const HeadsView& view, const MapPair& pair);

// Row `head` of a layer's maps: the attention weights of the patches in the layout of the grid, for
// the shown query or any other.
MatrixView patches_of(const Frame& frame, const HeadsView& view, const HeadPlace& place);
MatrixView patches_of(const Frame& frame, const HeadsView& view, const HeadPlace& place,
                      std::size_t query);
// The same, for display.
Shown shown_map(Frame& frame, const HeadsView& view, const HeadPlace& place, std::size_t query);
Shown shown_map(Frame& frame, const HeadsView& view, const Combination& of, std::size_t query);
// One scale for all of these class maps: from zero to the maximum or, with negative values,
// symmetric around zero.
ui::ColorScale class_map_scale(const Frame& frame, std::initializer_list<MatrixView> maps);
// The cells of a map that hold the mass; the others are NaN. Null for a map with NaN, which is
// shown whole.
SharedResult mass_of(const MatrixView& map, double part);
// Limits a map to these cells.
void show_part(Shown& map, const Result& mass);

// Recomputed if the maps or the kind of combination have changed.
void find_combinations(Frame& frame, HeadsView& view, HeadsMemory& memory);
void find_combined_pairs(const Frame& frame, HeadsView& view, HeadsMemory& memory);
std::string name_of_combination(const Frame& frame, const HeadsView& view, const Combination& of);

const HeadNumbers& numbers_of(const Frame& frame, const HeadPlace& place);
const std::string& layer_name(const Frame& frame, int layer);          // "Layer 9"
std::string name_of_head(const Frame& frame, const HeadPlace& place);  // "Layer 9 · head 7"
// Number of patches that hold the shown mass of a map.
Index patches_shown(const HeadsView& view, const HeadPlace& place);
// The measure for the order: "entropy 6.18 bit"; "" if it is not known.
std::string number_words(const Frame& frame, const HeadsView& view, const HeadTile& tile);

// The controls above the maps, in as many rows as they need.
float heads_tools_height(const Frame& frame, const HeadsMemory& memory);
void heads_tools(Frame& frame, const ui::Rect& rect, const HeadsView& view, HeadsMemory& memory);

// The parts, from left to right.
float heads_grid_width(Frame& frame, const ui::Rect& rect, const HeadsView& view);  // used width
void heads_grid(Frame& frame, const ui::Rect& rect, const HeadsView& view, HeadsMemory& memory);
void heads_cards(Frame& frame, ui::Layout rect, const HeadsView& view, HeadsMemory& memory);
float numbers_card_height(Frame& frame, const HeadsView& view);
void numbers_card(Frame& frame, const ui::Rect& rect, const HeadsView& view);
void lens_card(Frame& frame, ui::Layout rect, const HeadsView& view);
void nearest_card(Frame& frame, ui::Layout rect, const HeadsView& view);
// Marks the tokens named on the card on the large picture, in the card's colors.
void nearest_marks(Frame& frame, const ui::Rect& picture, const HeadsView& view);
void likeness_card(Frame& frame, ui::Layout rect, const HeadsView& view);
void distance_card(Frame& frame, ui::Layout rect, const HeadsView& view, HeadsMemory& memory);
void contributions_card(Frame& frame, ui::Layout rect, const HeadsView& view);
// "final norm frozen at the class token: mean 0.012, deviation 1.84"; needs at least one row.
std::string frozen_words(const Frame& frame, const std::vector<FrozenRow>& rows);

// Replaces these in lecture view.
void heads_lecture(Frame& frame, ui::Layout rect, const HeadsView& view, HeadsMemory& memory);

// A card with its caption; returns its inside. `taken`: at the end of the caption's line, in
// pixels.
ui::Layout card(Frame& frame, const ui::Rect& rect, std::string_view caption, float taken = 0);
// With the first caption that fits; pass them longest first.
ui::Layout card(Frame& frame, const ui::Rect& rect, std::initializer_list<std::string> captions,
                float taken = 0);

}  // namespace headlight::screens
