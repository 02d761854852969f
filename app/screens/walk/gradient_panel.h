#pragma once

#include "frame/frame.h"

// The gradient of one number y of the model's output, beside the values of the current step:
// Look::gradient.
namespace headlight::screens {

bool shows_gradient(const Frame& frame);
void gradient_beside(Frame& frame, const ui::Rect& rect);
// The chain rule for the focused cell, with its terms, recomputed.
void chain_strip(Frame& frame, const ui::Rect& rect);
float chain_strip_height(const Frame& frame);
// The switch, and the choice of y.
void gradient_choice(Frame& frame, ui::Layout rect);
float gradient_choice_height(Frame& frame);

}  // namespace headlight::screens
