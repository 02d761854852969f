#include "positions/rotary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <sstream>

#include "analysis/error.h"
#include "analysis/rotary_profile.h"
#include "golden.h"
#include "positions/positions.h"
#include "positions/relative.h"

// Compares rotary positions with DINOv3's code (tests/golden/make_positions.py) and with loops.
namespace headlight::rotary_test {
namespace {

Matrix random_rows(Index rows, Index cols, unsigned seed) {
    std::srand(seed);
    return Matrix::Random(rows, cols);
}

TEST(Rotary, angles_are_those_of_dinov3) {
    int found = 0;
    for (const auto& [name, expected] : golden::read("positions.safetensors")) {
        std::istringstream words(name);
        std::string kind, grid;
        Index dim = 0;
        double base = 0;
        words >> kind >> grid >> dim >> base;
        if (kind != "rope") continue;
        ++found;
        const TokenGrid places{0, std::stoi(grid), std::stoi(grid.substr(grid.find('x') + 1))};
        const auto [sine, cosine] = rotary_tables(dinov3_rotary(dim, base), places, places.count());
        const Matrix want = golden::stacked(expected);
        ASSERT_EQ(want.rows(), 2 * places.count());
        EXPECT_LE((sine - want.topRows(places.count())).cwiseAbs().maxCoeff(), 1e-6) << name;
        EXPECT_LE((cosine - want.bottomRows(places.count())).cwiseAbs().maxCoeff(), 1e-6) << name;
    }
    EXPECT_EQ(found, 3);
}

TEST(Rotary, places_of_eva_are_counted_as_if_there_were_so_many) {
    const TokenGrid places{1, 3, 5};
    const Rotary rotary = eva_rotary(12, 16, 16);
    const auto [sine, cosine] = rotary_tables(rotary, places, 16);
    for (Index row = 0; row < 3; ++row)
        for (Index col = 0; col < 5; ++col)
            for (Index channel = 0; channel < 12; ++channel) {
                const Index pair = channel / 2;
                const double place = pair < 3 ? double(row) / 3 * 16 : double(col) / 5 * 16;
                const double angle = place * std::pow(10000, -double(pair % 3) / 3);
                EXPECT_NEAR(sine(1 + row * 5 + col, channel), std::sin(angle), 1e-6);
                EXPECT_NEAR(cosine(1 + row * 5 + col, channel), std::cos(angle), 1e-6);
            }
}

// For both ways to pair channels: prefix tokens stay unchanged, norms are preserved, and rotations
// equal multiplication by complex numbers.
TEST(Rotary, turns_pairs_of_channels) {
    for (const Rotary& rotary : {dinov3_rotary(8), eva_rotary(8, 4, 4)}) {
        const TokenGrid places{2, 2, 3};
        const auto [sine, cosine] = rotary_tables(rotary, places, 8);
        const Matrix x = random_rows(16, 24, 3);  // two samples, three heads
        const Matrix turned = rotated(x, rotary, sine, cosine);
        for (Index row = 0; row < 16; ++row)
            for (Index head = 0; head < 24; head += 8)
                for (Index pair = 0; pair < 4; ++pair) {
                    const Index a = head + rotary.first(pair), b = head + rotary.second(pair);
                    EXPECT_EQ(rotary.pair_of(rotary.second(pair)), pair);
                    if (row % 8 < 2) {
                        EXPECT_EQ(turned(row, a), x(row, a));
                        EXPECT_EQ(turned(row, b), x(row, b));
                        continue;
                    }
                    const double angle =
                        std::atan2(sine(row % 8, a - head), cosine(row % 8, a - head));
                    EXPECT_NEAR(turned(row, a),
                                x(row, a) * std::cos(angle) - x(row, b) * std::sin(angle), 1e-6);
                    EXPECT_NEAR(turned(row, b),
                                x(row, b) * std::cos(angle) + x(row, a) * std::sin(angle), 1e-6);
                    EXPECT_NEAR(std::hypot(turned(row, a), turned(row, b)),
                                std::hypot(x(row, a), x(row, b)), 1e-6);
                }
    }
}

TEST(Rotary, products_depend_on_the_offset_alone) {
    const TokenGrid places{1, 4, 6};
    const Matrix query = random_rows(1, 16, 5), key = random_rows(1, 16, 6);
    for (const Rotary& rotary : {dinov3_rotary(16), eva_rotary(16, 16, 16)}) {
        const RotaryTables tables = rotary_tables(rotary, places, 25);
        const RotaryProfile profile = rotary_profile(query, key, rotary, tables.sine, tables.cosine,
                                                     places, 15);  // row 2, column 3
        EXPECT_LE(profile.spread, 1e-5);
        ASSERT_EQ(profile.along_row.size(), 11);
        ASSERT_EQ(profile.down_column.size(), 7);
        const auto product = [&](Index from, Index to) {
            double sum = 0;
            for (Index pair = 0; pair < 8; ++pair) {
                const Index a = rotary.first(pair), b = rotary.second(pair);
                const auto angle = [&](Index token) {
                    return std::atan2(tables.sine(token, a), tables.cosine(token, a));
                };
                const double turn = angle(to) - angle(from);
                sum += (query(0, a) * key(0, a) + query(0, b) * key(0, b)) * std::cos(turn) +
                       (query(0, b) * key(0, a) - query(0, a) * key(0, b)) * std::sin(turn);
            }
            return sum;
        };
        for (int offset = -5; offset <= 5; ++offset)
            EXPECT_NEAR(profile.along_row[static_cast<std::size_t>(offset + 5)],
                        product(1 + 12 + std::max(0, -offset), 1 + 12 + std::max(0, offset)), 1e-5);
        for (int offset = -3; offset <= 3; ++offset)
            EXPECT_NEAR(profile.down_column[static_cast<std::size_t>(offset + 3)],
                        product(1 + 3 + 6 * std::max(0, -offset), 1 + 3 + 6 * std::max(0, offset)),
                        1e-5);
        EXPECT_THROW(rotary_profile(query, key, rotary, tables.sine, tables.cosine, places, 24),
                     AnalysisError);
    }
}

TEST(Rotary, refusals) {
    EXPECT_THROW(dinov3_rotary(6), PositionError);
    EXPECT_THROW(eva_rotary(0, 16, 16), PositionError);
    EXPECT_THROW(dinov3_rotary(8, 1), PositionError);
    EXPECT_THROW(dinov3_rotary(8, std::nan("")), PositionError);
    EXPECT_THROW(rotary_tables(dinov3_rotary(8), {}, 9), PositionError);
    EXPECT_THROW(rotary_tables(dinov3_rotary(8), {0, 3, 3}, 10), PositionError);
}

TEST(RelativeTable, has_a_row_for_every_offset) {
    EXPECT_EQ(relative_offsets(2, 3), 15);
    Matrix table(18, 2);
    for (Index row = 0; row < 18; ++row)
        for (Index head = 0; head < 2; ++head) table(row, head) = float(10 * row + head);
    const TokenGrid places{1, 2, 3};
    const Matrix bias = relative_bias(table, 2, 3, places, 7);
    ASSERT_EQ(bias.rows(), 14);
    for (Index head = 0; head < 2; ++head) {
        const auto at = [&](Index query, Index key) { return bias(head * 7 + query, key); };
        EXPECT_EQ(at(0, 0), float(170 + head));
        for (Index patch = 1; patch < 7; ++patch) {
            EXPECT_EQ(at(0, patch), float(150 + head));
            EXPECT_EQ(at(patch, 0), float(160 + head));
            EXPECT_EQ(at(patch, patch), float(70 + head));  // the middle offset
        }
        EXPECT_EQ(at(1, 6), float(0 + head));    // one row up and two columns left
        EXPECT_EQ(at(6, 1), float(140 + head));  // and back
        EXPECT_EQ(at(2, 1), float(80 + head));   // one column to the right
    }
    EXPECT_THROW(relative_bias(table, 2, 3, {1, 3, 2}, 7), PositionError);
    EXPECT_THROW(relative_bias(table, 2, 3, {0, 2, 3}, 6), PositionError);
}

}  // namespace
}  // namespace headlight::rotary_test
