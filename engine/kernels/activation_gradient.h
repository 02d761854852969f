#pragma once

#include "kernels/activation.h"
#include "kernels/matrix.h"

namespace headlight {

// What a gradient by the result of activate() is by what it read: hidden [N, H]; gradient [N, H],
// of a gated activation [N, H/2]. Result [N, H].
Matrix activation_gradient(const MatrixView& hidden, const MatrixView& gradient,
                           Activation activation);

}  // namespace headlight
