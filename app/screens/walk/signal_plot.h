#pragma once

#include "frame/frame.h"

namespace headlight::screens {

// The curve with its noise, the clean one, what the layer and a moving average make of it, and the
// window of the token in focus. Takes the mouse: a press draws the clean curve anew.
void signal_plot(Frame& frame, const ui::Rect& rect, const std::string& name);

}  // namespace headlight::screens
