#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "heads/view.h"

// Where the map of every head is: layers from top to bottom with their heads side by side, or one
// after the other, ordered by a measure.
namespace headlight::screens {

bool in_layers(const HeadsView& view);
// By layer, every head has a fixed place; in another order there are no gaps.
std::vector<const HeadTile*> placed_tiles(const HeadsView& view);

struct GridLayout {
    int across = 1, down = 1;
    int placed = 0;  // number of heads; in other orders, combined maps follow them
    // Rows for a head over all layers, and for the rollout; -1 if there is no such row.
    int heads_row = -1, rollout_row = -1, class_row = -1;
    float tile = 0, tall = 0;  // width and height of a picture
    float bar = 0, gap = 0;
    float edge = 0;              // space for the outline at the left
    float names = 0, heads = 0;  // width of row names, height of column names; 0 in other orders

    [[nodiscard]] float step_x() const { return tile + bar + gap; }
    [[nodiscard]] float step_y() const { return tall + gap; }
    [[nodiscard]] float width() const { return static_cast<float>(across) * step_x() + edge; }
    [[nodiscard]] float height() const { return static_cast<float>(down) * step_y(); }
};

// Fits the whole grid if possible; if maps would be too small, the grid scrolls instead.
GridLayout layout_for(Frame& frame, const ui::Rect& rect, const HeadsView& view);
GridLayout zoomed(GridLayout layout, float zoom);

// "9·7", in the corner of a map without row and column names.
std::string short_name(const Frame& frame, const HeadPlace& place);
// "9·mean", "mean·7", "mean" or "rollout".
std::string short_name(const Frame& frame, const Combination& of);
ui::TextStyle corner_style();

// The layout at its position on the screen.
struct GridPlaces {
    const GridLayout& l;
    ImVec2 origin;
    bool of_file = false;  // drawn only for export, without the pointer

    [[nodiscard]] ui::Rect at(int row, int col) const;
    // The rectangle of placed tile number `i`.
    [[nodiscard]] ui::Rect of(const HeadsView& view, const HeadTile& tile, std::size_t i) const;
    // The rectangle of combined map number `i`: at the end of its row or column, or after the
    // heads.
    [[nodiscard]] ui::Rect of_combined(const HeadsView& view, std::size_t i) const;
};

}  // namespace headlight::screens
