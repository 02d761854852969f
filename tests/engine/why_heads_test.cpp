#include "analysis/why_heads.h"

#include <gtest/gtest.h>

#include <string>

#include "golden.h"

// Compared with PyTorch's autograd and torch.optim.Adam: tests/golden/make_why_heads.py.
namespace headlight::why_heads_test {
namespace {

Matrix read(const std::string& name) {
    static const TensorMap file = golden::read("why_heads.safetensors");
    return golden::stacked(file.at(name));
}

CardWeights weights(const std::string& name) {
    const Matrix found = read(name);
    return {found.data(), found.data() + found.size()};
}

std::vector<CardSample> samples() {
    const Matrix rows = read("samples");
    std::vector<CardSample> samples(static_cast<std::size_t>(rows.rows()));
    for (Index i = 0; i < rows.rows(); ++i) {
        CardSample& sample = samples[static_cast<std::size_t>(i)];
        for (int card = 0; card < kCards; ++card)
            sample.symbols[static_cast<std::size_t>(card)] = static_cast<int>(rows(i, card));
        sample.a = static_cast<int>(rows(i, kCards));
        sample.b = static_cast<int>(rows(i, kCards + 1));
    }
    return samples;
}

void expect_weights(const CardWeights& found, const CardWeights& expected, double tolerance) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(found[i], expected[i], tolerance) << "weight " << i;
}

TEST(WhyHeads, loss_gradient_and_attention_are_those_of_autograd) {
    for (const int heads : {1, 2, 4}) {
        const std::string name = std::to_string(heads);
        CardWeights gradient;
        const double loss = card_loss(weights("weights"), heads, samples(), &gradient);
        EXPECT_NEAR(loss, read(name + ".loss")(0, 0), 1e-5);
        expect_weights(gradient, weights(name + ".gradient"), 1e-5);
        const Matrix attention = card_attention(weights("weights"), heads, samples().front());
        EXPECT_LT((attention - read(name + ".attention")).cwiseAbs().maxCoeff(), 1e-5) << name;
    }
}

TEST(WhyHeads, learns_as_adam_does) {
    for (const int heads : {1, 2, 4})
        expect_weights(train_card_weights(weights("weights"), heads, samples(), 20),
                       weights(std::to_string(heads) + ".trained"), 2e-3);
}

// The reason for heads: one cannot name both symbols, two can.
TEST(WhyHeads, one_head_confuses_the_two_cards_and_two_do_not) {
    const CardAccuracy one = train_cards(1, 1).back().accuracy,
                       two = train_cards(2, 1).back().accuracy,
                       four = train_cards(4, 1).back().accuracy;
    EXPECT_LT((one.a + one.b) / 2, 0.8) << one.a << " " << one.b;
    EXPECT_GT(std::min(two.a, two.b), 0.97) << two.a << " " << two.b;
    EXPECT_GT(std::min(four.a, four.b), 0.97) << four.a << " " << four.b;
}

}  // namespace
}  // namespace headlight::why_heads_test
