#pragma once

#include <algorithm>
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
#include "state/paired_maps.h"
#include "state/region_study.h"
#include "ui/contours.h"

// What the parts of the heads' screen share.
namespace headlight::screens {

// Maps of several heads as one.
struct Combination {
    std::optional<int> layer, head;  // whose; without one: of all
    // Of each query, laid out as the patches; none where each head is shown in its hue.
    std::vector<SharedResult> cells;
    std::vector<SharedResult> mass;  // as they are shown; none: whole
    bool is_rollout = false;         // attention followed back through all layers
    std::optional<MapMethod> class_map{};  // what the class in question depends on
    // How much of what is combined lies on the patches, of each query; none of a largest or
    // smallest, which is no one's row.
    std::vector<std::optional<double>> share{};

    [[nodiscard]] bool in_hues() const { return cells.empty(); }
    // Of all layers at once: no head's attention, with a range of its own.
    [[nodiscard]] bool of_model() const { return is_rollout || class_map; }
};

// The same of the present result and of the one that was kept; null where either has none.
struct CombinedPair {
    SharedResult other;  // of the result that is not in view
    MapPair maps;
};

// Several maps as one picture, and the scale of its brightness.
struct HuedMap {
    ui::PhotoPicture picture;
    ui::ColorScale scale;
};

// Pictures in hues of one answer, seen in one way.
struct HuedMaps {
    std::shared_ptr<const TokenFinder::Said> of;
    Look look;
    std::size_t query = 0;
    std::map<HeadPlace, HuedMap> heads;
    std::map<std::size_t, HuedMap> combinations;
};

// Lines of equal value over the maps of one answer, seen in one way.
struct MapLines {
    std::shared_ptr<const TokenFinder::Said> of;
    Look look;
    std::size_t query = 0;
    std::map<HeadPlace, ui::Contours> heads;
    std::map<std::size_t, ui::Contours> combinations;
    // What tracing took in that frame.
    int frame = -1;
    double milliseconds = 0;
};

// Remembered between frames.
struct HeadsMemory {
    std::optional<int> cancels;  // as many as there were in the last frame
    std::optional<double>
        reading_since;  // when maps were asked for that are not there; ImGui's time
    // The maps that were drawn last of a result in view, and what made that.
    std::shared_ptr<const TokenFinder::Said> made_of;
    std::optional<Recipe> made_by;
    // The part of the grid that is seen: how much larger than all of it, and from where, in pixels.
    float zoom = 1;
    ImVec2 pan{0, 0};
    std::optional<HeadPlace> in_sight;  // the chosen head that was last brought into sight
    bool show_all = false;              // was asked for
    int zoom_steps = 0;                 // that were asked for with keys or buttons
    bool under_pointer = false;         // the grid, in the last frame
    bool pressed = false;               // the button went down over it, and is down
    bool dragged = false;               // by that button: its click is none
    std::optional<HeadPlace> hovered, next_hovered;
    // Of all maps of one answer together, for the colors that they share.
    std::shared_ptr<const TokenFinder::Said> counted, counted_other;
    Magnitudes sizes;
    // The patches of one answer that hold so much of each map; the others are no numbers.
    std::shared_ptr<const TokenFinder::Said> masked;
    float mass = 100;
    std::vector<std::map<HeadPlace, SharedResult>> masses;  // of each query; null: whole
    HuedMaps hued;
    MapLines lines;
    std::optional<std::size_t> hovered_query, next_hovered_query;  // in the row of queries
    std::optional<int> pointed, next_pointed;                      // the patch, on any map
    bool query_key = false, off_key = false;                       // was pressed
    bool stop_marked = false, leave_stops = false;                 // by the Tab key; Escape was
    int tool_rows = 1;                                             // that the choices took
    // Of one answer, in one way, and the one under the pointer.
    std::shared_ptr<const TokenFinder::Said> combined_of;
    Combined combined_how = Combined::nothing;
    float combined_mass = 100;
    SharedResult combined_rollout;
    std::shared_ptr<const ClassMapFinder::Said> combined_class_map;
    Reading combined_reading = Reading::from;
    std::vector<Combination> combinations;
    std::optional<std::size_t> hovered_combination, next_hovered_combination;
    // The same of the other result, each against its partner, for one query.
    std::shared_ptr<const PairFinder::Said> partnered_of;
    Combined partnered_how = Combined::nothing;
    std::size_t partnered_query = 0;
    bool partnered_before = false;
    std::vector<CombinedPair> combined_pairs;
};

// One head, where there is a map of it.
struct HeadTile {
    HeadPlace place;
    std::optional<double> number;  // that the order goes by, and the bar beside the map shows
    int group = -1;                // of those that look alike, in that order
    int hue = -1;                  // of the group; -1: it is a head by itself
    bool left_out = false;         // by the filter
};

// What there is to be drawn in this frame.
struct HeadsView {
    Index token = 0;                                // the query, or the key that is read
    std::vector<Index> tokens;                      // all of them, in the order of their hues
    std::optional<std::size_t> alone;               // the only one that is shown of several
    std::shared_ptr<const TokenFinder::Said> said;  // null: not yet
    // Of this very result, each of them; null: not known, or not asked.
    std::shared_ptr<const EffectFinder::Said> effects;
    std::shared_ptr<const TurnFinder::Said> turns;
    std::shared_ptr<const AttributionFinder::Said> attributions;
    std::shared_ptr<const PatchFinder::Said> patches;
    std::shared_ptr<const ContributionFinder::Said> contributions;
    std::shared_ptr<const GroupFinder::Said> groups;
    std::shared_ptr<const ClassMapFinder::Said> class_map;
    std::shared_ptr<const RegionFinder::Said> region;
    HeadOrder order = HeadOrder::layer;   // that there can be
    bool stale = false;                   // of the result before: the new one's are on their way
    std::vector<HeadTile> tiles;          // in their order
    HeadPlace chosen;                     // of the state
    HeadPlace shown;                      // hovered, else chosen
    std::optional<HeadPlace> most_alike;  // to the one that is shown
    const Magnitudes* sizes = nullptr;    // of all maps' patches
    // Of each query; null: the maps are shown whole.
    const std::vector<std::map<HeadPlace, SharedResult>>* masses = nullptr;
    std::span<const Combination> combinations;  // of layers, of heads, of all, the rollout
    const Combination* hovered_combination = nullptr;

