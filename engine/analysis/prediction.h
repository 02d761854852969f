#pragma once

#include <vector>

#include "analysis/error.h"
#include "kernels/matrix.h"

// What a classifier's head says.
namespace headlight {

struct Prediction {
    Index index = 0;  // of the class
    float logit = 0;
    double probability = 0;

    friend bool operator==(const Prediction&, const Prediction&) = default;
};

// softmax of logits [1, classes], in double: exp(l − max) / Σ exp(l − max). Where a logit is NaN or
// +inf, or all are −inf, there is no distribution: all NaN. Throws AnalysisError for several rows.
std::vector<double> class_probabilities(const MatrixView& logits);

// The `count` classes with the greatest logits, greatest first, or all if there are fewer; of equal
// logits the lower index comes first, NaN last. Throws as class_probabilities does.
std::vector<Prediction> top_predictions(const MatrixView& logits, Index count);

}  // namespace headlight
