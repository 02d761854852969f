#pragma once

#include "frame/frame.h"

// The gradient of one number y of the model's output, beside the values of the step that is looked
// at: Look::gradient.
namespace headlight::screens {

bool shows_gradient(const Frame& frame);
void gradient_beside(Frame& frame, const ui::Rect& rect);
// The chain rule of the cell in focus, with its terms, recomputed.
void chain_strip(Frame& frame, const ui::Rect& rect);
float chain_strip_height(const Frame& frame);
// The switch, and what y is.
void gradient_choice(Frame& frame, ui::Rect rect);
float gradient_choice_height(Frame& frame);

}  // namespace headlight::screens
