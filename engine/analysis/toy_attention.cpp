#include "analysis/toy_attention.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace headlight {

namespace {

using ToyMatrix = Eigen::MatrixXd;
using Map2 = Eigen::Matrix<double, 2, 2, Eigen::RowMajor>;

Map2 query_map(const ToyWeights& weights) { return Eigen::Map<const Map2>(weights.data()); }
Map2 key_map(const ToyWeights& weights) { return Eigen::Map<const Map2>(weights.data() + 4); }

}  // namespace

std::string to_text(const ToyWeights& weights) {
    std::ostringstream text;
    for (std::size_t i = 0; i < weights.size(); ++i) text << (i > 0 ? " " : "") << weights[i];
    return text.str();
}

ToyWeights toy_weights_from(const std::string& text) {
    std::istringstream words(text);
    ToyWeights weights{};
    for (double& weight : weights)
        if (!(words >> weight) || !(std::abs(weight) <= kMostToyWeight))
            throw std::invalid_argument("eight numbers from -20 to 20");
    if (words >> std::ws; !words.eof()) throw std::invalid_argument("eight numbers from -20 to 20");
    return weights;
}

// Backward: ∂loss/∂S = (A − targets) / N, then through S = Q Kᵀ / √2, Q = X W_Qᵀ and K = X W_Kᵀ.
ToyPass toy_pass(const MatrixView& points, const ToyWeights& weights,
                 const std::vector<int>& targets) {
    const ToyMatrix x = points.eigen().leftCols(2).cast<double>();
    const ToyMatrix queries = x * query_map(weights).transpose(),
                    keys = x * key_map(weights).transpose();
    const double scale = 1 / std::sqrt(2.0);
    ToyMatrix attention = scale * queries * keys.transpose();
    for (Index i = 0; i < attention.rows(); ++i) {
        attention.row(i) = (attention.row(i).array() - attention.row(i).maxCoeff()).exp();
        attention.row(i) /= attention.row(i).sum();
    }
    ToyPass pass{queries.cast<float>(), keys.cast<float>(), attention.cast<float>(), 0, {}};
    const auto count = static_cast<double>(x.rows());
    ToyMatrix of_scores = attention / count;
    for (Index i = 0; i < x.rows(); ++i) {
        const Index target = targets[static_cast<std::size_t>(i)];
        pass.loss -= std::log(std::max(attention(i, target), 1e-300)) / count;
        of_scores(i, target) -= 1 / count;
    }
    const Map2 of_q = (scale * of_scores * keys).transpose() * x,
               of_k = (scale * of_scores.transpose() * queries).transpose() * x;
    std::copy_n(of_q.data(), 4, pass.gradient.begin());
    std::copy_n(of_k.data(), 4, pass.gradient.begin() + 4);
    return pass;
}

ToyTraining train_toy(const MatrixView& points, ToyWeights weights, const std::vector<int>& targets,
                      int steps) {
    ToyTraining training;
    for (int step = 0; step < steps; ++step) {
        const ToyPass pass = toy_pass(points, weights, targets);
        training.losses.push_back(pass.loss);
        for (std::size_t i = 0; i < weights.size(); ++i)
            weights[i] = std::clamp(weights[i] - kToyRate * pass.gradient[i], -kMostToyWeight,
                                    kMostToyWeight);
    }
    training.losses.push_back(toy_pass(points, weights, targets).loss);
    training.weights = weights;
    return training;
}

std::vector<int> next_targets(Index count) {
    std::vector<int> targets;
    for (Index i = 0; i < count; ++i) targets.push_back(static_cast<int>((i + 1) % count));
    return targets;
}

std::vector<int> targets_of(const std::vector<int>& chosen, Index count) {
    const bool fit = std::ssize(chosen) == count &&
                     std::ranges::all_of(chosen, [&](int target) { return target < count; });
    return fit ? chosen : next_targets(count);
}

std::string toy_targets_text(const std::vector<int>& targets) {
    if (targets.empty()) return "next";
    std::string text;
    for (const int target : targets) text += (text.empty() ? "" : " ") + std::to_string(target);
    return text;
}

std::vector<int> toy_targets_from(const std::string& text) {
    std::vector<int> targets;
    if (text == "next") return targets;
    constexpr const char* expected = "next, or 2 to 12 numbers from 0 to 11";
    std::istringstream words(text);
    for (int target = 0; words >> target;) {
        if (target < 0 || target > 11 || targets.size() == 12)
            throw std::invalid_argument(expected);
        targets.push_back(target);
    }
    if (!words.eof() || targets.size() < 2) throw std::invalid_argument(expected);
    return targets;
}

}  // namespace headlight
