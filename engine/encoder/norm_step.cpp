#include "encoder/norm_step.h"

#include <utility>

#include "kernels/norm.h"

namespace headlight {

SharedResult affine_of(const Norm& norm) {
    Matrix rows = Matrix::Zero(2, norm.gamma->view().cols);
    rows.row(0) = norm.gamma->view().map();
    if (norm.beta) rows.row(1) = norm.beta->view().map();
    return make_result(std::move(rows));
}

void normalise(Trace& trace, const Norm& norm, Tensor input, const NormTensors& to) {
    NormResult result = layer_norm(trace.all(input), norm.gamma->view(),
                                   norm.beta ? norm.beta->view() : MatrixView{}, norm.eps);
    trace.set(to.affine, affine_of(norm));
    trace.set(to.rows, make_result(std::move(result.moments)));
    trace.set(to.result, make_result(std::move(result.normalised)));
}

}  // namespace headlight
