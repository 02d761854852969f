#pragma once

#include <string>
#include <string_view>

#include "frame/frame.h"

// The parts of the right column that can be folded. What the person folds or opens stays so
// (Look::folds); the others are open where the window has room for what they say. Two of them are
// drawers, closed until they are asked for: the experiment with all that can be changed, and the
// numbers. What else belongs to a drawer, wherever it stands, is shown while that is open.
namespace headlight::screens {

bool is_open(const Frame& frame, Section section);

// The line over a section, taken off the top: a click folds or opens it, and while it is folded
// `summary` says the most needed of it. `spare` is left free at its right end. True: it is open.
bool section_head(Frame& frame, ui::Rect& rect, Section section, std::string_view title,
                  const std::string& summary = "", float spare = 0);
float section_head_height(const Frame& frame);

}  // namespace headlight::screens
