#pragma once

#include "frame/frame.h"

// What a person has changed of the model as it was made, and the way back: "changed: temperature
// 0.312, positions none", with a button that resets all of it.
namespace headlight::screens {

bool is_changed(const Frame& frame);  // of what is in view
// That the badge takes where there is so much room: with all words, or as many as go in; 0: nothing
// is changed.
float change_badge_width(Frame& frame, float room);
void change_badge(Frame& frame, ui::Rect rect);

}  // namespace headlight::screens
