#include "analysis/position_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "naive.h"
#include "positions/positions.h"

namespace headlight::position_table_test {
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

// More rows than are processed at once, and as wide as in models.
TEST(PositionTable, products_and_distances_are_those_of_the_slow_way) {
    Matrix table = random_matrix(40, 11, 5);
    table.row(7) = table.row(31);
    const Matrix products = product_matrix(table), distances = distance_matrix(table);
    for (Index a = 0; a < table.rows(); ++a)
        for (Index b = 0; b < table.rows(); ++b) {
            double product = 0, distance = 0;
            for (Index c = 0; c < table.cols(); ++c) {
                const double x = table(a, c), y = table(b, c);
                product += x * y;
                distance += (x - y) * (x - y);
            }
            EXPECT_NEAR(products(a, b), product, 1e-5) << a << ", " << b;
            EXPECT_NEAR(distances(a, b), std::sqrt(distance), 1e-6) << a << ", " << b;
        }
    EXPECT_EQ(distances(3, 3), 0);
}

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
        position_properties(table, cosines, kSide, kSide, Pairing::neighbors);
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
    const auto pairs = channel_pairs(Pairing::neighbors, kDim);
    ASSERT_EQ(pairs.size(), kDim / 2);
    const Turned one_right = turned(raster(), kRows, kCols, Pairing::neighbors, 0, 1),
                 one_down = turned(raster(), kRows, kCols, Pairing::neighbors, 1, 0);
    const auto &right = one_right.turns, &down = one_down.turns;
    EXPECT_EQ(one_right.patches, kRows * (kCols - 1));
    EXPECT_EQ(one_down.patches, (kRows - 1) * kCols);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const double frequency = std::pow(10000.0, -2.0 * static_cast<double>(i) / kDim);
        EXPECT_NEAR(right[i].angle, frequency, 1e-5);
        EXPECT_LT(right[i].residual, 1e-6);
        EXPECT_NEAR(down[i].angle, std::remainder(kCols * frequency, 2 * std::numbers::pi), 1e-5);
        EXPECT_LT(down[i].residual, 1e-5);
    }
}

// M(k) for any offset, in both directions, as in the formula.
TEST(PositionTable, sinusoids_turn_for_every_offset) {
    for (const auto& [down, right] : {std::pair{2, -3}, std::pair{-1, 4}, std::pair{4, 6}}) {
        const Turned found = turned(raster(), kRows, kCols, Pairing::neighbors, down, right);
        EXPECT_LT(found.residual, 1e-5);
        for (std::size_t i = 0; i < found.turns.size(); ++i) {
            const double angle =
                (down * kCols + right) * std::pow(10000.0, -2.0 * static_cast<double>(i) / kDim);
            EXPECT_NEAR(std::remainder(found.turns[i].angle - angle, 2 * std::numbers::pi), 0,
                        1e-5);
        }
    }
    EXPECT_TRUE(std::isnan(turned(raster(), kRows, kCols, Pairing::neighbors, 0, kCols).residual));
}

// The last sine has no cosine: it does not rotate, and the error is measured.
TEST(PositionTable, of_an_odd_width_the_lone_sine_does_not_turn) {
    constexpr Index kOdd = 9;
    const Matrix odd = sinusoidal_positions(kRows * kCols, kOdd, 1.5);
    EXPECT_EQ(lone_channels(Pairing::neighbors, kOdd), std::vector<Index>{kOdd - 1});
    EXPECT_TRUE(lone_channels(Pairing::neighbors, kDim).empty());
    EXPECT_TRUE(lone_channels(Pairing::quarters, kDim).empty());
    const Turned found = turned(odd, kRows, kCols, Pairing::neighbors, 0, 1);
    ASSERT_EQ(found.turns.size(), kOdd / 2);
    for (const Turn& turn : found.turns) EXPECT_LT(turn.residual, 1e-6);
    double over = 0, of = 0;
    for (int r = 0; r < kRows; ++r)
        for (int c = 0; c + 1 < kCols; ++c) {
            const int from = r * kCols + c;
            const double off = odd(from + 1, kOdd - 1) - odd(from, kOdd - 1);
            over += off * off;
            of += odd.row(from + 1).cast<double>().squaredNorm();
        }
    EXPECT_NEAR(found.residual, std::sqrt(over / of), 1e-6);
    EXPECT_GT(found.residual, 0.1);
    EXPECT_EQ(properties(odd, kRows, kCols, Pairing::neighbors).shift_residual, found.residual);
    const Matrix one = sinusoidal_positions(kRows * kCols, 1);
    EXPECT_TRUE(turned(one, kRows, kCols, Pairing::neighbors, 0, 1).turns.empty());
    EXPECT_GT(turned(one, kRows, kCols, Pairing::neighbors, 0, 1).residual, 0.1);
}

