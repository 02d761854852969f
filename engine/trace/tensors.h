#pragma once

#include <array>
#include <string_view>

// The names of everything that a trace holds. Ribbon, stage, inspector, command line and tests read
// this table and the one in steps.h, so a matrix is called the same wherever it shows up.
namespace headlight {

enum class Tensor {
    pixels,             // the framed image, channel planes side by side [H, W·channels]
    patches,            // [P, D]
    positions,          // [N, D]
    tokens,             // [N, D] what enters the layer
    qkv_weight,         // [3C, D]
    qkv_bias,           // [1, 3C]
    qkv,                // [N, 3C]
    query,              // per head [N, head_dim]
    key,                // per head [M, head_dim]
    value,              // per head [M, head_dim]
    products,           // per head [N, M] Q·Kᵀ before the scale
    scores,             // per head [N, M] scaled and masked
    attention,          // per head [N, M]
    head_output,        // per head [N, head_dim] A·V
    concat,             // [N, C]
    projection_weight,  // [C, C]
    projection_bias,    // [1, C]
    projection,         // [N, C]
    skip,               // [N, C] what the skip adds: V of all heads, or X
    output,             // [N, C]
};
inline constexpr int kTensorCount = static_cast<int>(Tensor::output) + 1;

// Who a matrix belongs to; each role has one colour in every view.
enum class Role { token, query, key, value, attention, weight };

// What a row or a column of a matrix counts.
enum class Axis {
    token,
    key_token,
    pixel_row,
    pixel,
    feature,
    channel,
    qkv_channel,
    head_channel,
    one
};

struct TensorInfo {
    Tensor id;
    std::string_view name;    // stable, in words: widget names, scripts, sessions
    std::string_view symbol;  // as in the equations: "Q", "S", "A"
    std::string_view title;   // as in a heading
    Role role;
    Axis rows, cols;
    bool per_head;
    bool from_zero;              // never negative by construction: coloured sequentially from zero
    std::string_view file_name;  // in `headlight trace`, with "L" for the layer; empty: not written
};

const TensorInfo& info(Tensor tensor);
const std::array<TensorInfo, kTensorCount>& all_tensors();

// In words, for an edge of a matrix: "tokens", "head_dim", ...
std::string_view axis_name(Axis axis);

}  // namespace headlight
