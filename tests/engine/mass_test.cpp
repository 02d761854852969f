#include "analysis/mass.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "encoder/token_maps.h"

namespace headlight::mass_test {
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

// No set of that size holds more, and one cell fewer would not be enough.
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
    EXPECT_EQ(smallest_set(Matrix(Matrix::Zero(1, 3)), 0.6),
              (std::vector<bool>{false, false, false}));
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

TokenMaps numbered(std::size_t layers, Index heads, int rows, int cols, float factor) {
    TokenMaps maps;
    maps.grid.rows = rows;
    maps.grid.cols = cols;
    maps.heads = heads;
    for (std::size_t l = 1; l <= layers; ++l) maps.layers.push_back("Layer " + std::to_string(l));
    maps.numbers.resize(layers * static_cast<std::size_t>(heads * rows * cols));
    for (std::size_t i = 0; i < maps.numbers.size(); ++i)
        maps.numbers[i] = factor * static_cast<float>(i * i % 23);
    return maps;
}

TEST(TokenMaps, are_subtracted_cell_by_cell) {
    const TokenMaps now = numbered(2, 3, 4, 5, 0.1F), before = numbered(2, 3, 4, 5, 0.3F);
    const TokenMaps less = difference(now, before);
    ASSERT_EQ(less.numbers.size(), now.numbers.size());
    EXPECT_EQ(less.layers, now.layers);
    for (std::size_t i = 0; i < less.numbers.size(); ++i)
        ASSERT_EQ(less.numbers[i], now.numbers[i] - before.numbers[i]);
}

TEST(TokenMaps, of_other_patches_layers_or_heads_have_no_difference) {
    const TokenMaps now = numbered(2, 3, 4, 5, 1);
    const auto why = [&](const TokenMaps& before) {
        try {
            (void)difference(now, before);
        } catch (const AnalysisError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(why(numbered(2, 3, 5, 4, 1)),
              "There is no difference map, because this result has 4 × 5 patches and the baseline "
              "has 5 × 4.");
    EXPECT_EQ(why(numbered(1, 3, 4, 5, 1)),
              "There is no difference map, because this result has 2 layers of 3 heads and the "
              "baseline has 1 layer of 3 heads.");
    EXPECT_EQ(why(numbered(2, 1, 4, 5, 1)),
              "There is no difference map, because this result has 2 layers of 3 heads and the "
              "baseline has 2 layers of 1 head.");
}

}  // namespace
}  // namespace headlight::mass_test
