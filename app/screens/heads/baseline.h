#pragma once

#include "frame/picture.h"
#include "heads/view.h"

// Compares the maps of the current result with the baseline's.
namespace headlight::screens {

const MapPair* pair_of(const HeadsView& view, const Combination& of);  // null: one lacks the map

// Draws after − before over the picture instead of a map of that layer; null: only one result has
// it. `spec`: everything except the overlay.
void draw_difference(Frame& frame, const ui::Rect& rect, const HeadsView& view, int layer,
                     const MapPair* pair, PictureSpec spec);

// Whether a map is shown for both results. Not for several queries in their hues.
bool shows_both(const HeadsView& view);
// Shows before, now, and their difference, with similarity measures.
void both_results(Frame& frame, ui::Layout rect, const HeadsView& view);
// Only the difference, as large as possible, with similarity measures.
void large_difference(Frame& frame, ui::Layout rect, const HeadsView& view);

// A line at the top if there is no difference, or if some heads are in only one result.
void baseline_line(Frame& frame, ui::Layout& rect, const HeadsView& view);
float baseline_line_height(Frame& frame, const HeadsView& view, float width);

}  // namespace headlight::screens
