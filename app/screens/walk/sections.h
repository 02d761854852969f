#pragma once

#include <string>
#include <string_view>

#include "frame/frame.h"

// The foldable parts of the right column. What the user folds or opens stays so (Look::folds); the
// others are open if the window has space. Two of them are drawers, closed by default: the
// experiment with all settings, and the numbers. Other elements that belong to a drawer are shown
// while it is open.
namespace headlight::screens {

bool is_open(const Frame& frame, Section section);

// The header of a section, taken off the top: a click folds or opens it, and while it is folded,
// `summary` shows the essentials, or `brief` where the summary has no space. Leaves `spare` pixels
// free at its right end. True if it is open.
bool section_head(Frame& frame, ui::Layout& rect, Section section, std::string_view title,
                  const std::string& summary = "", float spare = 0, const std::string& brief = "");
float section_head_height(const Frame& frame);

}  // namespace headlight::screens
