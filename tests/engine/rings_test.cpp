#include "analysis/rings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

// How a head's attention is distributed around the query patches.
namespace headlight::rings_test {
namespace {

PatchGrid grid_of(int rows, int cols) {
    return make_patch_grid(rows * 8, cols * 8, {8, 8, Ragged::pad});
}
TokenLayout layout_of(const PatchGrid& grid, int class_tokens = 0) {
    TokenLayout layout;
    layout.class_tokens = class_tokens;
    layout.patches = grid.count();
    return layout;
}

std::vector<RingProfile> profiles(const Matrix& attention, Index heads, const TokenLayout& layout,
                                  const PatchGrid& grid) {
    RingSums sums(layout, grid, heads);
    for (Index query = 0; query < attention.cols(); ++query) {
        Matrix rows(heads, attention.cols());
        for (Index h = 0; h < heads; ++h) rows.row(h) = attention.row(h * attention.cols() + query);
        sums.add(query, rows);
    }
    return sums.means();
}

TEST(Rings, of_the_identity_are_the_patch_itself) {
    const PatchGrid grid = grid_of(2, 3);
    const auto found = profiles(Matrix(Matrix::Identity(6, 6)), 1, layout_of(grid), grid).at(0);
    EXPECT_EQ(found.mass, (std::vector<double>{1, 0, 0}));
}

// Independent of the blocks of queries: a class token and a register may share a block with
// patches, or be alone in it.
TEST(Rings, of_blocks_of_queries_are_those_of_each_bit_for_bit) {
    const PatchGrid grid = grid_of(5, 4);
    const TokenLayout layout{.class_tokens = 1, .registers = 1, .patches = grid.count()};
    const Index n = layout.count(), heads = 3;
    Matrix attention(heads * n, n);
    for (Index i = 0; i < attention.size(); ++i)
        attention.data()[i] = static_cast<float>(1 + i * 31 % 17) / 197;
    const auto expected = profiles(attention, heads, layout, grid);
    for (const Index block : {Index{1}, Index{2}, Index{7}, n}) {
        RingSums sums(layout, grid, heads);
        for (Index first = 0; first < n; first += block) {
            const Index count = std::min(block, n - first);
            Matrix rows(heads * count, n);
            for (Index h = 0; h < heads; ++h)
                rows.middleRows(h * count, count) = attention.middleRows(h * n + first, count);
            sums.add(first, rows);
        }
        const auto found = sums.means();
        for (std::size_t h = 0; h < expected.size(); ++h) {
            EXPECT_EQ(found[h].mass, expected[h].mass) << block;
            EXPECT_EQ(found[h].even, expected[h].even) << block;
        }
    }
}

// Compared with loops over all pairs of patches, after a class token.
TEST(Rings, are_those_of_plain_loops) {
    const PatchGrid grid = grid_of(4, 6);
    const TokenLayout layout = layout_of(grid, 1);
    const Index n = layout.count(), heads = 2;
    Matrix attention(heads * n, n);
    for (Index i = 0; i < attention.rows(); ++i) {
        for (Index j = 0; j < n; ++j)
            attention(i, j) = static_cast<float>(1 + (i * 7 + j * 13 + i * j) % 11);
        attention.row(i) /= attention.row(i).sum();
    }
    const auto found = profiles(attention, heads, layout, grid);
    ASSERT_EQ(found.size(), 2U);
    for (Index h = 0; h < heads; ++h) {
        std::vector<double> expected(found[static_cast<std::size_t>(h)].mass.size()),
            even(expected);
        double to_class = 0;
        for (Index i = 0; i < grid.count(); ++i) {
            to_class += attention(h * n + i + 1, 0);
            for (Index j = 0; j < grid.count(); ++j) {
                const double across = static_cast<double>(i % 6 - j % 6),
                             down = static_cast<double>(i / 6 - j / 6);
                const auto ring =
                    static_cast<std::size_t>(std::sqrt(across * across + down * down) + 0.5);
                expected.at(ring) +=
                    static_cast<double>(attention(h * n + i + 1, j + 1)) / grid.count();
                even.at(ring) += 1.0 / static_cast<double>(n) / grid.count();
            }
        }
        double sum = to_class / grid.count();
        for (std::size_t r = 0; r < expected.size(); ++r) {
            EXPECT_NEAR(found[static_cast<std::size_t>(h)].mass[r], expected[r], 1e-6);
            EXPECT_NEAR(found[static_cast<std::size_t>(h)].even[r], even[r], 1e-12);
            sum += found[static_cast<std::size_t>(h)].mass[r];
        }
        EXPECT_NEAR(sum, 1, 1e-6);  // the weights sum to 1
    }
}

TEST(Rings, of_rows_without_a_number_are_none) {
    const PatchGrid grid = grid_of(1, 2);
    Matrix attention = Matrix::Constant(2, 2, 0.5F);
    attention(1, 0) = std::numeric_limits<float>::quiet_NaN();
    const auto found = profiles(attention, 1, layout_of(grid), grid).at(0);
    EXPECT_EQ(found.mass[0], 0.5);
    EXPECT_TRUE(std::isnan(found.mass[1]));
}

TEST(Rings, refuse_what_does_not_fit_together) {
    const PatchGrid grid = grid_of(2, 2);
    EXPECT_THROW(RingSums(layout_of(grid_of(2, 3)), grid, 1), AnalysisError);
    RingSums sums(layout_of(grid), grid, 2);
    EXPECT_THROW(sums.add(0, Matrix(Matrix::Zero(1, 4))), AnalysisError);
    EXPECT_THROW(sums.add(0, Matrix(Matrix::Zero(2, 5))), AnalysisError);
    EXPECT_THROW(sums.add(3, Matrix(Matrix::Zero(4, 4))), AnalysisError) << "the last one alone";
    EXPECT_NO_THROW(sums.add(2, Matrix(Matrix::Zero(4, 4))));
}

}  // namespace
}  // namespace headlight::rings_test