TEST(PositionTable, the_pairing_is_the_one_that_turns) {
    EXPECT_EQ(pairing_that_turns(two_dimensional(kRows, kCols), kRows, kCols), Pairing::quarters);
    EXPECT_EQ(pairing_that_turns(raster(), kRows, kCols), Pairing::neighbors);
    EXPECT_EQ(pairing_that_turns(sinusoidal_positions(kRows * kCols, 7), kRows, kCols),
              Pairing::neighbors);
    EXPECT_EQ(pairing_that_turns(two_dimensional(1, 1), 1, 1), Pairing::neighbors);
}

TEST(PositionTable, what_a_grid_of_one_patch_has_not_is_no_number) {
    const PositionProperties found =
        properties(random_matrix(1, kDim, 1), 1, 1, Pairing::neighbors);
    EXPECT_EQ(found.distinct, 1);
    for (const double number : {found.nearest, found.shift_residual, found.asymmetry,
                                found.left_neighbor, found.upper_neighbor})
        EXPECT_TRUE(std::isnan(number));
    const PositionProperties column = properties(raster(), kRows * kCols, 1, Pairing::neighbors);
    EXPECT_LT(column.shift_residual, 1e-6) << "the next one is below";
    EXPECT_TRUE(std::isnan(column.left_neighbor));
}

// For cosines that are symmetric, or not.
TEST(PositionTable, likeness_on_both_sides_is_that_of_the_slow_way) {
    const Matrix cosines = random_matrix(kRows * kCols, kRows * kCols, 21);
    double most = 0;
    for (int p = 0; p < kRows * kCols; ++p)
        for (int q = 0; q < kRows * kCols; ++q) {
            const int row = 2 * (p / kCols) - q / kCols, col = 2 * (p % kCols) - q % kCols;
            if (row < 0 || row >= kRows || col < 0 || col >= kCols) continue;
            most = std::max(
                most, std::abs(static_cast<double>(cosines(p, q)) - cosines(p, row * kCols + col)));
        }
    const Matrix table = random_matrix(kRows * kCols, kDim, 22);
    EXPECT_EQ(position_properties(table, cosines, kRows, kCols, Pairing::neighbors).asymmetry,
              most);
    EXPECT_LT(properties(raster(), kRows, kCols, Pairing::neighbors).asymmetry, 1e-6);
    EXPECT_GT(properties(table, kRows, kCols, Pairing::neighbors).asymmetry, 0.1);
}

TEST(PositionTable, sinusoids_keep_what_is_promised_of_them) {
    const PositionProperties found = properties(raster(), kRows, kCols, Pairing::neighbors);
    EXPECT_EQ(found.distinct, kRows * kCols);
    EXPECT_GE(found.low, -1);
    EXPECT_LE(found.high, 1);
    EXPECT_NEAR(found.length, std::sqrt(kDim / 2.0), 1e-6);
    EXPECT_LT(found.length_deviation, 1e-6);
    EXPECT_LT(found.shift_residual, 1e-6);
    EXPECT_LT(found.offset_spread, 1e-5);
    EXPECT_GT(found.left_neighbor, found.upper_neighbor) << "raster order is no neighborhood";
}

TEST(PositionTable, in_two_dimensions_above_is_as_near_as_beside) {
    const PositionProperties found = properties(two_dimensional(6, 6), 6, 6, Pairing::quarters);
    EXPECT_EQ(found.distinct, 36);
    EXPECT_LT(found.shift_residual, 1e-6);
    EXPECT_LT(found.offset_spread, 1e-5);
    EXPECT_NEAR(found.left_neighbor, found.upper_neighbor, 1e-6);
    EXPECT_GT(properties(two_dimensional(6, 6), 6, 6, Pairing::neighbors).shift_residual, 1e-2)
        << "other channels turn together";
}

TEST(PositionTable, what_is_no_wave_fails) {
    const PositionProperties found =
        properties(random_matrix(kRows * kCols, kDim, 6), kRows, kCols, Pairing::neighbors);
    EXPECT_GT(found.shift_residual, 0.5);
    EXPECT_GT(found.offset_spread, 0.2);
    EXPECT_GT(found.length_deviation, 0.05);
    const PositionProperties nothing =
        properties(Matrix::Zero(kRows * kCols, kDim), kRows, kCols, Pairing::neighbors);
    EXPECT_EQ(nothing.distinct, 0);
    EXPECT_EQ(nothing.nearest, 0);
    EXPECT_TRUE(std::isnan(nothing.shift_residual)) << "there is nothing that could turn";
}

