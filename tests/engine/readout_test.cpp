#include "analysis/readout.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <string>
#include <vector>

#include "golden.h"
#include "naive.h"

// A linear probe of tokens, compared with a separate fit for each of them.
namespace headlight::readout_test {
namespace {

using Doubles = Eigen::MatrixXd;

// Fits weights and intercept by the normal equations without token `left_out`; returns its
// prediction for that token.
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
    normal.diagonal().head(dim).array() += penalty;  // not the intercept
    return with_one(left_out).dot(normal.fullPivLu().solve(right));
}

double naive_readout(const Matrix& tokens, const Matrix& targets) {
    const Doubles x = tokens.cast<double>();
    const Doubles centered = x.rowwise() - x.colwise().mean();
    const double penalty = kRidge * centered.squaredNorm() / static_cast<double>(tokens.rows());
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

// As without residual connections after many layers: the mean of the other tokens is predicted.
TEST(Readout, of_equal_tokens_is_that_of_the_mean) {
    const Matrix tokens = naive::random_matrix(1, 9, 3).replicate(20, 1),
                 targets = naive::random_matrix(20, 2, 4);
    const Eigen::VectorXd found = linear_readout(tokens, targets);
    for (Index t = 0; t < 2; ++t) EXPECT_NEAR(found[t], 1 - std::pow(20.0 / 19, 2), 1e-6);
    TaughtReadout taught;
    taught.teach(tokens, targets);
    taught.fit();
    taught.test(tokens, targets);
    for (Index t = 0; t < 2; ++t) EXPECT_NEAR(taught.r_squared()[t], 0, 1e-6);
}

TEST(Readout, is_that_of_numpys_least_squares) {
    const TensorMap file = golden::read("readout.safetensors");
    for (const std::string name : {"narrow", "square", "wide"}) {
        const Matrix tokens = golden::stacked(file.at(name + ".tokens")),
                     targets = golden::stacked(file.at(name + ".targets"));
        const std::vector<float>& left_out = file.at(name + ".left_out").values;
        const Eigen::VectorXd found = linear_readout(tokens, targets);
        ASSERT_EQ(found.size(), static_cast<Index>(left_out.size())) << name;
        for (Index t = 0; t < found.size(); ++t)
            EXPECT_NEAR(found[t], left_out[static_cast<std::size_t>(t)], 1e-5) << name << " " << t;

        const Index tests = tokens.rows() / 3, first = tokens.rows() - tests;
        const std::vector<float>& taught = file.at(name + ".taught").values;
        TaughtReadout map;
        map.teach(Matrix(tokens.topRows(first)), Matrix(targets.topRows(first)));
        map.fit();
        map.test(Matrix(tokens.bottomRows(tests)), Matrix(targets.bottomRows(tests)));
        for (Index t = 0; t < found.size(); ++t)
            EXPECT_NEAR(map.r_squared()[t], taught[static_cast<std::size_t>(t)], 1e-5)
                << name << " " << t;
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

// One fit to the rows of three pictures predicts two others: weights by the normal equations with a
// column of ones.
TEST(TaughtReadout, is_that_of_one_fit_to_all_that_was_taught) {
    for (const Index dim : {3, 12, 40}) {
        constexpr Index kEach = 15, kTaught = 3 * kEach;
        const Matrix tokens = naive::random_matrix(5 * kEach, dim, 3),
                     noise = naive::random_matrix(5 * kEach, 2, 8);
        Matrix targets = noise * 0.3F;
        targets.col(0) += tokens.col(0) * 2 + tokens.col(2);
        targets.col(1).array() += 40;  // to be matched by the intercept
        TaughtReadout readout;
        for (Index picture = 0; picture < 3; ++picture)
            readout.teach(Matrix(tokens.middleRows(picture * kEach, kEach)),
                          Matrix(targets.middleRows(picture * kEach, kEach)));
        readout.fit();
        for (Index picture = 3; picture < 5; ++picture)
            readout.test(Matrix(tokens.middleRows(picture * kEach, kEach)),
                         Matrix(targets.middleRows(picture * kEach, kEach)));
        Doubles x(5 * kEach, dim + 1);
        x << tokens.cast<double>(), Eigen::VectorXd::Ones(5 * kEach);
        const Doubles y = targets.cast<double>(), taught = x.topRows(kTaught);
        const Doubles centered =
            taught.leftCols(dim).rowwise() - taught.leftCols(dim).colwise().mean();
        Doubles normal = taught.transpose() * taught;
        normal.diagonal().head(dim).array() += kRidge * centered.squaredNorm() / kTaught;
        const Doubles said = x * normal.fullPivLu().solve(taught.transpose() * y.topRows(kTaught));
        const Eigen::VectorXd found = readout.r_squared();
        for (Index t = 0; t < 2; ++t) {
            const Eigen::ArrayXd tested = y.col(t).tail(2 * kEach).array();
            const double missed = (tested - said.col(t).tail(2 * kEach).array()).square().sum();
            EXPECT_NEAR(found[t], 1 - missed / (tested - tested.mean()).square().sum(), 1e-6)
                << dim << " " << t;
        }
        EXPECT_GT(found[0], 0.5);
    }
}

TEST(TaughtReadout, refusals_and_a_target_that_is_always_the_same) {
    const Matrix tokens = naive::random_matrix(6, 3, 1);
    TaughtReadout readout;
    EXPECT_THROW(readout.fit(), AnalysisError);
    EXPECT_THROW(readout.teach(tokens, Matrix(5, 1)), AnalysisError);
    readout.teach(tokens, Matrix(Matrix::Constant(6, 1, 2)));
    EXPECT_THROW(readout.teach(naive::random_matrix(6, 4, 1), Matrix(6, 1)), AnalysisError);
    readout.fit();
    readout.test(tokens, Matrix(Matrix::Constant(6, 1, 2)));
    EXPECT_TRUE(std::isnan(readout.r_squared()[0]));
}

}  // namespace
}  // namespace headlight::readout_test
