#pragma once

#include "kernels/activation.h"
#include "kernels/matrix.h"

namespace headlight {

// The gradient with respect to the input of activate(), from the gradient with respect to its
// result. hidden [N, H]; gradient [N, H], or [N, H/2] for a gated activation. Result [N, H].
Matrix activation_gradient(const MatrixView& hidden, const MatrixView& gradient,
                           Activation activation);

}  // namespace headlight
