#pragma once

#include <string_view>

#include "frame/frame.h"

namespace headlight::screens {

// The first screen: one large picture with the attention of the chosen head over it, what the model
// answers, and every head as a small picture beside it.
void look(Frame& frame, ui::Rect rect);
// Another screen takes its place: what it holds of results is let go.
void look_left(Memory& memory);
bool look_takes_key(Memory& memory, std::string_view key);

}  // namespace headlight::screens
