#include "analysis/bias_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "naive.h"
#include "positions/relative.h"

// Compares properties of a relative bias with loops over all pairs.
namespace headlight::bias_table_test {
namespace {

constexpr int kRows = 3, kCols = 4;
constexpr Index kPatches = kRows * kCols;

Matrix pairs_of(const Matrix& table, Index head) {
    const Matrix all = relative_bias(table, kRows, kCols, {0, kRows, kCols}, kPatches);
    return all.middleRows(head * kPatches, kPatches);
}

TEST(BiasTable, as_a_picture_has_each_keys_offset_from_its_query) {
    const Matrix table = naive::random_matrix(relative_offsets(kRows, kCols), 2, 4);
    for (const Index head : {0, 1}) {
        const Matrix picture = bias_picture(table, kRows, kCols, head),
                     pairs = pairs_of(table, head);
        ASSERT_EQ(picture.rows(), 2 * kRows - 1);
        ASSERT_EQ(picture.cols(), 2 * kCols - 1);
        for (Index query = 0; query < kPatches; ++query)
            for (Index key = 0; key < kPatches; ++key)
                EXPECT_EQ(pairs(query, key), picture(key / kCols - query / kCols + kRows - 1,
                                                     key % kCols - query % kCols + kCols - 1));
        const BiasProfile profile = bias_profile(picture);
        ASSERT_EQ(profile.along_row.size(), 7U);
        ASSERT_EQ(profile.down_column.size(), 5U);
        EXPECT_EQ(profile.along_row[3], picture(2, 3));
        EXPECT_EQ(profile.along_row[4], pairs(0, 1));        // the key on the right
        EXPECT_EQ(profile.down_column[3], pairs(0, kCols));  // the key below
    }
    Matrix with_class(table.rows() + 3, 2);
    with_class << table, Matrix::Constant(3, 2, 100);
    EXPECT_EQ(bias_picture(with_class, kRows, kCols, 1), bias_picture(table, kRows, kCols, 1));
    EXPECT_THROW(bias_picture(table, kCols, kCols, 0), AnalysisError);
    EXPECT_THROW(bias_picture(table, kRows, kCols, 2), AnalysisError);
}

TEST(BiasTable, depends_on_the_offset_alone_by_the_way_it_is_made) {
    const Matrix table = naive::random_matrix(relative_offsets(kRows, kCols), 1, 4);
    Matrix pairs = pairs_of(table, 0);
    BiasProperties found = bias_properties(pairs, kRows, kCols);
    EXPECT_EQ(found.offset_spread, 0);
    EXPECT_EQ(found.low, pairs.minCoeff());
    EXPECT_EQ(found.high, pairs.maxCoeff());
    double asymmetry = 0, beside = 0, above = 0, count_beside = 0, count_above = 0;
    for (Index q = 0; q < kPatches; ++q)
        for (Index k = 0; k < kPatches; ++k) {
            asymmetry = std::max(asymmetry, std::abs(double(pairs(q, k)) - pairs(k, q)));
            const Index down = std::abs(q / kCols - k / kCols),
                        right = std::abs(q % kCols - k % kCols);
            beside += down == 0 && right == 1 ? double(pairs(q, k)) : 0;
            count_beside += down == 0 && right == 1 ? 1 : 0;
            above += down == 1 && right == 0 ? double(pairs(q, k)) : 0;
            count_above += down == 1 && right == 0 ? 1 : 0;
        }
    EXPECT_NEAR(found.asymmetry, asymmetry, 1e-12);
    EXPECT_NEAR(found.beside, beside / count_beside, 1e-6);
    EXPECT_NEAR(found.above, above / count_above, 1e-6);
    pairs(1, 2) += 0.25F;  // one of the pairs with the key on the right
    EXPECT_NEAR(bias_properties(pairs, kRows, kCols).offset_spread, 0.25, 1e-6);
    EXPECT_THROW(bias_properties(pairs, kRows, kRows), AnalysisError);
}

TEST(BiasTable, made_by_distance_falls_straight_and_drawn_does_not) {
    const TokenGrid places{0, kRows, kCols};
    const auto properties = [&](BiasStart start) {
        return bias_properties(pairs_of(made_bias_table({start}, 0, places, kPatches, 4), 1), kRows,
                               kCols);
    };
    const BiasProperties distance = properties(BiasStart::distance),
                         drawn = properties(BiasStart::drawn);
    EXPECT_NEAR(distance.with_distance, -1, 1e-6);
    EXPECT_EQ(distance.asymmetry, 0);
    EXPECT_NEAR(distance.beside, distance.above, 1e-7);
    EXPECT_GT(drawn.asymmetry, 0.1);
    EXPECT_LT(std::abs(drawn.with_distance), 0.9);
    EXPECT_TRUE(
        std::isnan(bias_properties(Matrix(Matrix::Constant(kPatches, kPatches, 0.1F)), kRows, kCols)
                       .with_distance));
}

TEST(BiasTable, deviation_is_that_of_all_pairs) {
    const Matrix pairs = naive::random_matrix(9, 9, 5);
    double mean = 0, squares = 0;
    for (const float number : pairs.reshaped()) mean += number / 81.0;
    for (const float number : pairs.reshaped()) squares += std::pow(number - mean, 2) / 81;
    EXPECT_NEAR(deviation_of(pairs), std::sqrt(squares), 1e-9);
    EXPECT_NEAR(bias_properties(pairs, 3, 3).deviation, std::sqrt(squares), 1e-9);
}

}  // namespace
}  // namespace headlight::bias_table_test
