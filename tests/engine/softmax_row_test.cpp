#include "analysis/softmax_row.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "naive.h"

namespace headlight::softmax_row_test {
namespace {

constexpr float kBlocked = -std::numeric_limits<float>::infinity();

TEST(SoftmaxRow, is_that_of_a_plain_loop_at_any_temperature) {
    const Matrix scores = naive::random_matrix(1, 37, 8) * 5;
    const std::vector<float> row(scores.data(), scores.data() + scores.size());
    for (const double temperature : {0.05, 0.5, 1.0, 3.0, 20.0}) {
        const SoftmaxRow found = softmax_row(row, static_cast<float>(temperature));
        double sum = 0, bits = 0;
        for (const float score : row) sum += std::exp(score / temperature);
        for (std::size_t j = 0; j < row.size(); ++j) {
            const double weight = std::exp(row[j] / temperature) / sum;
            EXPECT_NEAR(found.weights[j], weight, 2e-6);
            if (weight > 0) bits -= weight * std::log2(weight);
        }
        EXPECT_NEAR(found.entropy, bits, 1e-4);
    }
}

TEST(SoftmaxRow, has_a_hard_choice_that_no_temperature_changes) {
    const std::vector<float> row{1, 4, kBlocked, 4, -2};
    for (const float temperature : {0.1F, 10.0F}) {
        const SoftmaxRow found = softmax_row(row, temperature);
        EXPECT_EQ(found.largest, 1);
        EXPECT_EQ(found.hard, (std::vector<float>{0, 1, 0, 0, 0}));
        EXPECT_EQ(found.weights[2], 0);
    }
}

TEST(SoftmaxRow, of_masked_keys_alone_is_nothing) {
    const SoftmaxRow found = softmax_row(std::vector<float>{kBlocked, kBlocked}, 1);
    EXPECT_EQ(found.largest, -1);
    EXPECT_EQ(found.weights, (std::vector<float>{0, 0}));
}

TEST(SoftmaxRow, shows_its_largest_scores_in_their_order) {
    const std::vector<float> row{3, 9, 1, 9, kBlocked, 7};
    EXPECT_EQ(largest_scores(row, 3), (std::vector<Index>{1, 3, 5}));
    EXPECT_EQ(largest_scores(row, 6).size(), 6U);
}

}  // namespace
}  // namespace headlight::softmax_row_test
