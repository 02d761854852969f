#include "analysis/prediction.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace headlight {

namespace {

void check_one_row(const MatrixView& logits) {
    if (logits.rows > 1)
        throw AnalysisError("Expected one row of logits, found " + std::to_string(logits.rows) +
                            ".");
}

}  // namespace

std::vector<double> class_probabilities(const MatrixView& logits) {
    check_one_row(logits);
    if (logits.empty()) return {};
    const float* row = logits.row(0);
    std::vector<double> shares(row, row + logits.cols);
    double top = -std::numeric_limits<double>::infinity();
    for (const double logit : shares) top = std::fmax(top, logit);
    double sum = 0;
    // A NaN makes the sum NaN. So do infinities, because their difference is NaN.
    for (double& share : shares) sum += share = std::exp(share - top);
    for (double& share : shares) share /= sum;
    return shares;
}

std::vector<Prediction> top_predictions(const MatrixView& logits, Index count) {
    const std::vector<double> probabilities = class_probabilities(logits);
    std::vector<Prediction> all;
    all.reserve(probabilities.size());
    for (Index i = 0; i < static_cast<Index>(probabilities.size()); ++i)
        all.push_back({i, logits(0, i), probabilities[static_cast<std::size_t>(i)]});
    const auto comes_before = [](const Prediction& a, const Prediction& b) {
        if (std::isnan(a.logit) != std::isnan(b.logit)) return std::isnan(b.logit);
        if (a.logit > b.logit || a.logit < b.logit) return a.logit > b.logit;
        return a.index < b.index;
    };
    const Index kept = std::clamp(count, Index{0}, static_cast<Index>(all.size()));
    std::partial_sort(all.begin(), all.begin() + kept, all.end(), comes_before);
    all.resize(static_cast<std::size_t>(kept));
    return all;
}

}  // namespace headlight
