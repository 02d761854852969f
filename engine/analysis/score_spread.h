#pragma once

#include <cstdint>
#include <vector>

#include "kernels/matrix.h"
#include "kernels/stop.h"

// Why scores are divided by √head_dim: what happens to softmax as heads grow wider. "Attention Is
// All You Need" (arXiv 1706.03762), footnote 4: for independent components with mean 0 and variance
// 1, the dot product of d of them has mean 0 and variance d.
namespace headlight {

// Statistics of the scores S = scale · Q Kᵀ and of A = softmax(S), row by row.
struct ScoreSpread {
    double deviation = 0;  // population standard deviation of all scores
    double largest = 0;    // largest weight of a row, mean over the rows; in (0, 1]
    // How strongly the weights of a row react to its scores: the Frobenius norm of ∂A_i/∂S_i =
    // diag(a) − a aᵀ, mean over the rows. 0 if one key has all the weight: softmax saturates and
    // passes no gradient.
    double gradient = 0;
};

// queries [N, d], keys [M, d], N and M at least 1; computed in double. `scale` must be finite.
ScoreSpread spread_of_scores(const MatrixView& queries, const MatrixView& keys, double scale);

struct WidthSpread {
    int head_dim = 0;
    ScoreSpread plain;   // scale 1
    ScoreSpread scaled;  // scale 1/√head_dim
};
// For head_dim 2, 4, … 1024: `tokens` queries and as many keys (at least 1), with standard normal
// components. The same numbers for the same seed on every machine, up to rounding error. Throws
// Stopped.
std::vector<WidthSpread> spreads_by_width(Index tokens, std::uint64_t seed,
                                          const StopFlag& stop = {});

inline constexpr int kWidestSpread = 1024;

}  // namespace headlight
