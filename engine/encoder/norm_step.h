#pragma once

#include "trace/trace.h"

namespace headlight {

// Where a norm's parts stand in a trace.
struct NormTensors {
    Tensor rows, affine, result;
};
inline constexpr NormTensors kPreNorm{Tensor::pre_norm_rows, Tensor::pre_norm_affine,
                                      Tensor::pre_norm};
inline constexpr NormTensors kNorm1{Tensor::norm1_rows, Tensor::norm1_affine, Tensor::norm1};
inline constexpr NormTensors kNorm2{Tensor::norm2_rows, Tensor::norm2_affine, Tensor::norm2};
inline constexpr NormTensors kFinalNorm{Tensor::norm_rows, Tensor::norm_affine, Tensor::norm};
inline constexpr NormTensors kPooledNorm{Tensor::pooled_norm_rows, Tensor::pooled_norm_affine,
                                         Tensor::pooled_norm};

// γ above β, [2, C]; a missing β is zero.
SharedResult affine_of(const Norm& norm);

// Layer norm of each row of `input` (kernels/norm.h), with each row's mean and deviation beside it.
void normalise(Trace& trace, const Norm& norm, Tensor input, const NormTensors& to);

}  // namespace headlight
