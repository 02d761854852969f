#pragma once

#include <array>
#include <string>
#include <vector>

#include "kernels/matrix.h"

// Attention among a few points of the plane that learns its two weight matrices. It shows where W_Q
// and W_K come from.
//
//   q_i = W_Q x_i,  k_j = W_K x_j,  S = Q Kᵀ / √2,  A = softmax(S),
//   loss = −mean over i of log A[i, target_i]
//
// The targets say which point each point should attend to. Everything is computed in double.
namespace headlight {

// Both 2 × 2 matrices, row by row: [W_Q 00, 01, 10, 11, W_K 00, 01, 10, 11].
using ToyWeights = std::array<double, 8>;
inline constexpr ToyWeights kToyStart{0.3, 0.1, -0.1, 0.3, 0.3, -0.1, 0.1, 0.3};
inline constexpr double kMostToyWeight = 20;
inline constexpr int kMostToySteps = 1000;
inline constexpr double kToyRate = 0.5;  // learning rate: W ← W − rate · ∂loss/∂W

// "0.3 0.1 -0.1 …", eight numbers separated by spaces.
std::string to_text(const ToyWeights& weights);
// Throws std::invalid_argument unless there are eight numbers within ±kMostToyWeight.
ToyWeights toy_weights_from(const std::string& text);

struct ToyPass {
    Matrix queries, keys;  // [N, 2]
    Matrix attention;      // [N, N]
    double loss = 0;       // nats
    ToyWeights gradient{};
};
// points [N, 2]; targets: N indices of points.
ToyPass toy_pass(const MatrixView& points, const ToyWeights& weights,
                 const std::vector<int>& targets);

struct ToyTraining {
    ToyWeights weights{};
    std::vector<double> losses;  // before each step and after the last: steps + 1 values
};
// Plain gradient descent.
ToyTraining train_toy(const MatrixView& points, ToyWeights weights, const std::vector<int>& targets,
                      int steps);

// Each point's target is the next point; the last point's is the first.
std::vector<int> next_targets(Index count);
// `chosen`, or next_targets() if `chosen` is empty or does not fit `count` points.
std::vector<int> targets_of(const std::vector<int>& chosen, Index count);

// "next" for no targets, or "1 2 3 0". Parsing throws std::invalid_argument.
std::string toy_targets_text(const std::vector<int>& targets);
std::vector<int> toy_targets_from(const std::string& text);

}  // namespace headlight
