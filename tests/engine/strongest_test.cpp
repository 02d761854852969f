#include "analysis/strongest.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace headlight::strongest_test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Compared with a plain loop over the cells: the first of the largest maps.
TEST(Strongest, is_the_first_of_the_largest_in_every_cell) {
    std::mt19937 random(5);
    std::uniform_int_distribution<int> values(0, 6);  // few values, so that some are equal
    std::vector<Matrix> maps(4, Matrix(5, 7));
    for (Matrix& map : maps)
        for (Index i = 0; i < map.size(); ++i) {
            const int value = values(random);
            map.data()[i] = value == 6 ? kNan : static_cast<float>(value) / 7;
        }
    const std::vector<MatrixView> views(maps.begin(), maps.end());
    const Strongest found = strongest_of(views);
    bool equal = false;
    for (Index i = 0; i < 35; ++i) {
        int expected = -1;
        for (int m = 0; m < 4; ++m) {
            const float cell = maps[static_cast<std::size_t>(m)].data()[i];
            if (std::isnan(cell)) continue;
            const float best =
                expected < 0 ? -1 : maps[static_cast<std::size_t>(expected)].data()[i];
            equal = equal || cell == best;
            if (cell > best) expected = m;
        }
        ASSERT_EQ(found.which[static_cast<std::size_t>(i)], expected) << i;
        const float value = found.value.data()[i];
        if (expected < 0)
            EXPECT_TRUE(std::isnan(value));
        else
            EXPECT_EQ(value, maps[static_cast<std::size_t>(expected)].data()[i]);
    }
    EXPECT_TRUE(equal);
}

TEST(Strongest, of_nothing_but_nan_is_none) {
    const Matrix none = Matrix::Constant(1, 2, kNan);
    const Strongest found = strongest_of({none, none});
    EXPECT_EQ(found.which, (std::vector<int>{-1, -1}));
    EXPECT_TRUE(std::isnan(found.value(0, 1)));
}

// Rows inside a wider matrix.
TEST(Strongest, reads_parts_of_larger_matrices) {
    Matrix heads(2, 5);
    heads << 9, 1, 2, 3, 4, 9, 4, 3, 2, 1;
    const MatrixView a{heads.data() + 1, 2, 2, 2}, b{heads.data() + 6, 2, 2, 2};
    const Strongest found = strongest_of({a, b});
    EXPECT_EQ(found.which, (std::vector<int>{1, 1, 0, 0}));
    EXPECT_EQ(found.value, (Matrix(2, 2) << 4, 3, 3, 4).finished());
}

}  // namespace
}  // namespace headlight::strongest_test
