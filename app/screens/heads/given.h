#pragma once

#include "frame/frame.h"

namespace headlight::screens {

// The attention weights of the layer's heads where the tokens are vectors, words, windows of a
// curve, or rows of a file: a matrix each, or of a feature map the row of the token in focus.
void heads_of_given_tokens(Frame& frame, ui::Rect rect);

}  // namespace headlight::screens
