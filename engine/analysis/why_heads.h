#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/matrix.h"
#include "kernels/stop.h"

// Why several heads: one attention layer of fixed width, with 1, 2 or 4 heads, learns to attend to
// two tokens at once. Everything is computed in double.
//
// There are seven tokens: a query and six cards. Each card shows one of four symbols; one card is
// marked A, another B. Keys are computed from the marks, values from the symbols. The query's
// output must name the symbols of A and of B. A single head computes one weighted sum, in which the
// two symbols are no longer separate; two heads compute two.
namespace headlight {

inline constexpr int kCards = 6, kCardSymbols = 4;
inline constexpr Index kCardTokens = kCards + 1;
inline constexpr Index kCardFeatures = 1 + kCardSymbols + 2;  // query flag, symbols, marks A and B
inline constexpr Index kCardWidth = 16;                       // of all heads together

struct CardSample {
    std::array<int, kCards> symbols{};
    int a = 0, b = 0;  // the marked cards, from 0

    friend bool operator==(const CardSample&, const CardSample&) = default;
};
std::vector<CardSample> card_samples(int count, std::uint64_t seed);

// W_Q, W_K and W_V, [16, 7] each, W_O [8, 16] and b [8], concatenated row by row. The first four
// outputs are the logits of A's symbol, the others those of B's.
using CardWeights = std::vector<double>;

// The mean over the samples of the sum of both cross-entropies, in nats, and its gradient if
// requested. `heads` must divide 16.
double card_loss(const CardWeights& weights, int heads, const std::vector<CardSample>& samples,
                 CardWeights* gradient = nullptr);

// The query's attention weights in one sample: [heads, 7].
Matrix card_attention(const CardWeights& weights, int heads, const CardSample& sample);
struct CardAccuracy {
    double a = 0, b = 0;  // fraction of the samples whose symbol is named correctly
};

// The weights after `steps` steps of Adam (arXiv 1412.6980) with β 0.9 and 0.999 and rate
// kCardRate.
inline constexpr double kCardRate = 0.03;
CardWeights train_card_weights(CardWeights weights, int heads,
                               const std::vector<CardSample>& samples, int steps);

struct CardCheckpoint {
    int step = 0;
    double loss = 0;        // on the training samples
    CardAccuracy accuracy;  // on samples that were not trained on
    CardWeights weights;
};
inline constexpr int kCardSteps = 300, kCardsEvery = 10;
// Trains on 128 samples, with a checkpoint every kCardsEvery steps, the first before training.
// Throws Stopped.
std::vector<CardCheckpoint> train_cards(int heads, std::uint64_t seed, int steps = kCardSteps,
                                        const StopFlag& stop = {});

}  // namespace headlight
