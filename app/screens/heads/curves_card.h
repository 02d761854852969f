#pragma once

#include "analysis/number_table.h"
#include "heads/view.h"

// The card that tests the class map: the probability of the class while patches are hidden
// (deletion) or shown (insertion) in the order of the map, beside other orders.
namespace headlight::screens {

float curves_card_height(Frame& frame);
void curves_card(Frame& frame, const ui::Rect& rect, const HeadsView& view);

// Its data as numbers; empty if they are not there yet, or cannot be (heads/export.h).
std::optional<NumberTable> curves_table(Frame& frame, const HeadsView& view);

}  // namespace headlight::screens
