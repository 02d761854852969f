#include "analysis/score_spread.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "golden.h"

namespace headlight::score_spread_test {
namespace {

// Standard deviation, largest weight, norm of the gradient by PyTorch's autograd: with scale 1, and
// with 1/√d.
TEST(ScoreSpread, is_that_of_pytorch_and_its_autograd) {
    const TensorMap file = golden::read("score_spread.safetensors");
    for (const int width : {2, 16, 64, 256}) {
        const std::string d = std::to_string(width);
        const Matrix queries = golden::stacked(file.at("queries." + d)),
                     keys = golden::stacked(file.at("keys." + d)),
                     expected = golden::stacked(file.at("spread." + d));
        for (const int row : {0, 1}) {
            const double scale = row == 0 ? 1 : 1 / std::sqrt(width);
            const ScoreSpread found = spread_of_scores(queries, keys, scale);
            const auto expect_close = [&](double value, Index col, const char* what) {
                EXPECT_NEAR(value, expected(row, col), 1e-6 * std::max(1.0F, expected(row, col)))
                    << what << " at " << width << ", scale " << scale;
            };
            expect_close(found.deviation, 0, "deviation");
            expect_close(found.largest, 1, "largest weight");
            expect_close(found.gradient, 2, "gradient");
        }
    }
}

// As the paper's footnote says: standard deviation √d without the scale, 1 with it.
TEST(ScoreSpread, grows_with_the_root_of_the_width_but_for_the_scale) {
    const auto widths = spreads_by_width(128, 0);
    ASSERT_EQ(widths.size(), 10U);
    EXPECT_EQ(widths.front().head_dim, 2);
    EXPECT_EQ(widths.back().head_dim, kWidestSpread);
    for (const WidthSpread& width : widths) {
        const double root = std::sqrt(width.head_dim);
        EXPECT_NEAR(width.plain.deviation, root, 0.1 * root) << width.head_dim;
        EXPECT_NEAR(width.scaled.deviation, 1, 0.1) << width.head_dim;
        EXPECT_NEAR(width.plain.deviation, root * width.scaled.deviation, 1e-9 * root);
    }
    EXPECT_GT(widths.back().plain.largest, 0.9);
    EXPECT_LT(widths.back().plain.gradient, 0.1);
    EXPECT_LT(widths.back().scaled.largest, 0.2);
    EXPECT_GT(widths.back().scaled.gradient, widths.back().plain.gradient);
    const auto again = spreads_by_width(128, 0), other = spreads_by_width(128, 1);
    EXPECT_EQ(again[3].plain.deviation, widths[3].plain.deviation);
    EXPECT_NE(other[3].plain.deviation, widths[3].plain.deviation);
}

TEST(ScoreSpread, of_one_key_is_nothing_to_choose_from) {
    const Matrix one = Matrix::Constant(1, 4, 2.0F);
    const ScoreSpread spread = spread_of_scores(one, one, 0.5);
    EXPECT_EQ(spread.deviation, 0);
    EXPECT_EQ(spread.largest, 1);
    EXPECT_EQ(spread.gradient, 0);
}

TEST(ScoreSpread, can_be_stopped) {
    EXPECT_THROW(spreads_by_width(64, 0, [] { return true; }), Stopped);
}

}  // namespace
}  // namespace headlight::score_spread_test
