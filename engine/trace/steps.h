#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/tensors.h"

namespace headlight {

// The steps of the walk in the order in which they are computed. Which of them a
// model has, and for which layer, says Trace::steps.
enum class Step {
    image,
    patches,
    embed,
    prefix,
    position,
    pre_norm,

    norm1,
    qkv,
    heads,
    qk_norm,
    products,
    scale,
    softmax,
    mix,
    concat,
    project,
    ls1,
    skip,
    norm2,
    mlp_in,
    activation,
    mlp_out,
    ls2,
    residual2,

    norm,
    pool,
    pooled_norm,
    pooler,
    pooler_tanh,
    head,
    point,
};
inline constexpr int kStepCount = static_cast<int>(Step::point) + 1;

// Where in the model a step belongs.
enum class StepPlace { front, layer, end };
constexpr StepPlace place_of(Step step) {
    if (step < Step::norm1) return StepPlace::front;
    return step < Step::norm ? StepPlace::layer : StepPlace::end;
}

// How a step makes its result: each kind has one stage and one arithmetic.
enum class StepKind {
    source,   // the image itself
    gather,   // pixels listed in another order
    stack,    // rows of the left operand, then those of the right one
    sum,      // left + right
    product,  // rows of the left operand times columns of the right one
    cut,      // columns of a matrix taken out, or put side by side again
    scale,    // every cell times one number
    softmax,  // exp, row sum, divide
    norm,     // less the row's mean, by its deviation, times γ, plus β
    map,      // a function of one cell, or of two
    stretch,  // every column times a number of its own
    pool,     // one row taken out of many, or their mean
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

// What a product's step adds to the sum, where the model has it; nothing for other steps, and for
// products that never have a bias.
std::optional<Tensor> bias_of(Step step);

const std::array<StepInfo, kStepCount>& all_steps();

}  // namespace headlight