// The window's tolerance for "exact", a millionth, is above the rounding error of waves and below
// the error of a sine without its cosine. In wider tables, the lone sine is so slow that its error
// is below rounding too.
TEST(PositionTable, a_lone_sine_is_told_from_rounding) {
    for (const Index dim : {8, 16}) {
        const PositionProperties even = properties(sinusoidal_positions(kRows * kCols, dim), kRows,
                                                   kCols, Pairing::neighbors),
                                 odd = properties(sinusoidal_positions(kRows * kCols, dim + 1),
                                                  kRows, kCols, Pairing::neighbors);
        for (const auto number :
             {&PositionProperties::length_deviation, &PositionProperties::shift_residual,
              &PositionProperties::offset_spread, &PositionProperties::asymmetry}) {
            EXPECT_LT(even.*number, 3e-7) << dim;
            EXPECT_GT(odd.*number, 1e-6) << dim;
        }
    }
}

TEST(PositionTable, zeros_neither_turn_nor_fail_to) {
    Matrix table = sinusoidal_positions(kRows * kCols, 8);
    table.middleCols(2, 2).setZero();
    const Turned found = turned(table, kRows, kCols, Pairing::neighbors, 0, 1);
    EXPECT_TRUE(std::isnan(found.turns[1].residual));
    EXPECT_LT(found.turns[0].residual, 1e-6);
    EXPECT_LT(found.residual, 1e-6);
    const Turned of_one = turned(Matrix(Matrix::Ones(1, 4)), 1, 1, Pairing::neighbors, 0, 1);
    EXPECT_TRUE(std::isnan(of_one.residual) && std::isnan(of_one.turns[0].residual));
}

TEST(PositionTable, the_nearest_rows_are_found) {
    Matrix table = random_matrix(kRows * kCols, kDim, 2);
    table.row(9) = table.row(20);
    table(9, 3) += 0.25F;
    const PositionProperties found = properties(table, kRows, kCols, Pairing::neighbors);
    EXPECT_NEAR(found.nearest, 0.25, 1e-6);
    table.row(9) = table.row(20);
    EXPECT_EQ(properties(table, kRows, kCols, Pairing::neighbors).distinct, kRows * kCols - 2);
}

// The remaining channels, from fastest to slowest.
std::vector<Index> channels_left(const Matrix& table) {
    std::vector<Index> left;
    for (Index c = 0; c < table.cols(); ++c)
        if (!table.col(c).isZero(0)) left.push_back(c);
    return left;
}

TEST(PositionTable, waves_are_left_out_from_either_end) {
    using Channels = std::vector<Index>;
    const Matrix ones = Matrix::Ones(3, kDim);
    EXPECT_EQ(without_waves(ones, Pairing::neighbors, 0, 0), ones);
    EXPECT_EQ(channels_left(without_waves(ones, Pairing::neighbors, 0.75, 0)),
              (Channels{12, 13, 14, 15}));
    EXPECT_EQ(channels_left(without_waves(ones, Pairing::neighbors, 0.25, 0.5)),
              (Channels{4, 5, 6, 7}));
    // For both directions: a quarter sines, then their cosines.
    EXPECT_EQ(channels_left(without_waves(ones, Pairing::quarters, 0.5, 0.25)),
              (Channels{2, 6, 10, 14}));
    EXPECT_TRUE(without_waves(ones, Pairing::quarters, 0.6, 0.6).isZero(0));
    // With an odd width, the last sine is a wave by itself, the slowest.
    const Matrix odd = Matrix::Ones(3, 7);
    EXPECT_TRUE(without_waves(odd, Pairing::neighbors, 1, 0).isZero(0));
    EXPECT_EQ(channels_left(without_waves(odd, Pairing::neighbors, 0, 0.25)),
              (Channels{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(channels_left(without_waves(odd, Pairing::neighbors, 0.75, 0)), (Channels{6}));
}

// For the fastest wave with period 2π, positions 0 and 19 are nearly the same (19 = 3.02 turns);
// the slow waves distinguish them, but hardly 0 from 1.
TEST(PositionTable, fast_waves_tell_near_places_apart_and_slow_ones_far_places) {
    const Matrix fast = without_waves(raster(), Pairing::neighbors, 0, 0.875),
                 slow = without_waves(raster(), Pairing::neighbors, 0.25, 0);
    const auto apart = [](const Matrix& table, Index a, Index b) {
        return (table.row(a) - table.row(b)).norm();
    };
    EXPECT_GT(apart(fast, 0, 1), 5 * apart(fast, 0, 19));
    EXPECT_LT(apart(slow, 0, 1), apart(slow, 0, 19) / 5);
}

}  // namespace
}  // namespace headlight::position_table_test
