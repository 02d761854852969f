#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "analysis/statistics.h"

namespace headlight::spread_test {
namespace {

TEST(EffectiveTokens, of_rows_that_read_some_tokens_alike_is_how_many) {
    const Matrix one{{0, 1, 0, 0}}, two{{0.5F, 0, 0.5F, 0}}, all{{0.25F, 0.25F, 0.25F, 0.25F}};
    EXPECT_NEAR(effective_tokens(one), 1, 1e-6);
    EXPECT_NEAR(effective_tokens(two), 2, 1e-6);
    EXPECT_NEAR(effective_tokens(all), 4, 1e-6);
}

TEST(EffectiveTokens, of_several_rows_is_what_a_loop_finds) {
    const Matrix attention{{0.7F, 0.2F, 0.1F}, {0.1F, 0.1F, 0.8F}, {0, 1, 0}};
    double bits = 0;
    for (Index row = 0; row < 3; ++row)
        for (Index col = 0; col < 3; ++col)
            if (const double a = attention(row, col); a > 0)
                bits -= a * std::log(a) / std::log(2.0);
    EXPECT_NEAR(effective_tokens(attention), std::pow(2.0, bits / 3), 1e-6);
}

TEST(EffectiveTokens, of_what_is_no_number_is_none) {
    const Matrix broken{{0.5F, std::numeric_limits<float>::quiet_NaN()}};
    EXPECT_TRUE(std::isnan(effective_tokens(broken)));
}

}  // namespace
}  // namespace headlight::spread_test
