#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "heads/view.h"
#include "ui/contours.h"

// What the Heads screen remembers from one frame to the next.
namespace headlight::screens {

// A value that is computed again when what it depends on has changed.
template <class Key, class Value>
class Cached {
  public:
    template <class Compute>
    const Value& get(Key key, const Compute& compute) {
        if (key_ != key) {
            value_ = compute();
            key_ = std::move(key);
        }
        return value_;
    }

  private:
    std::optional<Key> key_;
    Value value_{};
};

// Several maps as one picture, and the scale of its brightness.
struct HuedMap {
    ui::PhotoPicture picture;
    ui::ColorScale scale;
};

// Pictures in hues for one answer and one set of display settings.
struct HuedMaps {
    std::shared_ptr<const TokenFinder::Said> of;
    Look look;
    std::size_t query = 0;
    std::map<HeadPlace, HuedMap> heads;
    std::map<std::size_t, HuedMap> combinations;
};

// Contour lines for one answer and one set of display settings.
struct MapLines {
    std::shared_ptr<const TokenFinder::Said> of;
    Look look;
    std::size_t query = 0;
    std::map<HeadPlace, ui::Contours> heads;
    std::map<std::size_t, ui::Contours> combinations;
    // Time spent on tracing in that frame.
    int frame = -1;
    double milliseconds = 0;
};

// The visible part of the grid, and the mouse on it.
struct Viewport {
    float zoom = 1;
    ImVec2 pan{0, 0};                   // the offset in pixels
    std::optional<HeadPlace> in_sight;  // the selected head last scrolled into view
    bool show_all = false;              // show the whole grid, as requested
    int zoom_steps = 0;                 // requested with keys or buttons
    bool under_pointer = false;         // whether the grid was, in the last frame
    bool pressed = false;               // the button is down since a press on the grid
    bool dragged = false;               // the press became a drag, so it is no click
};

// What the pointer is on.
struct Pointed {
    std::optional<HeadPlace> head;
    std::optional<std::size_t> combination;
    std::optional<std::size_t> query;  // in the row of queries
    std::optional<int> patch;          // on any map

    friend bool operator==(const Pointed&, const Pointed&) = default;
};

struct HeadsMemory {
    std::optional<int> cancels;           // number of cancellations at the last frame
    std::optional<double> reading_since;  // time of the request for missing maps; ImGui's clock
    using Maps = std::shared_ptr<const TokenFinder::Said>;
    using OfClass = std::shared_ptr<const ClassMapFinder::Said>;
    // The last drawn maps for a result in view, and their source.
    Maps made_of;
    std::optional<Recipe> made_by;
    Viewport viewport;
    Pointed pointed, next_pointed;                  // in the last frame, and in this one
    bool query_key = false, off_key = false;        // whether it was pressed
    bool stop_marked = false, leave_stops = false;  // by the Tab key; by Escape
    int tool_rows = 1;                              // rows of controls
    HuedMaps hued;
    MapLines lines;

    // Statistics of all maps of both results together, for their shared color scale.
    Cached<std::pair<Maps, Maps>, Magnitudes> sizes;
    // For each query, the patches that hold the given mass of each map; the others are NaN. Null:
    // the whole map.
    Cached<std::pair<Maps, float>, std::vector<std::map<HeadPlace, SharedResult>>> masses;
    // By maps, kind, mass, rollout, direction and class map.
    Cached<std::tuple<Maps, Combined, float, SharedResult, Reading, OfClass>,
           std::vector<Combination>>
        combinations;
    // Each of them with its partner, by pairs of maps, result in view, kind, query, class map of
    // the other result, and number of combinations.
    Cached<std::tuple<std::shared_ptr<const PairFinder::Said>, bool, Combined, std::size_t, OfClass,
                      std::size_t>,
           std::vector<CombinedPair>>
        combined_pairs;
};

}  // namespace headlight::screens