    // Where a result was kept: the maps of the one that is not in view, of the tokens that lie
    // where these do. Null: not yet, or `apart` says why not.
    std::shared_ptr<const TokenFinder::Said> other;
    std::shared_ptr<const PairFinder::Said> pairs;  // of both; null: not yet
    std::string apart;        // one sentence: why nothing can be held against the other result
    bool comparing = false;   // what is shown large is shown of both results
    bool difference = false;  // each map is now − before
    std::span<const CombinedPair> combined_pairs;  // beside `combinations`; none: not wanted

    [[nodiscard]] const TokenInLayers& all() const { return said->answer; }
    // Of the query that the numbers are of.
    [[nodiscard]] const TokenInStream& stream() const { return all().stream[query()]; }
    [[nodiscard]] std::size_t query() const { return alone.value_or(0); }
    [[nodiscard]] bool shows_class_map() const {
        return std::ranges::any_of(combinations,
                                   [](const Combination& of) { return of.class_map.has_value(); });
    }
    // Each map is that of several queries, in their hues.
    [[nodiscard]] bool together() const { return tokens.size() > 1 && !alone; }
};

// Null: not known yet, or refused.
template <class Said>
auto answer_of(const std::shared_ptr<const Said>& said) {
    return said && said->error.empty() ? &said->answer : nullptr;
}

// A click has pinned the query: the pointer says which key is looked at, and not who asks.
bool is_query_pinned(const Frame& frame);

// Asks for what is wanted of the present result; in every frame: what is not asked for again is
// given up, and what was asked already costs nothing.
void ask_for_heads(Frame& frame, HeadsMemory& memory);
// Nothing is measured any more: the maps stand by layer.
void stop_measuring(Frame& frame);
// The last that was said of the result in view, or of one that was there before it.
std::shared_ptr<const TokenFinder::Said> maps_in_view(const Frame& frame);
// The study that reads the maps of the result in view.
const TokenFinder& reader_in_view(const Frame& frame);
// What is there, of the trace that `said` is of: the frame's.
HeadsView view_of(Frame& frame, HeadsMemory& memory,
                  const std::shared_ptr<const TokenFinder::Said>& said);

int most_heads(const HeadsView& view);  // of a layer; at least 1

// There is a result that heads' outputs can be taken from: of the same model, on as many tokens.
bool can_be_patched(const Frame& frame);

// Where that layer's tokens lie: those of the layer that is looked at, but for Swin's other stages.
const PatchGrid& grid_of(const Frame& frame, int layer);
// "layers 11 to 12": those of the last stage.
std::string last_layers(const Model& model);
// The token there that lies where this one of the layer that is looked at does.
int token_there(const Frame& frame, int layer, Index token);
// Where a result was kept: the one that is not in view.
struct OtherResult {
    const std::shared_ptr<const Trace>& trace;
    const std::shared_ptr<const Summary>& summary;
    const Recipe& recipe;
};
OtherResult other_result(const Frame& frame);
// The frame as it would be with that result in view.
Frame with_result(Frame& frame, const Trace& trace, const Summary& summary, const Recipe& recipe);

// A head's maps of both results; null: not known, or one of them has no such head.
const MapPair* pair_of(const Frame& frame, const HeadsView& view, const HeadPlace& place);
// The same as it is shown.
Shown shown_difference(Frame& frame, const HeadsView& view, const MapPair& pair);

// Row `head` of a layer's maps: the shares of the patches, laid out as these. Of the query that is
// shown, or of any.
MatrixView patches_of(const Frame& frame, const HeadsView& view, const HeadPlace& place);
MatrixView patches_of(const Frame& frame, const HeadsView& view, const HeadPlace& place,
                      std::size_t query);
// The same as it is shown.
Shown shown_map(Frame& frame, const HeadsView& view, const HeadPlace& place, std::size_t query);
Shown shown_map(Frame& frame, const HeadsView& view, const Combination& of, std::size_t query);
// The cells of a map that hold the mass, and NaN. Null of a map without a mass, as one with NaN has
// none: it is shown whole.
SharedResult mass_of(const MatrixView& map, double part);
// Of the map that alone is drawn.
void show_part(Shown& map, const Result& mass);

// Made anew where the maps, or how they are combined, have changed.
void find_combinations(Frame& frame, HeadsView& view, HeadsMemory& memory);
void find_combined_pairs(const Frame& frame, HeadsView& view, HeadsMemory& memory);
std::string name_of_combination(const Frame& frame, const HeadsView& view, const Combination& of);

const HeadNumbers& numbers_of(const Frame& frame, const HeadPlace& place);
const std::string& layer_name(const Frame& frame, int layer);          // "Layer 9"
std::string name_of_head(const Frame& frame, const HeadPlace& place);  // "Layer 9 · head 7"
// How many patches hold the mass that is shown of a map.
Index patches_shown(const HeadsView& view, const HeadPlace& place);
// What the order goes by: "entropy 6.18 bit"; "" where that is not known.
std::string number_words(const Frame& frame, const HeadsView& view, const HeadTile& tile);

// The choices above the maps, in as many rows as they need.
float heads_tools_height(const Frame& frame, const HeadsMemory& memory);
void heads_tools(Frame& frame, const ui::Rect& rect, const HeadsView& view, HeadsMemory& memory);

// The parts, from the left to the right.
float heads_grid_width(Frame& frame, const ui::Rect& rect, const HeadsView& view);  // that it uses
void heads_grid(Frame& frame, const ui::Rect& rect, const HeadsView& view, HeadsMemory& memory);
void heads_cards(Frame& frame, ui::Rect rect, const HeadsView& view, HeadsMemory& memory);
float numbers_card_height(Frame& frame, const HeadsView& view);
void numbers_card(Frame& frame, const ui::Rect& rect, const HeadsView& view);
void lens_card(Frame& frame, ui::Rect rect, const HeadsView& view);
void nearest_card(Frame& frame, ui::Rect rect, const HeadsView& view);
// On the large picture: the tokens that the card names, in its colors.
void nearest_marks(Frame& frame, const ui::Rect& picture, const HeadsView& view);
void likeness_card(Frame& frame, ui::Rect rect, const HeadsView& view);
void distance_card(Frame& frame, ui::Rect rect, const HeadsView& view, HeadsMemory& memory);
void contributions_card(Frame& frame, ui::Rect rect, const HeadsView& view);
// "final norm frozen at the class token: mean 0.012, deviation 1.84"; of at least one row.
std::string frozen_words(const Frame& frame, const std::vector<FrozenRow>& rows);

// Instead of these in lecture view.
void heads_lecture(Frame& frame, ui::Rect rect, const HeadsView& view, HeadsMemory& memory);

// A card with its caption; what is inside of it.
ui::Rect card(Frame& frame, const ui::Rect& rect, std::string_view caption, float taken = 0);

}  // namespace headlight::screens
