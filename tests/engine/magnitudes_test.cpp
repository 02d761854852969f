#include "analysis/magnitudes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "naive.h"

namespace headlight::magnitudes_test {
namespace {

// Spread over twelve orders of magnitude.
Matrix spread(Index rows, Index cols, unsigned seed) {
    Matrix m(rows, cols);
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> powers(-9, 3);
    for (Index i = 0; i < m.size(); ++i) m.data()[i] = std::pow(10.0F, powers(random));
    return m;
}

TEST(Magnitudes, quantiles_are_those_of_the_sorted_cells) {
    const Matrix m = spread(61, 47, 1);
    Magnitudes sizes;
    sizes.add(m);
    std::vector<float> sorted(m.data(), m.data() + m.size());
    std::ranges::sort(sorted);
    EXPECT_EQ(sizes.count(), sorted.size());
    EXPECT_EQ(sizes.least(), sorted.front());
    EXPECT_EQ(sizes.most(), sorted.back());
    for (const double part : {0.0, 0.01, 0.1, 0.5, 0.9, 0.99, 1.0}) {
        const auto at = static_cast<std::size_t>(
            std::max(std::ceil(part * static_cast<double>(sorted.size())) - 1, 0.0));
        const float exact = sorted[at], found = sizes.quantile(part);
        EXPECT_GE(found, exact) << part;
        EXPECT_LE(found, exact * 1.016F) << part;
    }
}

TEST(Magnitudes, are_of_finite_cells_above_zero) {
    Matrix m = Matrix::Constant(3, 4, 0.25F);
    m(0, 0) = 0;
    m(0, 1) = -3;
    m(1, 1) = naive::kNaN;
    m(2, 2) = naive::kInfinity;
    m(2, 3) = 1e-30F;  // below all bins, and still the minimum
    Magnitudes sizes;
    EXPECT_TRUE(sizes.empty());
    EXPECT_EQ(sizes.quantile(0.5), 0);
    sizes.add(m);
    EXPECT_EQ(sizes.count(), 8U);
    EXPECT_EQ(sizes.least(), 1e-30F);
    EXPECT_EQ(sizes.most(), 0.25F);
    EXPECT_EQ(sizes.quantile(0.9), 0.25F);
}

TEST(Magnitudes, of_two_matrices_are_those_of_all_their_cells) {
    const Matrix m = spread(40, 33, 2);
    Magnitudes whole, upper, lower;
    whole.add(m);
    upper.add(MatrixView(m).block(0, 0, 15, 33));
    lower.add(MatrixView(m).block(15, 0, 25, 33));
    upper.add(lower);
    upper.add(Magnitudes());
    EXPECT_EQ(upper.count(), whole.count());
    EXPECT_EQ(upper.least(), whole.least());
    EXPECT_EQ(upper.most(), whole.most());
    for (const double part : {0.02, 0.3, 0.77})
        EXPECT_EQ(upper.quantile(part), whole.quantile(part));
}

}  // namespace
}  // namespace headlight::magnitudes_test
