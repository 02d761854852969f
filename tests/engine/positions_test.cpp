#include "positions/positions.h"

#include <gtest/gtest.h>

#include <cmath>

namespace headlight {
namespace {

TEST(Positions, FollowTheFormula) {
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

TEST(Positions, AFewValuesByHand) {
    const Matrix table = sinusoidal_positions(2, 4);
    EXPECT_EQ(table(0, 0), 0.0F);
    EXPECT_EQ(table(0, 1), 1.0F);
    EXPECT_FLOAT_EQ(table(1, 0), 0.841470985F);
    EXPECT_FLOAT_EQ(table(1, 1), 0.540302306F);
    EXPECT_FLOAT_EQ(table(1, 2), 0.00999983333F);  // 10000^(2/4) = 100
    EXPECT_FLOAT_EQ(table(1, 3), 0.999950000F);
}

TEST(Positions, KindsAndRefusals) {
    EXPECT_EQ(position_table(PositionKind::none, 10, 4).size(), 0);
    EXPECT_EQ(position_table(PositionKind::sinusoidal, 10, 4), sinusoidal_positions(10, 4));
    EXPECT_THROW(sinusoidal_positions(0, 4), PositionError);
    EXPECT_THROW(sinusoidal_positions(4, 0), PositionError);
    EXPECT_THROW(position_table(PositionKind::sinusoidal, -1, 4), PositionError);
}

}  // namespace
}  // namespace headlight
