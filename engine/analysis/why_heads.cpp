#include "analysis/why_heads.h"

#include <algorithm>
#include <cmath>

#include "kernels/random.h"

namespace headlight {

namespace {

using CardMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using CardConstMap = Eigen::Map<const CardMatrix>;
using CardMap = Eigen::Map<CardMatrix>;

constexpr Index kProjection = kCardWidth * kCardFeatures, kAnswers = 2 * kCardSymbols;
constexpr Index kOutAt = 3 * kProjection, kBiasAt = kOutAt + kAnswers * kCardWidth;
constexpr Index kAllCardWeights = kBiasAt + kAnswers;
constexpr int kTrained = 128, kTested = 256;

// Views of the parts of the weights, or of a gradient.
template <class Part, class Number>
struct CardParts {
    Part q, k, v, out, bias;
    explicit CardParts(Number* all)
        : q(all, kCardWidth, kCardFeatures),
          k(all + kProjection, kCardWidth, kCardFeatures),
          v(all + 2 * kProjection, kCardWidth, kCardFeatures),
          out(all + kOutAt, kAnswers, kCardWidth),
          bias(all + kBiasAt, kAnswers, 1) {}
};
using CardConstParts = CardParts<CardConstMap, const double>;
using CardMapParts = CardParts<CardMap, double>;

// The query is token 0.
CardMatrix tokens_of(const CardSample& sample) {
    CardMatrix x = CardMatrix::Zero(kCardTokens, kCardFeatures);
    x(0, 0) = 1;
    for (int card = 0; card < kCards; ++card)
        x(card + 1, 1 + sample.symbols[static_cast<std::size_t>(card)]) = 1;
    x(sample.a + 1, 1 + kCardSymbols) = 1;
    x(sample.b + 1, 2 + kCardSymbols) = 1;
    return x;
}

std::array<int, 2> answers_of(const CardSample& sample) {
    return {sample.symbols[static_cast<std::size_t>(sample.a)],
            sample.symbols[static_cast<std::size_t>(sample.b)]};
}

void softmax_of(Eigen::Ref<Eigen::RowVectorXd> row) {
    row = (row.array() - row.maxCoeff()).exp().matrix().eval();
    row /= row.sum();
}

// The intermediate results of one sample.
struct CardPass {
    CardMatrix marks, symbols, keys, values;  // [7, ·]
    Eigen::RowVectorXd query, joined, logits;
    CardMatrix attention;  // [heads, 7]
};

CardPass pass_of(const CardConstParts& w, int heads, const CardSample& sample) {
    const Index size = kCardWidth / heads;
    CardPass pass;
    pass.marks = tokens_of(sample);
    pass.symbols = CardMatrix::Zero(kCardTokens, kCardFeatures);
    // Keys see everything except the symbols, values see only the symbols.
    pass.symbols.middleCols(1, kCardSymbols).swap(pass.marks.middleCols(1, kCardSymbols));
    pass.query = pass.marks.row(0) * w.q.transpose();
    pass.keys = pass.marks * w.k.transpose();
    pass.values = pass.symbols * w.v.transpose();
    pass.attention = CardMatrix(heads, kCardTokens);
    pass.joined = Eigen::RowVectorXd(kCardWidth);
    for (Index h = 0; h < heads; ++h) {
        Eigen::RowVectorXd row = pass.query.segment(h * size, size) *
                                 pass.keys.middleCols(h * size, size).transpose() /
                                 std::sqrt(static_cast<double>(size));
        softmax_of(row);
        pass.attention.row(h) = row;
        pass.joined.segment(h * size, size) = row * pass.values.middleCols(h * size, size);
    }
    pass.logits = pass.joined * w.out.transpose() + w.bias.transpose();
    return pass;
}

// Adds the contribution of the logits' gradient to the gradient of each weight.
void pull_back(const CardConstParts& w, int heads, const CardPass& pass,
               const Eigen::RowVectorXd& of_logits, CardMapParts& gradient) {
    const Index size = kCardWidth / heads;
    const double scale = 1 / std::sqrt(static_cast<double>(size));
    gradient.out += of_logits.transpose() * pass.joined;
    gradient.bias += of_logits.transpose();
    const Eigen::RowVectorXd of_joined = of_logits * w.out;
    Eigen::RowVectorXd of_query(kCardWidth);
    CardMatrix of_keys(kCardTokens, kCardWidth), of_values(kCardTokens, kCardWidth);
    for (Index h = 0; h < heads; ++h) {
        const Eigen::RowVectorXd weights = pass.attention.row(h),
                                 out = of_joined.segment(h * size, size);
        const Eigen::RowVectorXd of_weights =
            out * pass.values.middleCols(h * size, size).transpose();
        const Eigen::RowVectorXd of_scores =
            scale * (weights.array() * (of_weights.array() - weights.dot(of_weights))).matrix();
        of_values.middleCols(h * size, size) = weights.transpose() * out;
        of_query.segment(h * size, size) = of_scores * pass.keys.middleCols(h * size, size);
        of_keys.middleCols(h * size, size) =
            of_scores.transpose() * pass.query.segment(h * size, size);
    }
    gradient.q += of_query.transpose() * pass.marks.row(0);
    gradient.k += of_keys.transpose() * pass.marks;
    gradient.v += of_values.transpose() * pass.symbols;
}

// The symbol with the largest logit, for A or for B.
int named(const Eigen::RowVectorXd& logits, int which) {
    Index best = 0;
    logits.segment(which * kCardSymbols, kCardSymbols).maxCoeff(&best);
    return static_cast<int>(best);
}

// Adam's moving averages of the gradient and of its square.
struct Adam {
    std::vector<double> mean, square;
    int step = 0;

