#pragma once

#include "analysis/number_table.h"
#include "heads/view.h"

// The card beside the head's numbers: how far the heads of each layer read; how far around a patch
// the head that is looked at has its attention; how large what each layer adds is beside the
// stream.
namespace headlight::screens {

// At the end of its head, for the dots that turn it over; in units.
inline constexpr float kSideDots = 48;

void side_card(Frame& frame, const ui::Rect& rect, const HeadsView& view, HeadsMemory& memory);

// What it draws, in numbers; nothing where it is not there yet (heads/export.h), and where there
// is no such thing of this model.
std::optional<NumberTable> rings_table(Frame& frame, const HeadsView& view);
std::optional<NumberTable> branches_table(Frame& frame, const HeadsView& view);
// The table of the one that is shown, where the pointer is over it.
std::optional<NumberTable> side_table(Frame& frame, const HeadsView& view);

}  // namespace headlight::screens
