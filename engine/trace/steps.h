#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "trace/tensors.h"

namespace headlight {

// The steps of the walk in the order in which they are computed.
enum class Step {
    image,
    patches,
    position,
    qkv,
    heads,
    products,
    scale,
    softmax,
    mix,
    concat,
    project,
    skip,
};
inline constexpr int kStepCount = static_cast<int>(Step::skip) + 1;

// How a step makes its result: each kind has one stage and one arithmetic.
enum class StepKind {
    source,   // the image itself
    gather,   // pixels listed in another order
    sum,      // left + right
    product,  // rows of the left operand times columns of the right one
    cut,      // columns of a matrix taken out, or put side by side again
    scale,    // every cell times one number
    softmax,  // exp, row sum, divide
};

// One row of the table. Equations are in the small notation of ui/equation.h: _{} below, ^{} above,
// and a tensor's symbol in braces with its name: {query:Q}.
struct StepInfo {
    Step id;
    std::string_view name;    // stable: scripts and sessions
    std::string_view title;   // in the ribbon
    std::string_view symbol;  // of the result
    std::string_view equation;
    StepKind kind;
    std::vector<Tensor> operands;
    Tensor result;
    std::string_view pytorch;  // the line that does the same
    std::string_view meaning;  // two plain sentences: what and why
};

const StepInfo& info(Step step);
const std::array<StepInfo, kStepCount>& all_steps();

}  // namespace headlight
