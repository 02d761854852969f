#pragma once

#include "analysis/number_table.h"
#include "heads/view.h"

// The card beside the head's numbers: the attention distance of every layer's heads; the selected
// head's attention by distance from the query; or the size of what each layer adds, relative to the
// residual stream.
namespace headlight::screens {

// Space at the end of the card's header for the dots that switch it, in pixels; 0 without them.
float side_dots_width(const Frame& frame);

void side_card(Frame& frame, const ui::Rect& rect, const HeadsView& view, HeadsMemory& memory);

// Its data as numbers; empty if they are not there yet (heads/export.h), or do not exist for this
// model.
std::optional<NumberTable> rings_table(Frame& frame, const HeadsView& view);
std::optional<NumberTable> branches_table(Frame& frame, const HeadsView& view);
// The table of the visible plot, if the pointer is over it.
std::optional<NumberTable> side_table(Frame& frame, const HeadsView& view);

}  // namespace headlight::screens
