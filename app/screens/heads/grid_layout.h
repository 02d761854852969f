#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "heads/view.h"

// Where the map of every head stands: layers from the top to the bottom and their heads side by
// side, or one after the other in the order of a number.
namespace headlight::screens {

bool in_layers(const HeadsView& view);
// By layer every head has its place; in another order the others close up.
std::vector<const HeadTile*> placed_tiles(const HeadsView& view);

struct GridLayout {
    int across = 1, down = 1;
    int placed = 0;  // heads, after which the combined maps stand in another order than by layer
    // Of a head in all layers, and of the rollout; -1: there is no such row.
    int heads_row = -1, rollout_row = -1, class_row = -1;
    float tile = 0, tall = 0;  // of a picture
    float bar = 0, gap = 0;
    float edge = 0;              // left of the first, where its outline has room
    float names = 0, heads = 0;  // beside the rows, above the columns; 0 in another order

    [[nodiscard]] float step_x() const { return tile + bar + gap; }
    [[nodiscard]] float step_y() const { return tall + gap; }
    [[nodiscard]] float width() const { return static_cast<float>(across) * step_x() + edge; }
    [[nodiscard]] float height() const { return static_cast<float>(down) * step_y(); }
};

// All of it, as large as there is room; what would be too small to be read scrolls instead.
GridLayout layout_for(Frame& frame, const ui::Rect& rect, const HeadsView& view);
GridLayout zoomed(GridLayout layout, float zoom);

// "9·7", in the corner of a map that no row and column name.
std::string short_name(const Frame& frame, const HeadPlace& place);
// "9·mean", "mean·7", "mean" or "rollout".
std::string short_name(const Frame& frame, const Combination& of);
ui::TextStyle corner_style();

// The same where it is drawn.
struct GridPlaces {
    const GridLayout& l;
    ImVec2 origin;
    bool of_file = false;  // for a file alone: the pointer is not there

    [[nodiscard]] ui::Rect at(int row, int col) const;
    // Of the tile with that number among those that are placed.
    [[nodiscard]] ui::Rect of(const HeadsView& view, const HeadTile& tile, std::size_t i) const;
    // Of the combined map with that number: at the end of its row or column, or after the heads.
    [[nodiscard]] ui::Rect of_combined(const HeadsView& view, std::size_t i) const;
};

}  // namespace headlight::screens
