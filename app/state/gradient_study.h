#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gradient/backward.h"
#include "state/state.h"
#include "tasks/studies.h"

// ∂y/∂ of all that the walk shows, computed beside the interface.
namespace headlight {

struct GradientQuestion {
    std::shared_ptr<const Trace> trace;
    Counterfactual change;               // that it was made under
    GradientOf of = GradientOf::answer;  // what y is
    std::optional<Index> of_class{};     // of GradientOf::answer
    std::shared_ptr<const Trace> other;  // of GradientOf::baseline: whose output y compares with

    friend bool operator==(const GradientQuestion&, const GradientQuestion&) = default;
};

struct GradientStudy {
    Trace gradients;  // in the places of the trace's tensors; nothing where there are none
    double y = 0;
    SharedResult pixels{};  // [height, width] of the framed picture: Σ over channels |∂y/∂pixel|
};
using GradientFinder = Study<GradientQuestion, GradientStudy>;
extern const GradientFinder kGradient;

}  // namespace headlight
