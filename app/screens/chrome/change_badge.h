#pragma once

#include "frame/frame.h"

// The badge that lists what the user has changed in the model: "changed: temperature 0.312,
// positions none". Its button resets everything.
namespace headlight::screens {

bool is_changed(const Frame& frame);  // in the current view
// The width of the badge within `room`, in pixels, with as many words as fit; 0 if nothing is
// changed.
float change_badge_width(Frame& frame, float room);
void change_badge(Frame& frame, ui::Layout rect);

}  // namespace headlight::screens
