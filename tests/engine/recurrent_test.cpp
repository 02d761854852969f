#include "analysis/recurrent.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "golden.h"

// Compared with torch.nn.RNN, torch.nn.LSTM and autograd: tests/golden/make_recurrent.py.
namespace headlight::recurrent_test {
namespace {

const TensorMap& file() {
    static const TensorMap read = golden::read("recurrent.safetensors");
    return read;
}

Matrix read(const std::string& name) { return golden::stacked(file().at(name)); }

RecurrentWeights weights(const std::string& network) {
    const Matrix bias = read(network + ".bias");
    return {read(network + ".input"), read(network + ".hidden"),
            std::vector<double>(bias.data(), bias.data() + bias.size())};
}

void expect_memory(const SequenceMemory& found, const Matrix& states, const Matrix& gradient) {
    ASSERT_EQ(found.states.rows(), states.rows());
    ASSERT_EQ(found.states.cols(), states.cols());
    EXPECT_LT((found.states - states).cwiseAbs().maxCoeff(), 1e-6);
    ASSERT_EQ(std::ssize(found.gradient), gradient.size());
    for (Index t = 0; t < gradient.size(); ++t) {
        const double expected = gradient.data()[t];
        EXPECT_NEAR(found.gradient[static_cast<std::size_t>(t)], expected, 1e-5 * expected)
            << "token " << t;
    }
}

TEST(Recurrent, states_and_gradients_are_those_of_pytorch) {
    const Matrix tokens = read("tokens");
    expect_memory(memory_of_rnn(tokens, weights("rnn")), read("rnn.states"), read("rnn.gradient"));
    expect_memory(memory_of_lstm(tokens, weights("lstm")), read("lstm.states"),
                  read("lstm.gradient"));
    expect_memory(memory_of_attention(tokens), read("attention.weights"),
                  read("attention.gradient"));
}

// The point of the experiment: a small gain forgets the first token, and attention does not.
TEST(Recurrent, forgets_the_first_token_with_a_small_gain_and_attention_does_not) {
    const Index count = 60, width = 4;
    Matrix tokens(count, width);
    for (Index i = 0; i < tokens.size(); ++i)
        tokens.data()[i] = static_cast<float>(std::sin(1.7 * static_cast<double>(i) + 1));
    const auto of_rnn = [&](double gain) {
        return memory_of_rnn(tokens, draw_rnn(width, 16, gain, 1)).gradient;
    };
    const auto lstm = memory_of_lstm(tokens, draw_lstm(width, 16, 3, 1)).gradient;
    const auto attention = memory_of_attention(tokens).gradient;
    EXPECT_LT(of_rnn(0.5).front(), 1e-15 * of_rnn(0.5).back());
    EXPECT_LT(of_rnn(0.9).front(), 1e-3 * of_rnn(0.9).back());
    EXPECT_GT(lstm.front(), 1e3 * of_rnn(0.9).front());
    EXPECT_GT(attention.front(), 1e-3 * attention.back());
}

TEST(Recurrent, draws_rotations_times_the_gain) {
    const RecurrentWeights weights = draw_rnn(3, 8, 0.7, 5);
    const Matrix product = weights.hidden.transpose() * weights.hidden;
    EXPECT_LT((product - 0.49F * Matrix::Identity(8, 8)).cwiseAbs().maxCoeff(), 1e-6);
}

}  // namespace
}  // namespace headlight::recurrent_test
