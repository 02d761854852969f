#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/prediction.h"
#include "gradient/backward.h"
#include "state/state.h"
#include "tasks/studies.h"

// The gradients ∂y/∂ of everything that Walk shows, computed in a background task.
namespace headlight {

struct GradientQuestion {
    std::shared_ptr<const Trace> trace;
    Counterfactual change;               // that `trace` was computed with
    GradientOf of = GradientOf::answer;  // what y is
    std::optional<Index> of_class{};     // for GradientOf::answer
    std::shared_ptr<const Trace>
        other;  // for GradientOf::baseline: whose output y is compared with

    friend bool operator==(const GradientQuestion&, const GradientQuestion&) = default;
};

// One sentence: why Walk's choices name no gradient of this trace; empty if they name one.
std::string why_no_gradient(const Look& look, const Recipe& recipe, const Trace& trace,
                            bool has_baseline);
// The question that Walk's choices ask, if there is a gradient. `top`: the predicted classes.
GradientQuestion gradient_question(const Look& look, const Recipe& recipe,
                                   std::shared_ptr<const Trace> trace,
                                   const std::vector<Prediction>& top,
                                   std::shared_ptr<const Trace> baseline);
GradientTarget target_of(const GradientQuestion& question);

struct GradientStudy {
    Trace gradients;  // gradients instead of the trace's tensors; empty where there are none
    double y = 0;
    SharedResult pixels{};  // [height, width] of the framed picture: Σ over channels |∂y/∂pixel|
};
using GradientFinder = Study<GradientQuestion, GradientStudy>;
extern const GradientFinder kGradient;

}  // namespace headlight
