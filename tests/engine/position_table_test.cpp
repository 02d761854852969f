#include "analysis/position_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "naive.h"
#include "positions/positions.h"

namespace headlight {
namespace {

using naive::random_matrix;

constexpr int kRows = 5, kCols = 7;
constexpr Index kDim = 16;

Matrix raster() { return sinusoidal_positions(kRows * kCols, kDim); }

// Sine and cosine of the column, then of the row, a quarter of the channels each.
Matrix two_dimensional(int rows, int cols) {
    Matrix table(rows * cols, kDim);
    for (int patch = 0; patch < rows * cols; ++patch)
        for (int k = 0; k < kDim / 4; ++k) {
            const double wave = std::pow(10000.0, -k / (kDim / 4.0));
            table(patch, k) = static_cast<float>(std::sin(patch % cols * wave));
            table(patch, kDim / 4 + k) = static_cast<float>(std::cos(patch % cols * wave));
            table(patch, kDim / 2 + k) = static_cast<float>(std::sin(patch / cols * wave));
            table(patch, 3 * kDim / 4 + k) = static_cast<float>(std::cos(patch / cols * wave));
        }
    return table;
}

PositionProperties properties(const Matrix& table, int rows, int cols, Pairing pairing) {
    return position_properties(table, cosine_matrix(table), rows, cols, pairing);
}

TEST(PositionTable, cosines_are_those_of_the_slow_way) {
    Matrix table = random_matrix(6, 9, 3);
    table.row(4).setZero();
    const Matrix cosines = cosine_matrix(table);
    for (Index a = 0; a < 6; ++a)
        for (Index b = 0; b < 6; ++b) {
            const double both =
                table.row(a).cast<double>().norm() * table.row(b).cast<double>().norm();
            const double expected =
                both == 0 ? 0 : table.row(a).cast<double>().dot(table.row(b).cast<double>()) / both;
            EXPECT_NEAR(cosines(a, b), expected, 1e-6);
        }
}

// More rows than are done at once, and as wide as models are.
TEST(PositionTable, large_tables_are_measured_as_the_slow_way_does) {
    constexpr int kSide = 9;
    Matrix table = random_matrix(kSide * kSide, 192, 11);
    table.row(70) = table.row(3) * 2;
    const Matrix cosines = cosine_matrix(table);
    double nearest = naive::kInfinity;
    for (Index a = 0; a < table.rows(); ++a)
        for (Index b = 0; b < table.rows(); ++b) {
            double product = 0, of_a = 0, of_b = 0, distance = 0;
            for (Index c = 0; c < table.cols(); ++c) {
                const double x = table(a, c), y = table(b, c);
                product += x * y;
                of_a += x * x;
                of_b += y * y;
                distance += (x - y) * (x - y);
            }
            EXPECT_NEAR(cosines(a, b), product / std::sqrt(of_a * of_b), 1e-6);
            if (a != b) nearest = std::min(nearest, std::sqrt(distance));
        }
    const PositionProperties found =
        position_properties(table, cosines, kSide, kSide, Pairing::neighbours);
    EXPECT_NEAR(found.nearest, nearest, 1e-6);
    EXPECT_EQ(found.distinct, kSide * kSide);
}

TEST(PositionTable, the_sheet_has_every_patchs_map_in_its_place) {
    const Matrix cosines = random_matrix(kRows * kCols, kRows * kCols, 8);
    const Matrix sheet = sheet_of_maps(cosines, kRows, kCols);
    ASSERT_EQ(sheet.rows(), kRows * kRows);
    ASSERT_EQ(sheet.cols(), kCols * kCols);
    for (int r = 0; r < kRows; ++r)
        for (int c = 0; c < kCols; ++c)
            for (int y = 0; y < kRows; ++y)
                for (int x = 0; x < kCols; ++x)
                    EXPECT_EQ(sheet(r * kRows + y, c * kCols + x),
                              cosines(r * kCols + c, y * kCols + x));
    EXPECT_THROW(static_cast<void>(sheet_of_maps(cosines, kCols, kCols)), AnalysisError);
}

TEST(PositionTable, the_profile_is_a_mean_over_all_pairs_of_an_offset) {
    const Matrix cosines = random_matrix(kRows * kCols, kRows * kCols, 4);
    const OffsetProfile profile = offset_profile(cosines, kRows, kCols);
    ASSERT_EQ(profile.along_row.size(), kCols);
    ASSERT_EQ(profile.down_column.size(), kRows);
    for (int k = 0; k < kCols; ++k) {
        double sum = 0;
        int count = 0;
        for (int a = 0; a < kRows * kCols; ++a)
            for (int b = 0; b < kRows * kCols; ++b)
                if (a / kCols == b / kCols && b % kCols - a % kCols == k) {
                    sum += cosines(a, b);
                    ++count;
                }
        EXPECT_NEAR(profile.along_row[static_cast<std::size_t>(k)], sum / count, 1e-12);
    }
    for (int k = 0; k < kRows; ++k) {
        double sum = 0;
        int count = 0;
        for (int a = 0; a + k * kCols < kRows * kCols; ++a, ++count)
            sum += cosines(a, a + k * kCols);
        EXPECT_NEAR(profile.down_column[static_cast<std::size_t>(k)], sum / count, 1e-12);
    }
}

TEST(PositionTable, sinusoids_turn_by_their_frequencies) {
    const auto pairs = channel_pairs(Pairing::neighbours, kDim);
    ASSERT_EQ(pairs.size(), kDim / 2);
    const auto right = turns(raster(), kRows, kCols, pairs, 0, 1),
               down = turns(raster(), kRows, kCols, pairs, 1, 0);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const double frequency = std::pow(10000.0, -2.0 * static_cast<double>(i) / kDim);
        EXPECT_NEAR(right[i].angle, frequency, 1e-5);
        EXPECT_LT(right[i].residual, 1e-6);
        EXPECT_NEAR(down[i].angle, std::remainder(kCols * frequency, 2 * std::numbers::pi), 1e-5);
        EXPECT_LT(down[i].residual, 1e-5);
    }
}

TEST(PositionTable, sinusoids_keep_what_is_promised_of_them) {
    const PositionProperties found = properties(raster(), kRows, kCols, Pairing::neighbours);
    EXPECT_EQ(found.distinct, kRows * kCols);
    EXPECT_GE(found.low, -1);
    EXPECT_LE(found.high, 1);
    EXPECT_NEAR(found.length, std::sqrt(kDim / 2.0), 1e-6);
    EXPECT_LT(found.length_deviation, 1e-6);
    EXPECT_LT(found.shift_residual, 1e-6);
    EXPECT_LT(found.offset_spread, 1e-5);
    EXPECT_GT(found.left_neighbour, found.upper_neighbour) << "raster order is no neighbourhood";
}

TEST(PositionTable, in_two_dimensions_above_is_as_near_as_beside) {
    const PositionProperties found = properties(two_dimensional(6, 6), 6, 6, Pairing::quarters);
    EXPECT_EQ(found.distinct, 36);
    EXPECT_LT(found.shift_residual, 1e-6);
    EXPECT_LT(found.offset_spread, 1e-5);
    EXPECT_NEAR(found.left_neighbour, found.upper_neighbour, 1e-6);
    EXPECT_GT(properties(two_dimensional(6, 6), 6, 6, Pairing::neighbours).shift_residual, 1e-2)
        << "other channels turn together";
}

TEST(PositionTable, what_is_no_wave_fails) {
    const PositionProperties found =
        properties(random_matrix(kRows * kCols, kDim, 6), kRows, kCols, Pairing::neighbours);
    EXPECT_GT(found.shift_residual, 0.5);
    EXPECT_GT(found.offset_spread, 0.2);
    EXPECT_GT(found.length_deviation, 0.05);
    const PositionProperties nothing =
        properties(Matrix::Zero(kRows * kCols, kDim), kRows, kCols, Pairing::neighbours);
    EXPECT_EQ(nothing.distinct, 0);
    EXPECT_EQ(nothing.nearest, 0);
    EXPECT_EQ(nothing.shift_residual, 0);
}

TEST(PositionTable, the_nearest_rows_are_found) {
    Matrix table = random_matrix(kRows * kCols, kDim, 2);
    table.row(9) = table.row(20);
    table(9, 3) += 0.25F;
    const PositionProperties found = properties(table, kRows, kCols, Pairing::neighbours);
    EXPECT_NEAR(found.nearest, 0.25, 1e-6);
    table.row(9) = table.row(20);
    EXPECT_EQ(properties(table, kRows, kCols, Pairing::neighbours).distinct, kRows * kCols - 2);
}

// The channels that are left, from the fastest to the slowest.
std::vector<Index> channels_left(const Matrix& table) {
    std::vector<Index> left;
    for (Index c = 0; c < table.cols(); ++c)
        if (!table.col(c).isZero(0)) left.push_back(c);
    return left;
}

TEST(PositionTable, waves_are_left_out_from_either_end) {
    using Channels = std::vector<Index>;
    const Matrix ones = Matrix::Ones(3, kDim);
    EXPECT_EQ(without_waves(ones, Pairing::neighbours, 0, 0), ones);
    EXPECT_EQ(channels_left(without_waves(ones, Pairing::neighbours, 0.75, 0)),
              (Channels{12, 13, 14, 15}));
    EXPECT_EQ(channels_left(without_waves(ones, Pairing::neighbours, 0.25, 0.5)),
              (Channels{4, 5, 6, 7}));
    // Of both directions: sines of a quarter, then their cosines.
    EXPECT_EQ(channels_left(without_waves(ones, Pairing::quarters, 0.5, 0.25)),
              (Channels{2, 6, 10, 14}));
    EXPECT_TRUE(without_waves(ones, Pairing::quarters, 0.6, 0.6).isZero(0));
}

// By the fastest wave, of 2π positions, 0 and 19 are nearly one place (19 = 3.02 turns); the slow
// waves tell them apart, and hardly 0 from 1.
TEST(PositionTable, fast_waves_tell_near_places_apart_and_slow_ones_far_places) {
    const Matrix fast = without_waves(raster(), Pairing::neighbours, 0, 0.875),
                 slow = without_waves(raster(), Pairing::neighbours, 0.25, 0);
    const auto apart = [](const Matrix& table, Index a, Index b) {
        return (table.row(a) - table.row(b)).norm();
    };
    EXPECT_GT(apart(fast, 0, 1), 5 * apart(fast, 0, 19));
    EXPECT_LT(apart(slow, 0, 1), apart(slow, 0, 19) / 5);
}

}  // namespace
}  // namespace headlight
