#pragma once

#include "frame/frame.h"

namespace headlight::screens {

// Plots the noisy signal, the clean one, the layer's output, a moving average, and the focused
// token's window. Handles the mouse: dragging redraws the clean signal.
void signal_plot(Frame& frame, const ui::Rect& rect, const std::string& name);

}  // namespace headlight::screens
