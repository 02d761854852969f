#pragma once

#include "frame/picture.h"
#include "heads/view.h"

// The maps of the present result against those of the one that was kept.
namespace headlight::screens {

const MapPair* pair_of(const HeadsView& view, const Combination& of);  // null: one has no such map

// Now − before over the picture, in the place of a map of that layer; null: only one of the two has
// it. `spec`: all but what it shows.
void draw_difference(Frame& frame, const ui::Rect& rect, const HeadsView& view, int layer,
                     const MapPair* pair, PictureSpec spec);

// One map is shown of both results: that of several queries in their hues is none.
bool shows_both(const HeadsView& view);
// Before, now, and the one less the other, with how alike they are.
void both_results(Frame& frame, ui::Rect rect, const HeadsView& view);
// Their difference alone, as large as there is room, and in words how alike they are.
void large_difference(Frame& frame, ui::Rect rect, const HeadsView& view);

// Why there is no difference, or which heads are in one result alone: a line from the top, where
// there is something to say.
void baseline_line(Frame& frame, ui::Rect& rect, const HeadsView& view);
float baseline_line_height(Frame& frame, const HeadsView& view, float width);

}  // namespace headlight::screens
