#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/matrix.h"

// What a recurrent network remembers of a sequence, compared with attention: how much one output
// depends on each earlier token. Computed in double.
namespace headlight {

// h_t = tanh(W x_t + U h_{t−1} + b), as torch.nn.RNN; h_0 = 0. All empty: no network.
struct RecurrentWeights {
    Matrix input, hidden;      // W [H, D], U [H, H]
    std::vector<double> bias;  // [H]
};
// As torch.nn.LSTM, with the gates i, f, g, o stacked by row: [4H, D], [4H, H] and [4H].
//   c_t = σ(f) c_{t−1} + σ(i) tanh(g),   h_t = σ(o) tanh(c_t)
using LstmWeights = RecurrentWeights;

// Weights drawn from a seed. U is an orthogonal matrix times `gain`, so each step multiplies the
// state by `gain` before tanh. In the LSTM, each gate's U is an orthogonal matrix times 0.5. The
// bias of the forget gate is `forget_bias`; all others are 0.
RecurrentWeights draw_rnn(Index width, Index hidden, double gain, std::uint64_t seed);
LstmWeights draw_lstm(Index width, Index hidden, double forget_bias, std::uint64_t seed);

// Here y is the sum of the last state h_N, or of attention's output for the last token.
struct SequenceMemory {
    Matrix states;                 // [N, H] h_t; for attention [1, N], the last token's weights
    std::vector<double> gradient;  // [N] ‖∂y/∂x_t‖: how much y depends on token t
};
// tokens [N, D], N at least 1.
SequenceMemory memory_of_rnn(const MatrixView& tokens, const RecurrentWeights& weights);
SequenceMemory memory_of_lstm(const MatrixView& tokens, const LstmWeights& weights);
// softmax(x_N Xᵀ / √D) X: attention of the last token, without projections.
SequenceMemory memory_of_attention(const MatrixView& tokens);

}  // namespace headlight
