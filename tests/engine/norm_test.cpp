#include "kernels/norm.h"

#include <gtest/gtest.h>

#include <tuple>

#include "kernels/parallel.h"
#include "naive.h"

namespace headlight::norm_test {
namespace {

using naive::close;
using naive::random_matrix;
using naive::Table;

constexpr float kEps = 1e-6F;

struct Moments {
    double mean, deviation;
};

Moments naive_moments(const float* x, Index count, double eps) {
    double mean = 0, variance = 0;
    for (Index i = 0; i < count; ++i) mean += x[i];
    mean /= static_cast<double>(count);
    for (Index i = 0; i < count; ++i) variance += (x[i] - mean) * (x[i] - mean);
    return {mean, std::sqrt(variance / static_cast<double>(count) + eps)};
}

// Normalizes each group of `width` columns. gamma and beta may be empty.
Table naive_norm(const MatrixView& x, Index width, const MatrixView& gamma, const MatrixView& beta,
                 double eps) {
    Table out(x.rows, x.cols);
    for (Index r = 0; r < x.rows; ++r)
        for (Index c = 0; c < x.cols; ++c) {
            const Index first = c / width * width, place = c - first;
            const Moments moments = naive_moments(x.row(r) + first, width, eps);
            const double g = gamma.empty() ? 1.0 : static_cast<double>(gamma(0, place));
            const double b = beta.empty() ? 0.0 : static_cast<double>(beta(0, place));
            out(r, c) = (x(r, c) - moments.mean) / moments.deviation * g + b;
        }
    return out;
}

TEST(LayerNorm, equals_the_formula_for_every_width) {
    for (Index width = 1; width <= 70; ++width) {
        SCOPED_TRACE(width);
        const Matrix x = random_matrix(7, width, 1, 3);
        const Matrix gamma = random_matrix(1, width, 2), beta = random_matrix(1, width, 3);
        const NormResult found = layer_norm(x, gamma, beta, kEps);
        EXPECT_TRUE(close(found.normalised, naive_norm(x, width, gamma, beta, kEps), 1e-12, 1e-6));
        for (Index r = 0; r < 7; ++r) {
            const Moments moments = naive_moments(x.row(r).data(), width, kEps);
            EXPECT_NEAR(found.moments(r, 0), moments.mean, 1e-7 * std::abs(moments.mean) + 1e-15);
            EXPECT_NEAR(found.moments(r, 1), moments.deviation, 1e-7 * moments.deviation);
        }
    }
}

// If the mean is large relative to the standard deviation, float sums would lose significant
// digits.
TEST(LayerNorm, stays_true_far_from_zero_and_for_every_size) {
    for (const float offset : {0.0F, 1e3F, -1e6F})
        for (const float size : {1e-20F, 1e-3F, 1.0F, 1e18F}) {
            SCOPED_TRACE(::testing::Message() << offset << " ± " << size);
            Matrix x = random_matrix(5, 768, 1, size);
            x.array() += offset;
            const NormResult found = layer_norm(x, {}, {}, 1e-5F);
            EXPECT_TRUE(close(found.normalised, naive_norm(x, 768, {}, {}, 1e-5F), 1e-9, 1e-6));
        }
}

TEST(LayerNorm, gamma_and_beta_may_be_missing) {
    const Matrix x = random_matrix(20, 33, 1), row = random_matrix(1, 33, 2);
    EXPECT_TRUE(close(layer_norm(x, {}, {}, kEps).normalised, naive_norm(x, 33, {}, {}, kEps),
                      1e-12, 1e-6));
    EXPECT_TRUE(close(layer_norm(x, row, {}, kEps).normalised, naive_norm(x, 33, row, {}, kEps),
                      1e-12, 1e-6));
    EXPECT_TRUE(close(layer_norm(x, {}, row, kEps).normalised, naive_norm(x, 33, {}, row, kEps),
                      1e-12, 1e-6));
}

TEST(LayerNorm, a_constant_row_gives_beta) {
    const Matrix beta = random_matrix(1, 100, 1);
    for (const float value : {0.0F, 0.1F, -1e30F}) {
        const Matrix x = Matrix::Constant(3, 100, value);
        const NormResult found = layer_norm(x, {}, beta, kEps);
        for (Index r = 0; r < 3; ++r) EXPECT_EQ(found.normalised.row(r), beta.row(0)) << value;
    }
}

TEST(LayerNorm, nan_and_infinity_spoil_their_row_only) {
    for (const float bad : {naive::kNaN, naive::kInfinity, -naive::kInfinity}) {
        Matrix x = random_matrix(9, 50, 1);
        x(4, 17) = bad;
        const Matrix found = layer_norm(x, {}, {}, kEps).normalised;
        for (Index r = 0; r < 9; ++r)
            for (Index c = 0; c < 50; ++c)
                ASSERT_EQ(std::isnan(found(r, c)), r == 4) << r << ", " << c;
    }
}

TEST(LayerNorm, many_rows_on_many_threads) {
    const Matrix x = random_matrix(1000, 192, 1), gamma = random_matrix(1, 192, 2);
    set_threads(5);
    const Matrix found = layer_norm(x, gamma, {}, kEps).normalised;
    set_threads(0);
    EXPECT_TRUE(close(found, naive_norm(x, 192, gamma, {}, kEps), 1e-12, 1e-6));
}

TEST(LayerNorm, nothing_gives_nothing) {
    EXPECT_EQ(layer_norm(Matrix(0, 8), {}, {}, kEps).normalised.rows(), 0);
}

// The queries are columns of the stacked [Q K V].
TEST(LayerNorm, of_heads_is_that_of_each_head_apart) {
    const Matrix qkv = random_matrix(50, 288, 1, 2);
    const Matrix gamma = random_matrix(1, 24, 2), beta = random_matrix(1, 24, 3);
    const MatrixView query = MatrixView(qkv).block(0, 96, 50, 96);
    const Matrix found = layer_norm_heads(query, 24, gamma, beta, kEps);
    EXPECT_TRUE(close(found, naive_norm(query, 24, gamma, beta, kEps), 1e-12, 1e-6));
}

}  // namespace
}  // namespace headlight::norm_test
