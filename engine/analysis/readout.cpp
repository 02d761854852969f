#include "analysis/readout.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <limits>

namespace headlight {

namespace {

using Doubles = Eigen::MatrixXd;

Doubles centred(const MatrixView& matrix) {
    Doubles numbers = matrix.eigen().cast<double>();
    numbers.rowwise() -= numbers.colwise().mean().eval();
    return numbers;
}

}  // namespace

// With K = X·Xᵀ of centred tokens and A = (K + λ·1)⁻¹, what the fit to all leaves of y is λ·A·y,
// and a token weighs 1 − λ·Aᵢᵢ + 1/P in its own fit, the last part through the intercept. Left out,
// it is off by what is left of it over one less its weight.
Eigen::VectorXd linear_readout(const MatrixView& tokens, const MatrixView& targets,
                               const StopFlag& stop) {
    const Index count = tokens.rows;
    if (count < 3 || targets.rows != count)
        throw AnalysisError("A linear readout needs a target for each of at least 3 tokens.");
    const Doubles x = centred(tokens), y = centred(targets);
    Doubles kernel = x * x.transpose();
    const double penalty = kRidge * std::max(kernel.trace() / static_cast<double>(count),
                                             std::numeric_limits<double>::min());
    kernel.diagonal().array() += penalty;
    throw_if_stopped(stop);
    const Doubles inverse = kernel.llt().solve(Doubles::Identity(count, count));
    throw_if_stopped(stop);
    const Eigen::ArrayXd free =
        penalty * inverse.diagonal().array() - 1.0 / static_cast<double>(count);
    const Doubles left_out = ((penalty * inverse * y).array().colwise() / free).matrix();
    return 1 - left_out.colwise().squaredNorm().transpose().array() /
                   y.colwise().squaredNorm().transpose().array();
}

}  // namespace headlight
