#include "analysis/toy_attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "golden.h"

// Compared with PyTorch's autograd and torch.optim.SGD: tests/golden/make_toy.py.
namespace headlight::toy_attention_test {
namespace {

Matrix read(const std::string& name) {
    static const TensorMap file = golden::read("toy.safetensors");
    return golden::stacked(file.at(name));
}

ToyWeights weights(const std::string& name) {
    const Matrix found = read(name);
    ToyWeights weights{};
    std::copy_n(found.data(), weights.size(), weights.begin());
    return weights;
}

TEST(ToyAttention, loss_and_gradient_are_those_of_autograd) {
    const Matrix points = read("points");
    const ToyPass pass = toy_pass(points, kToyStart, next_targets(4));
    EXPECT_LT((pass.attention - read("attention")).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_NEAR(pass.loss, read("loss")(0, 0), 1e-6);
    const ToyWeights expected = weights("gradient");
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(pass.gradient[i], expected[i], 1e-6) << i;
}

TEST(ToyAttention, learns_as_sgd_does) {
    const Matrix points = read("points"), losses = read("losses");
    const ToyTraining training = train_toy(points, kToyStart, next_targets(4), 200);
    ASSERT_EQ(std::ssize(training.losses), losses.size());
    for (Index step = 0; step < losses.size(); ++step)
        EXPECT_NEAR(training.losses[static_cast<std::size_t>(step)], losses.data()[step], 1e-5)
            << "step " << step;
    const ToyWeights expected = weights("trained");
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(training.weights[i], expected[i], 1e-4) << i;
    EXPECT_LT(training.losses.back(), 0.5 * training.losses.front());
}

TEST(ToyAttention, reads_its_weights_back_and_refuses_others) {
    EXPECT_EQ(toy_weights_from(to_text(kToyStart)), kToyStart);
    for (const char* bad :
         {"", "1 2 3", "1 2 3 4 5 6 7 x", "1 2 3 4 5 6 7 8 9", "1 2 3 4 5 6 7 21"})
        EXPECT_THROW(toy_weights_from(bad), std::invalid_argument) << bad;
}

TEST(ToyAttention, reads_its_targets_back_and_refuses_others) {
    EXPECT_EQ(toy_targets_text({}), "next");
    EXPECT_EQ(toy_targets_from("next"), std::vector<int>{});
    EXPECT_EQ(toy_targets_from("1 0 2"), (std::vector<int>{1, 0, 2}));
    for (const char* bad : {"", "1", "-1 0", "12 0", "a b", "0 1 x"})
        EXPECT_THROW(toy_targets_from(bad), std::invalid_argument) << bad;
    EXPECT_EQ(targets_of({1, 0}, 3), next_targets(3));
    EXPECT_EQ(targets_of({0, 2, 1}, 3), (std::vector<int>{0, 2, 1}));
}

}  // namespace
}  // namespace headlight::toy_attention_test
