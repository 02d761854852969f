#include "positions/positions.h"

#include <gtest/gtest.h>

#include <cmath>

namespace headlight::positions_test {
namespace {

TEST(Positions, follow_the_formula) {
    for (const Index dim : {1, 2, 3, 49, 64, 768}) {
        const Matrix table = sinusoidal_positions(197, dim);
        ASSERT_EQ(table.rows(), 197);
        ASSERT_EQ(table.cols(), dim);
        for (Index pos = 0; pos < 197; ++pos)
            for (Index d = 0; d < dim; ++d) {
                const double pair = std::floor(double(d) / 2);
                const double angle =
                    double(pos) * std::exp(-std::log(10000.0) * 2 * pair / double(dim));
                const double expected = d % 2 == 0 ? std::sin(angle) : std::cos(angle);
                ASSERT_NEAR(table(pos, d), expected, 1e-7)
                    << "pos " << pos << " d " << d << " of " << dim;
            }
    }
}

TEST(Positions, a_few_values_by_hand) {
    const Matrix table = sinusoidal_positions(2, 4);
    EXPECT_EQ(table(0, 0), 0.0F);
    EXPECT_EQ(table(0, 1), 1.0F);
    EXPECT_FLOAT_EQ(table(1, 0), 0.841470985F);
    EXPECT_FLOAT_EQ(table(1, 1), 0.540302306F);
    EXPECT_FLOAT_EQ(table(1, 2), 0.00999983333F);  // 10000^(2/4) = 100
    EXPECT_FLOAT_EQ(table(1, 3), 0.999950000F);
}

TEST(Positions, kinds_and_refusals) {
    EXPECT_EQ(position_table(PositionKind::sinusoidal, {{}, 10, 4}), sinusoidal_positions(10, 4));
    EXPECT_EQ(position_table(PositionKind::sinusoidal, {{}, 10, 4, 50}),
              sinusoidal_positions(10, 4, 50));
    EXPECT_THROW(sinusoidal_positions(0, 4), PositionError);
    EXPECT_THROW(sinusoidal_positions(4, 0), PositionError);
    EXPECT_THROW(position_table(PositionKind::sinusoidal, {{}, -1, 4}), PositionError);
    for (const double base : {1.0, 0.0, -10000.0, HUGE_VAL, std::nan("")})
        EXPECT_THROW(position_table(PositionKind::sinusoidal, {{}, 10, 4, base}), PositionError);
}

TEST(Positions, another_base_makes_other_wavelengths) {
    const Matrix table = sinusoidal_positions(7, 6, 100);
    for (Index pos = 0; pos < 7; ++pos) {
        EXPECT_NEAR(table(pos, 2), std::sin(double(pos) / std::pow(100.0, 2.0 / 6)), 1e-7);
        EXPECT_NEAR(table(pos, 5), std::cos(double(pos) / std::pow(100.0, 4.0 / 6)), 1e-7);
    }
}

// As in ViT's initialization: independent numbers with mean 0 and standard deviation 0.02.
TEST(Positions, learned_ones_are_drawn_from_the_seed) {
    const Matrix table = drawn_positions(197, 192, 3);
    EXPECT_EQ(table, drawn_positions(197, 192, 3));
    EXPECT_NE(table, drawn_positions(197, 192, 4));
    EXPECT_EQ(table, position_table(PositionKind::learned, {{}, 197, 192, kUsualBase, 3}));
    double sum = 0, squares = 0, beyond = 0, beside = 0;
    for (Index i = 0; i < table.size(); ++i) {
        const double x = table.data()[i] / kDrawnDeviation;
        sum += x;
        squares += x * x;
        beyond += std::abs(x) > 1 ? 1 : 0;
        if (i > 0) beside += x * table.data()[i - 1] / kDrawnDeviation;
    }
    const auto count = static_cast<double>(table.size());
    EXPECT_NEAR(sum / count, 0, 0.02);
    EXPECT_NEAR(squares / count, 1, 0.02);
    EXPECT_NEAR(beyond / count, 0.3173, 0.01) << "of a normal distribution";
    EXPECT_NEAR(beside / count, 0, 0.02);
    EXPECT_THROW(drawn_positions(0, 4, 1), PositionError);
    EXPECT_THROW(drawn_positions(4, 0, 1), PositionError);
}

TEST(Positions, every_kind_says_what_it_does_and_adds_a_table_or_nothing) {
    const PositionSpec spec{{2, 3, 5}, 17, 12};
    for (const PositionInfo& kind : all_positions()) {
        EXPECT_FALSE(kind.label.empty() || kind.short_label.empty()) << name_of(kind.id);
        EXPECT_LE(kind.short_label.size(), kind.label.size()) << kind.label;
        EXPECT_TRUE(kind.sentence.ends_with('.')) << kind.label;
        EXPECT_TRUE(kind.meaning.empty() || kind.meaning.ends_with('.')) << kind.label;
        const bool adds = kind.effect == PositionEffect::added;
        EXPECT_EQ(kind.pytorch.empty(), !adds) << kind.label;
        EXPECT_EQ(position_table(kind.id, spec).rows(), adds ? 17 : 0) << kind.label;
    }
}

// Only the settings that a kind uses change its table.
TEST(Positions, a_table_follows_from_what_its_kind_takes) {
    const PositionSpec usual{{2, 3, 5}, 17, 12};
    for (const PositionInfo& kind : all_positions()) {
        if (kind.table == nullptr) continue;
        const Matrix table = kind.table(usual);
        PositionSpec other = usual;
        other.base = 50;
        EXPECT_EQ(kind.table(other) != table, kind.takes.base > 0) << kind.label;
        other = usual;
        other.seed = 7;
        EXPECT_EQ(kind.table(other) != table, kind.takes.seed) << kind.label;
        other = usual;
        other.first = WavesFirst::rows;
        EXPECT_EQ(kind.table(other) != table, kind.takes.first) << kind.label;
        other = usual;
        other.places = {};
        if (!kind.needs_grid) {
            EXPECT_EQ(kind.table(other), table) << kind.label;
        }
    }
}

TEST(Positions, by_row_and_column_tell_both_apart) {
    const PositionSpec spec{{2, 3, 5}, 17, 12, 10000};
    const Matrix table = sincos_2d_positions(spec);
    EXPECT_EQ(table.topRows(2), Matrix::Zero(2, 12));
    for (Index row = 0; row < 3; ++row)
        for (Index col = 0; col < 5; ++col)
            for (Index d = 0; d < 12; ++d) {
                const double place = d < 6 ? double(col) : double(row);
                const double angle = place * std::exp(-std::log(10000.0) * double(d % 3) / 3);
                const double expected = d / 3 % 2 == 0 ? std::sin(angle) : std::cos(angle);
                ASSERT_NEAR(table(2 + row * 5 + col, d), expected, 1e-7) << row << " " << col;
            }
}

// Also for grids that are not square.
TEST(Positions, with_the_rows_first_have_their_halves_changed) {
    PositionSpec spec{{2, 3, 5}, 17, 12, 10000};
    const Matrix columns = sincos_2d_positions(spec);
    spec.first = WavesFirst::rows;
    const Matrix rows = sincos_2d_positions(spec);
    EXPECT_EQ(Matrix(rows.leftCols(6)), Matrix(columns.rightCols(6)));
    EXPECT_EQ(Matrix(rows.rightCols(6)), Matrix(columns.leftCols(6)));
}

TEST(Positions, by_row_and_column_are_refused_where_they_cannot_be) {
    const auto complaint = [](const PositionSpec& spec) -> std::string {
        try {
            sincos_2d_positions(spec);
        } catch (const PositionError& error) {
            return error.what();
        }
        return {};
    };
    EXPECT_EQ(complaint({{0, 2, 3}, 6, 49}),
              "Positions by row and column need a width that is a multiple of 4; these tokens are "
              "49 wide.");
    EXPECT_EQ(complaint({{0, 0, 0}, 6, 8}),
              "Positions by row and column need tokens in a grid of patches, but these 6 tokens "
              "have no known grid.");
    EXPECT_EQ(complaint({{1, 2, 3}, 6, 8}), complaint({{0, 0, 0}, 6, 8}));
}

}  // namespace
}  // namespace headlight::positions_test
