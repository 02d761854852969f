#include "analysis/block_means.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "naive.h"

namespace headlight::block_means_test {
namespace {

TEST(BlockMeans, are_those_of_a_plain_loop_also_at_the_edges) {
    const Matrix cells = naive::random_matrix(11, 17, 3);
    for (const auto& [rows, cols] : {std::pair<Index, Index>{1, 2}, {3, 5}, {4, 17}, {20, 20}}) {
        const Matrix means = block_means(cells, rows, cols);
        ASSERT_EQ(means.rows(), (11 + rows - 1) / rows);
        ASSERT_EQ(means.cols(), (17 + cols - 1) / cols);
        for (Index r = 0; r < means.rows(); ++r)
            for (Index c = 0; c < means.cols(); ++c) {
                double sum = 0, count = 0;
                for (Index i = r * rows; i < std::min<Index>(11, (r + 1) * rows); ++i)
                    for (Index j = c * cols; j < std::min<Index>(17, (c + 1) * cols); ++j)
                        sum += static_cast<double>(cells(i, j)), count += 1;
                EXPECT_NEAR(means(r, c), sum / count, 1e-6);
            }
    }
}

// Sine and cosine of a slow wave alternate: the mean of a pair is a wave again, not its extremes.
TEST(BlockMeans, of_a_pair_of_waves_are_a_wave) {
    Matrix cells(50, 2);
    for (Index p = 0; p < 50; ++p) {
        cells(p, 0) = std::sin(0.1F * static_cast<float>(p));
        cells(p, 1) = std::cos(0.1F * static_cast<float>(p));
    }
    const Matrix means = block_means(cells, 1, 2);
    for (Index p = 0; p < 50; ++p)
        EXPECT_NEAR(means(p, 0),
                    std::sqrt(0.5) * std::sin(0.1 * static_cast<double>(p) + std::atan(1.0)), 1e-5);
}

TEST(BlockMeans, keep_what_is_no_number) {
    Matrix cells = Matrix::Ones(2, 4);
    cells(1, 3) = std::numeric_limits<float>::quiet_NaN();
    const Matrix means = block_means(cells, 2, 2);
    EXPECT_EQ(means(0, 0), 1);
    EXPECT_TRUE(std::isnan(means(0, 1)));
}

}  // namespace
}  // namespace headlight::block_means_test
