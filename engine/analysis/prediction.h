#pragma once

#include <vector>

#include "analysis/error.h"
#include "kernels/matrix.h"

// The output of a classifier.
namespace headlight {

struct Prediction {
    Index index = 0;  // of the class
    float logit = 0;
    double probability = 0;

    friend bool operator==(const Prediction&, const Prediction&) = default;
};

// softmax of logits [1, classes], in double: exp(l − max) / Σ exp(l − max). All NaN if a logit is
// NaN or +inf, or if all are −inf. Throws AnalysisError if there are several rows.
std::vector<double> class_probabilities(const MatrixView& logits);

// The `count` classes with the largest logits, in descending order, or all if there are fewer. Ties
// go to the lower index, NaN comes last. Throws as class_probabilities does.
std::vector<Prediction> top_predictions(const MatrixView& logits, Index count);

}  // namespace headlight
