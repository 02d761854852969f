#pragma once

#include "kernels/matrix.h"

namespace headlight {

// Over how many tokens rows of attention [N, M] are spread: 2^H, H being the mean entropy of the
// rows in bits (mean_entropy). A row that reads k tokens alike and no other is spread over k; the
// number is known as perplexity. In [1, M]; NaN for a row with NaN.
double effective_tokens(const MatrixView& attention);

}  // namespace headlight
