#include "kernels/activation.h"

#include "kernels/curves.h"
#include "kernels/parallel.h"
#include "kernels/recycle.h"

namespace headlight {

namespace {

// Calls row(in, out) for each row, on all threads; `cols` is the width of the result.
template <class Row>
Matrix for_rows(const MatrixView& hidden, Index cols, const Row& row) {
    Matrix out = new_matrix(hidden.rows, cols);
    parallel_cells(hidden.rows, hidden.cols, [&](Index first, Index rows) {
        for (Index r = first; r < first + rows; ++r) row(hidden.row(r), out.row(r).data());
    });
    return out;
}

template <float (*function)(float)>
Matrix each(const MatrixView& hidden) {
    const Index cols = hidden.cols;
    return for_rows(hidden, cols, [cols](const float* in, float* out) {
        for (Index i = 0; i < cols; ++i) out[i] = function(in[i]);
    });
}

template <float (*function)(float)>
Matrix gated(const MatrixView& hidden) {
    const Index cols = hidden.cols / 2;
    return for_rows(hidden, cols, [cols](const float* in, float* out) {
        for (Index i = 0; i < cols; ++i) out[i] = function(in[i]) * in[cols + i];
    });
}

template <float (*function)(float)>
Matrix each_or_gated(const MatrixView& hidden, bool gate) {
    return gate ? gated<function>(hidden) : each<function>(hidden);
}

}  // namespace

Matrix activate(const MatrixView& hidden, Activation activation) {
    const bool gate = is_gated(activation);
    switch (curve_of(activation)) {
        case Activation::gelu:
            return each_or_gated<curves::gelu>(hidden, gate);
        case Activation::gelu_tanh:
            return each_or_gated<curves::gelu_tanh>(hidden, gate);
        case Activation::quick_gelu:
            return each_or_gated<curves::quick_gelu>(hidden, gate);
        case Activation::relu:
            return each_or_gated<curves::relu>(hidden, gate);
        default:
            return each_or_gated<curves::silu>(hidden, gate);
    }
}

}  // namespace headlight
