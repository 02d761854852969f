#include "analysis/blocked_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

// Expected: PyTorch 1.13, float32: torch.softmax of S - 100 * blocked, and of
// S.masked_fill(blocked, x) for x = -9e15 and -inf, with S = [1.5, -0.25, 2, 0.75].
namespace headlight::blocked_weights_test {
namespace {

const std::vector<float> kScores{1.5F, -0.25F, 2, 0.75F};

std::vector<float> weights(Blocking how, const std::vector<std::uint8_t>& blocked) {
    return weights_blocked_by(how, kScores, blocked).weights;
}

void expect_weights(const std::vector<float>& found, const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(found[i], expected[i], 1e-6) << "weight " << i;
}

TEST(BlockedWeights, are_those_of_pytorch_where_some_keys_are_blocked) {
    const std::vector<std::uint8_t> blocked{0, 1, 0, 1};
    for (const Blocking how : {Blocking::minus_100, Blocking::minus_9e15, Blocking::minus_infinity})
        expect_weights(weights(how, blocked), {0.3775406778, 0, 0.6224593520, 0});
}

TEST(BlockedWeights, leave_a_rest_below_1e_43_with_minus_100_and_nothing_with_the_others) {
    const std::vector<std::uint8_t> blocked{0, 1, 0, 1};
    const double rest = weights_blocked_by(Blocking::minus_100, kScores, blocked).to_blocked;
    EXPECT_GT(rest, 0);
    EXPECT_NEAR(rest, 2.8e-45 + 7.0e-45, 3e-45);  // denormal numbers have few digits
    EXPECT_EQ(weights_blocked_by(Blocking::minus_9e15, kScores, blocked).to_blocked, 0);
    EXPECT_EQ(weights_blocked_by(Blocking::minus_infinity, kScores, blocked).to_blocked, 0);
}

TEST(BlockedWeights, differ_where_every_key_is_blocked) {
    const std::vector<std::uint8_t> all{1, 1, 1, 1};
    expect_weights(weights(Blocking::minus_100, all),
                   {0.3035028577, 0.0527408868, 0.5003916025, 0.1433645934});
    expect_weights(weights(Blocking::minus_9e15, all), {0.25, 0.25, 0.25, 0.25});
    for (const float weight : weights(Blocking::minus_infinity, all))
        EXPECT_TRUE(std::isnan(weight));
}

}  // namespace
}  // namespace headlight::blocked_weights_test
