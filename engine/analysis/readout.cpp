#include "analysis/readout.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

namespace headlight {

namespace {

using Doubles = Eigen::MatrixXd;

// `squares`: the sum of the squared lengths of centered tokens. Where all tokens are the same, any
// penalty makes their mean the prediction.
double penalty_of(double squares, double tokens) {
    const double mean = squares / tokens;
    return mean > std::numeric_limits<double>::min() ? kRidge * mean : 1;
}

}  // namespace

Doubles centered(const MatrixView& matrix) {
    Doubles numbers = matrix.eigen().cast<double>();
    numbers.rowwise() -= numbers.colwise().mean().eval();
    return numbers;
}

// With K = X·Xᵀ of centered tokens and A = (K + λ·1)⁻¹, the residual of the fit to all tokens is
// λ·A·y. The leverage of token i is 1 − λ·Aᵢᵢ + 1/P, where 1/P comes from the intercept. Its
// leave-one-out residual is its residual divided by (1 − leverage). Only the diagonal of A is
// needed: with K + λ·1 = L·Lᵀ, it is the column sums of the squares of L⁻¹.
Eigen::VectorXd linear_readout(const MatrixView& tokens, const MatrixView& targets,
                               const StopFlag& stop) {
    const Index count = tokens.rows;
    if (count < 3 || targets.rows != count)
        throw AnalysisError("A linear readout needs a target for each of at least 3 tokens.");
    const Doubles x = centered(tokens), y = centered(targets);
    Doubles kernel = Doubles::Zero(count, count);  // lower half only
    kernel.selfadjointView<Eigen::Lower>().rankUpdate(x);
    const double penalty = penalty_of(kernel.trace(), static_cast<double>(count));
    kernel.diagonal().array() += penalty;
    throw_if_stopped(stop);
    const Eigen::LLT<Doubles, Eigen::Lower> factored(kernel);
    throw_if_stopped(stop);
    const Doubles inverse = factored.matrixL().solve(Doubles::Identity(count, count));
    throw_if_stopped(stop);
    const Eigen::ArrayXd diagonal = inverse.colwise().squaredNorm().transpose().array(),
                         free = penalty * diagonal - 1.0 / static_cast<double>(count);
    const Doubles left_out = ((penalty * factored.solve(y)).array().colwise() / free).matrix();
    return 1 - left_out.colwise().squaredNorm().transpose().array() /
                   y.colwise().squaredNorm().transpose().array();
}

void TaughtReadout::expect(const MatrixView& tokens, const MatrixView& targets) const {
    const bool first = tokens_.size() == 0;
    if (tokens.rows != targets.rows || tokens.rows == 0 ||
        (!first && (tokens.cols != tokens_.size() || targets.cols != targets_.size())))
        throw AnalysisError(
            "A linear readout needs a target for each token, and tokens of one width.");
}

void TaughtReadout::teach(const MatrixView& tokens, const MatrixView& targets) {
    expect(tokens, targets);
    if (tokens_.size() == 0) {
        squares_ = Doubles::Zero(tokens.cols, tokens.cols);
        crossed_ = Doubles::Zero(tokens.cols, targets.cols);
        tokens_ = Eigen::VectorXd::Zero(tokens.cols);
        targets_ = missed_ = tested_ = tested_squares_ = Eigen::VectorXd::Zero(targets.cols);
    }
    const Doubles x = tokens.eigen().cast<double>(), y = targets.eigen().cast<double>();
    squares_.selfadjointView<Eigen::Lower>().rankUpdate(x.transpose());
    crossed_.noalias() += x.transpose() * y;
    tokens_ += x.colwise().sum().transpose();
    targets_ += y.colwise().sum().transpose();
    taught_ += static_cast<double>(tokens.rows);
}

void TaughtReadout::fit(const StopFlag& stop) {
    if (taught_ == 0) throw AnalysisError("A linear readout needs tokens to fit.");
    const Eigen::VectorXd mean = tokens_ / taught_, target = targets_ / taught_;
    Doubles normal = squares_.selfadjointView<Eigen::Lower>();
    const double rounding = std::numeric_limits<double>::epsilon() * normal.trace();
    normal -= taught_ * mean * mean.transpose();
    const double penalty = penalty_of(std::max(normal.trace(), rounding), taught_);
    normal.diagonal().array() += penalty;
    throw_if_stopped(stop);
    weight_ = normal.llt().solve(crossed_ - taught_ * mean * target.transpose());
    offset_ = target - weight_.transpose() * mean;
}

void TaughtReadout::test(const MatrixView& tokens, const MatrixView& targets) {
    expect(tokens, targets);
    const Doubles y = targets.eigen().cast<double>();
    Doubles missed = y - tokens.eigen().cast<double>() * weight_;
    missed.rowwise() -= offset_.transpose();
    missed_ += missed.colwise().squaredNorm().transpose();
    tested_ += y.colwise().sum().transpose();
    tested_squares_ += y.colwise().squaredNorm().transpose();
    tests_ += static_cast<double>(tokens.rows);
}

Eigen::VectorXd TaughtReadout::r_squared() const {
    const Eigen::ArrayXd all = tested_squares_.array() - tested_.array().square() / tests_;
    return (1 - missed_.array() / all)
        .unaryExpr([](double r) {
            return std::isfinite(r) ? r : std::numeric_limits<double>::quiet_NaN();
        })
        .matrix();
}

}  // namespace headlight
