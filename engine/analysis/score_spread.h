#pragma once

#include <cstdint>
#include <vector>

#include "kernels/matrix.h"
#include "kernels/stop.h"

// Why scores are divided by the root of head_dim: what becomes of softmax as heads grow wider.
// "Attention Is All You Need" (arXiv 1706.03762), footnote 4: of components that are independent
// with mean 0 and variance 1, the product of d of them has mean 0 and variance d.
namespace headlight {

// Of the scores S = scale · Q Kᵀ and A = softmax(S), row by row.
struct ScoreSpread {
    double deviation = 0;  // of all scores, about their mean: population standard deviation
    double largest = 0;    // a row's largest weight, mean over the rows; in (0, 1]
    // How far the weights of a row follow its scores: the Frobenius norm of ∂A_i/∂S_i, which is
    // diag(a) − a aᵀ; mean over the rows. 0 where one key has all: then no gradient passes.
    double gradient = 0;
};

// queries [N, d], keys [M, d], N and M at least 1; in double. `scale` finite.
ScoreSpread spread_of_scores(const MatrixView& queries, const MatrixView& keys, double scale);

struct WidthSpread {
    int head_dim = 0;
    ScoreSpread plain;   // scale 1
    ScoreSpread scaled;  // scale 1/√head_dim
};
// For head_dim 2, 4, … 1024: as many queries as keys, `tokens` of them, at least 1, whose
// components are drawn from the normal distribution with mean 0 and deviation 1. The same numbers
// for the same seed on every machine, up to rounding. Throws Stopped.
std::vector<WidthSpread> spreads_by_width(Index tokens, std::uint64_t seed,
                                          const StopFlag& stop = {});

inline constexpr int kWidestSpread = 1024;

}  // namespace headlight
