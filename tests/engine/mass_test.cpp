#include "analysis/mass.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "encoder/token_maps.h"

namespace headlight {
namespace {

Matrix shares(Index rows, Index cols, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> values(0, 1);
    Matrix map(rows, cols);
    for (Index i = 0; i < map.size(); ++i) map.data()[i] = values(random);
    return map / map.sum();
}

double held(const Matrix& map, const std::vector<bool>& chosen) {
    double sum = 0;
    for (Index i = 0; i < map.size(); ++i)
        if (chosen[static_cast<std::size_t>(i)]) sum += map.data()[i];
    return sum;
}

// No set of as many cells holds more, and one cell fewer would not be enough.
TEST(Mass, is_held_by_the_fewest_cells) {
    for (const double part : {0.1, 0.5, 0.6, 0.95}) {
        const Matrix map = shares(7, 9, 3);
        const std::vector<bool> chosen = smallest_set(map, part);
        EXPECT_GE(held(map, chosen), part - 1e-6);
        float least = 1, most_beside = 0;
        for (Index i = 0; i < map.size(); ++i)
            if (chosen[static_cast<std::size_t>(i)])
                least = std::min(least, map.data()[i]);
            else
                most_beside = std::max(most_beside, map.data()[i]);
        EXPECT_GE(least, most_beside);
        EXPECT_LT(held(map, chosen) - least, part);
    }
}

TEST(Mass, of_equal_cells_takes_the_first) {
    const Matrix map = Matrix::Constant(2, 2, 0.25F);
    EXPECT_EQ(smallest_set(map, 0.5), (std::vector<bool>{true, true, false, false}));
    EXPECT_EQ(smallest_set(map, 1), (std::vector<bool>{true, true, true, true}));
    EXPECT_EQ(smallest_set(map, 0), (std::vector<bool>{false, false, false, false}));
}

TEST(Mass, is_nowhere_where_there_is_none) {
    EXPECT_EQ(smallest_set(Matrix(Matrix::Zero(1, 3)), 0.6), (std::vector<bool>{false, false, false}));
    Matrix odd = Matrix::Constant(1, 3, 0.3F);
    odd(0, 1) = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(smallest_set(odd, 0.6), (std::vector<bool>{false, false, false}));
}

TEST(TokenMaps, of_several_heads_are_combined_cell_by_cell) {
    TokenMaps maps;
    maps.grid.rows = 2;
    maps.grid.cols = 3;
    maps.heads = 3;
    maps.layers = {"Layer 1", "Layer 2"};
    maps.numbers.resize(2 * 3 * 6);
    std::iota(maps.numbers.begin(), maps.numbers.end(), 1.0F);
    for (const auto& [how, name] : {std::pair{Combine::mean, "mean of heads 1, 3"},
                                    std::pair{Combine::max, "max of heads 1, 3"},
                                    std::pair{Combine::min, "min of heads 1, 3"}}) {
        const TokenMaps one = combined(maps, {0, 2}, how);
        EXPECT_EQ(one.names, std::vector<std::string>{name});
        for (std::size_t layer = 0; layer < 2; ++layer)
            for (Index r = 0; r < 2; ++r)
                for (Index c = 0; c < 3; ++c) {
                    const float a = maps.map(layer, 0)(r, c), b = maps.map(layer, 2)(r, c);
                    const float expected = how == Combine::max   ? std::max(a, b)
                                           : how == Combine::min ? std::min(a, b)
                                                                 : (a + b) / 2;
                    EXPECT_EQ(one.map(layer, 0)(r, c), expected);
                }
    }
}

}  // namespace
}  // namespace headlight