    void take(CardWeights& weights, const CardWeights& gradient) {
        mean.resize(weights.size());
        square.resize(weights.size());
        ++step;
        const double of_mean = 1 - std::pow(0.9, step), of_square = 1 - std::pow(0.999, step);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            mean[i] = 0.9 * mean[i] + 0.1 * gradient[i];
            square[i] = 0.999 * square[i] + 0.001 * gradient[i] * gradient[i];
            weights[i] -=
                kCardRate * (mean[i] / of_mean) / (std::sqrt(square[i] / of_square) + 1e-8);
        }
    }
};

// Normal, by 1/√inputs.
CardWeights draw_card_weights(std::uint64_t seed) {
    SplitMix random(seed);
    CardWeights weights(static_cast<std::size_t>(kAllCardWeights), 0);
    for (Index i = 0; i < kBiasAt; ++i) {
        const auto inputs = static_cast<double>(i < kOutAt ? kCardFeatures : kCardWidth);
        weights[static_cast<std::size_t>(i)] = random.normal() / std::sqrt(inputs);
    }
    return weights;
}

CardAccuracy card_accuracy(const CardWeights& weights, int heads,
                           const std::vector<CardSample>& samples) {
    const CardConstParts w(weights.data());
    CardAccuracy accuracy;
    for (const CardSample& sample : samples) {
        const CardPass pass = pass_of(w, heads, sample);
        const auto [a, b] = answers_of(sample);
        accuracy.a += named(pass.logits, 0) == a ? 1 : 0;
        accuracy.b += named(pass.logits, 1) == b ? 1 : 0;
    }
    const auto count = static_cast<double>(samples.size());
    return {accuracy.a / count, accuracy.b / count};
}

}  // namespace

std::vector<CardSample> card_samples(int count, std::uint64_t seed) {
    SplitMix random(seed);
    std::vector<CardSample> samples(static_cast<std::size_t>(count));
    for (CardSample& sample : samples) {
        for (int& symbol : sample.symbols) symbol = random.below(kCardSymbols);
        sample.a = random.below(kCards);
        sample.b = (sample.a + 1 + random.below(kCards - 1)) % kCards;
    }
    return samples;
}

double card_loss(const CardWeights& weights, int heads, const std::vector<CardSample>& samples,
                 CardWeights* gradient) {
    const CardConstParts w(weights.data());
    if (gradient != nullptr) gradient->assign(weights.size(), 0);
    const auto count = static_cast<double>(samples.size());
    double loss = 0;
    for (const CardSample& sample : samples) {
        const CardPass pass = pass_of(w, heads, sample);
        Eigen::RowVectorXd of_logits = pass.logits;
        for (const int which : {0, 1}) {
            const Index first = which * kCardSymbols;
            softmax_of(of_logits.segment(first, kCardSymbols));
            const Index right = first + answers_of(sample)[static_cast<std::size_t>(which)];
            loss -= std::log(std::max(of_logits(right), 1e-300)) / count;
            of_logits(right) -= 1;
        }
        if (gradient == nullptr) continue;
        CardMapParts spans(gradient->data());
        pull_back(w, heads, pass, of_logits / count, spans);
    }
    return loss;
}

Matrix card_attention(const CardWeights& weights, int heads, const CardSample& sample) {
    return pass_of(CardConstParts(weights.data()), heads, sample).attention.cast<float>();
}

CardWeights train_card_weights(CardWeights weights, int heads,
                               const std::vector<CardSample>& samples, int steps) {
    CardWeights gradient;
    Adam adam;
    for (int step = 0; step < steps; ++step) {
        card_loss(weights, heads, samples, &gradient);
        adam.take(weights, gradient);
    }
    return weights;
}

std::vector<CardCheckpoint> train_cards(int heads, std::uint64_t seed, int steps,
                                        const StopFlag& stop) {
    const std::vector<CardSample> trained = card_samples(kTrained, seed),
                                  tested = card_samples(kTested, seed + 1);
    CardWeights weights = draw_card_weights(seed), gradient;
    Adam adam;
    std::vector<CardCheckpoint> all;
    for (int step = 0;; ++step) {
        throw_if_stopped(stop);
        const double loss = card_loss(weights, heads, trained, &gradient);
        if (step % kCardsEvery == 0)
            all.push_back({step, loss, card_accuracy(weights, heads, tested), weights});
        if (step == steps) return all;
        adam.take(weights, gradient);
    }
}

}  // namespace headlight
