#include "analysis/readout.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "naive.h"

// A linear probe of tokens, against fitting it once for each of them.
namespace headlight {
namespace {

using Doubles = Eigen::MatrixXd;

// Without token `left_out`: weights and intercept by the normal equations; what it says of it.
double predicted(const Matrix& tokens, const Matrix& targets, Index left_out, double penalty) {
    const Index dim = tokens.cols();
    Doubles normal = Doubles::Zero(dim + 1, dim + 1);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(dim + 1);
    const auto with_one = [&](Index token) {
        Eigen::VectorXd x(dim + 1);
        x << tokens.row(token).cast<double>().transpose(), 1.0;
        return x;
    };
    for (Index token = 0; token < tokens.rows(); ++token) {
        if (token == left_out) continue;
        normal += with_one(token) * with_one(token).transpose();
        right += with_one(token) * static_cast<double>(targets(token, 0));
    }
    normal.diagonal().head(dim).array() += penalty;  // not of the intercept
    return with_one(left_out).dot(normal.fullPivLu().solve(right));
}

double naive_readout(const Matrix& tokens, const Matrix& targets) {
    const Doubles x = tokens.cast<double>();
    const Doubles centred = x.rowwise() - x.colwise().mean();
    const double penalty = kRidge * centred.squaredNorm() / static_cast<double>(tokens.rows());
    double missed = 0, all = 0;
    const double mean = targets.cast<double>().mean();
    for (Index token = 0; token < tokens.rows(); ++token) {
        const double y = targets(token, 0);
        missed += std::pow(y - predicted(tokens, targets, token, penalty), 2);
        all += std::pow(y - mean, 2);
    }
    return 1 - missed / all;
}

TEST(Readout, is_that_of_a_fit_for_each_token_left_out) {
    for (const Index dim : {3, 9, 30}) {
        const Matrix tokens = naive::random_matrix(20, dim, static_cast<std::uint32_t>(dim)),
                     noise = naive::random_matrix(20, 1, 7);
        const Matrix target = tokens.col(0) * 2 - tokens.col(1) + noise * 0.3F;
        EXPECT_NEAR(linear_readout(tokens, target)[0], naive_readout(tokens, target), 1e-6) << dim;
    }
}

TEST(Readout, finds_what_is_there_and_nothing_else) {
    const Matrix tokens = naive::random_matrix(60, 8, 1);
    Matrix targets(60, 3);
    targets.col(0) = tokens.col(3) * 5 - tokens.col(4);
    targets.col(1) = naive::random_matrix(60, 1, 2);
    targets.col(2).setConstant(4);
    const Eigen::VectorXd found = linear_readout(tokens, targets);
    EXPECT_GT(found[0], 0.99);
    EXPECT_LT(found[1], 0.2);
    EXPECT_TRUE(std::isnan(found[2]));
}

TEST(Readout, refuses_what_does_not_match) {
    EXPECT_THROW(linear_readout(Matrix(Matrix::Ones(5, 2)), Matrix(Matrix::Ones(4, 1))),
                 AnalysisError);
    EXPECT_THROW(linear_readout(Matrix(Matrix::Ones(2, 2)), Matrix(Matrix::Ones(2, 1))),
                 AnalysisError);
    EXPECT_THROW(linear_readout(naive::random_matrix(5, 2, 1), Matrix(Matrix::Ones(5, 1)),
                                [] { return true; }),
                 Stopped);
}

}  // namespace
}  // namespace headlight
