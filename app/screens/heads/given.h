#pragma once

#include "frame/frame.h"

namespace headlight::screens {

// The attention weights of the layer's heads for given tokens (vectors, words, windows of a signal,
// or rows of a file): a matrix for each head, or for a feature map the focused token's row.
void heads_of_given_tokens(Frame& frame, ui::Layout rect);

}  // namespace headlight::screens
