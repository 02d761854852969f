#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/matrix.h"

// What a recurrent network remembers of a sequence, next to attention on the same sequence: how far
// one output depends on each earlier token. Computed in double.
namespace headlight {

// h_t = tanh(W x_t + U h_{t−1} + b), as torch.nn.RNN; h_0 = 0. All empty for no network.
struct RecurrentWeights {
    Matrix input, hidden;      // W [H, D], U [H, H]
    std::vector<double> bias;  // [H]
};
// As torch.nn.LSTM: the gates i, f, g, o one below the other, [4H, D], [4H, H] and [4H].
//   c_t = σ(f) c_{t−1} + σ(i) tanh(g),   h_t = σ(o) tanh(c_t)
using LstmWeights = RecurrentWeights;

// Drawn from a seed. U is an orthogonal matrix times `gain`, so that each step multiplies what it
// remembers by `gain`, before tanh. Of the LSTM each gate's U is such a matrix times 0.5, and the
// bias of its forget gate is `forget_bias`, all others 0.
RecurrentWeights draw_rnn(Index width, Index hidden, double gain, std::uint64_t seed);
LstmWeights draw_lstm(Index width, Index hidden, double forget_bias, std::uint64_t seed);

// y is the sum of the last state h_N, or of the last token's output of attention.
struct SequenceMemory {
    Matrix states;                 // [N, H] h_t; of attention [1, N] the last token's weights
    std::vector<double> gradient;  // [N] ‖∂y/∂x_t‖: how much y depends on token t
};
// tokens [N, D], N at least 1.
SequenceMemory memory_of_rnn(const MatrixView& tokens, const RecurrentWeights& weights);
SequenceMemory memory_of_lstm(const MatrixView& tokens, const LstmWeights& weights);
// softmax(x_N Xᵀ / √D) X: attention without weights, of the last token.
SequenceMemory memory_of_attention(const MatrixView& tokens);

}  // namespace headlight
