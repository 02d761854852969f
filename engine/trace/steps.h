#pragma once

#include <array>
#include <string_view>

namespace headlight {

// The names of all steps that a walk may have. The program (trace/node.h) decides which steps a
// walk has and computes them in its own order. The order here only decides where to continue when a
// new walk lacks the current step.
enum class Step {
    image,
    patches,
    given,
    curve,
    windows,
    embed,
    prefix,
    position,
    queries,
    pre_norm,

    merge_gather,
    merge_norm,
    merge,
    norm1,
    qkv,
    key_value,
    qkv_activation,
    heads,
    qk_norm,
    rotary,
    score_query,
    score_key,
    products,
    scale,
    relative_bias,
    mask,
    softmax,
    attention_dropout,
    turn,
    mix,
    concat,
    concat_norm,
    project,
    project_activation,
    output_dropout,
    ls1,
    value_skip,
    skip,
    norm2,
    mlp_in,
    activation,
    mlp_norm,
    mlp_out,
    ls2,
    residual2,

    norm,
    pool_probe,
    pool_query,
    pool_key_value,
    pool_heads,
    pool_products,
    pool_scale,
    pool_softmax,
    pool_mix,
    pool_concat,
    pool_project,
    pool_norm,
    pool_mlp_in,
    pool_activation,
    pool_mlp_out,
    pool,
    pooled_norm,
    pooler,
    pooler_tanh,
    classify,
    objects,
    twin_query,
    twin_key,
    point,
};
inline constexpr int kStepCount = static_cast<int>(Step::point) + 1;

struct StepInfo {
    Step id;
    std::string_view name;  // stable: scripts, sessions, names of widgets
};
const StepInfo& info(Step step);
const std::array<StepInfo, kStepCount>& all_steps();

}  // namespace headlight
