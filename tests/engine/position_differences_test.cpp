#include "analysis/position_differences.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "positions/positions.h"
#include "positions/rotary.h"

namespace headlight::position_differences_test {
namespace {

double distance(const Matrix& table, Index a, Index b) {
    double sum = 0;
    for (Index c = 0; c < table.cols(); ++c) sum += std::pow(double(table(a, c)) - table(b, c), 2);
    return std::sqrt(sum);
}

// Every hand turns by its own frequency times the offset.
TEST(ToldApart, hands_of_sinusoids_are_apart_by_their_frequency_times_the_offset) {
    const Matrix table = sinusoidal_positions(20, 16);
    for (const Index b : {6, 11}) {
        const auto hands = hand_differences(table, Pairing::neighbors, 4, b);
        ASSERT_EQ(hands.size(), 8U);
        double squares = 0;
        for (std::size_t i = 0; i < hands.size(); ++i) {
            const double turned = double(b - 4) * std::pow(10000.0, -2.0 * double(i) / 16);
            const double angle = std::abs(std::remainder(turned, 2 * std::numbers::pi));
            EXPECT_NEAR(hands[i].angle, angle, 1e-5) << i;
            EXPECT_NEAR(hands[i].distance, 2 * std::sin(angle / 2), 1e-5) << i;
            squares += hands[i].distance * hands[i].distance;
        }
        EXPECT_NEAR(std::sqrt(squares), distance(table, 4, b), 1e-6);
    }
    EXPECT_THROW(hand_differences(table, Pairing::neighbors, 4, 20), AnalysisError);
    EXPECT_THROW(hand_differences(table, Pairing::neighbors, -1, 2), AnalysisError);
}

TEST(ToldApart, halves_are_named_by_what_they_differ_by) {
    const PositionSpec spec{{0, 3, 5}, 15, 16};
    const Matrix columns_first = sincos_2d_positions(spec);
    EXPECT_EQ(halves_of(columns_first, 3, 5), Halves::columns_rows);
    Matrix rows_first(15, 16);
    rows_first << columns_first.rightCols(8), columns_first.leftCols(8);
    EXPECT_EQ(halves_of(rows_first, 3, 5), Halves::rows_columns);
    EXPECT_EQ(halves_of(sinusoidal_positions(15, 16), 3, 5), Halves::mixed);
    EXPECT_EQ(halves_of(drawn_positions(15, 16, 1), 3, 5), Halves::mixed);
    EXPECT_EQ(halves_of(sinusoidal_positions(15, 16), 1, 15), Halves::mixed) << "a row of words";
    EXPECT_EQ(halves_of(Matrix(Matrix::Zero(15, 16)), 3, 5), Halves::mixed);
    EXPECT_THROW(halves_of(columns_first, 3, 4), AnalysisError);
    // Rotary positions: sine and cosine of each pair side by side, pairs of the rows first.
    const auto [sine, cosine] = rotary_tables(dinov3_rotary(16), {0, 3, 5}, 15);
    Matrix turning(15, 16);
    for (Index pair = 0; pair < 8; ++pair) {
        turning.col(2 * pair) = sine.col(pair);
        turning.col(2 * pair + 1) = cosine.col(pair);
    }
    EXPECT_EQ(halves_of(turning, 3, 5), Halves::rows_columns);
}

TEST(ToldApart, hands_without_a_length_have_no_angle) {
    Matrix table = sinusoidal_positions(5, 8);
    table.leftCols(2).setZero();
    const auto hands = hand_differences(table, Pairing::neighbors, 0, 3);
    EXPECT_TRUE(std::isnan(hands[0].angle));
    EXPECT_EQ(hands[0].distance, 0);
    EXPECT_FALSE(std::isnan(hands[1].angle));
}

// An odd width ends with a sine without a cosine.
TEST(ToldApart, a_lone_channel_tells_too) {
    const Matrix table = sinusoidal_positions(9, 7);
    const auto hands = hand_differences(table, Pairing::neighbors, 2, 8);
    ASSERT_EQ(hands.size(), 4U);
    EXPECT_EQ(hands[3].pair.first, 6);
    EXPECT_EQ(hands[3].pair.second, 6);
    double squares = 0;
    for (const HandDifference& hand : hands) squares += hand.distance * hand.distance;
    EXPECT_NEAR(std::sqrt(squares), distance(table, 2, 8), 1e-6);
}

TEST(ToldApart, says_which_pairs_tell_most) {
    const std::vector<HandDifference> hands{{{}, 0, 1}, {{}, 0, 3}, {{}, 0, 0}, {{}, 0, 2}};
    EXPECT_EQ(most_distinguishing(hands, 0.6), (std::vector<std::size_t>{1}));     // 9 of 14
    EXPECT_EQ(most_distinguishing(hands, 0.9), (std::vector<std::size_t>{1, 3}));  // 13 of 14
    EXPECT_EQ(most_distinguishing(hands, 1), (std::vector<std::size_t>{1, 3, 0}));
    EXPECT_TRUE(most_distinguishing({{{}, 0, 0}}, 0.9).empty());
}

// Fast waves distinguish neighbors; slow waves help for places far apart.
TEST(ToldApart, places_far_apart_are_told_by_more_waves) {
    const Matrix table = sinusoidal_positions(64, 64);
    EXPECT_LT(most_distinguishing(hand_differences(table, Pairing::neighbors, 4, 5), 0.9).size(),
              most_distinguishing(hand_differences(table, Pairing::neighbors, 4, 60), 0.9).size());
}

TEST(CollapsedPairs, are_counted_as_a_loop_counts_them) {
    for (const double fast_off : {0.0, 0.5, 0.75, 1.0}) {
        const Matrix table =
            without_waves(sinusoidal_positions(70, 32), Pairing::neighbors, fast_off, 0);
        const double within = 0.3;
        Index count = 0;
        double nearest = HUGE_VAL;
        for (Index a = 0; a < 70; ++a)
            for (Index b = a + 1; b < 70; ++b) {
                count += distance(table, a, b) < within ? 1 : 0;
                nearest = std::min(nearest, distance(table, a, b));
            }
        const CollapsedPairs found = collapsed_pairs(table, within);
        EXPECT_EQ(found.count, count) << fast_off;
        EXPECT_EQ(found.of, 70 * 69 / 2);
        EXPECT_NEAR(found.nearest, nearest, 1e-9) << fast_off;
        EXPECT_NEAR(distance(table, found.first, found.second), nearest, 1e-9);
        EXPECT_LT(found.first, found.second);
    }
}

TEST(CollapsedPairs, of_one_position_or_equal_ones) {
    EXPECT_EQ(collapsed_pairs(sinusoidal_positions(1, 8), 1).first, -1);
    const Matrix equal = Matrix::Constant(4, 3, 0.5F);
    const CollapsedPairs all = collapsed_pairs(equal, 1e-3);
    EXPECT_EQ(all.count, 6);
    EXPECT_EQ(all.nearest, 0);
    EXPECT_NEAR(mean_length(equal), std::sqrt(0.75), 1e-12);
}

}  // namespace
}  // namespace headlight::position_differences_test
