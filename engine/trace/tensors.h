#pragma once

#include <array>
#include <string_view>

#include "kernels/names.h"

// The names of everything that a trace holds. Ribbon, stage, inspector, command line and tests read
// this table, so a matrix has the same name everywhere.
namespace headlight {

enum class Tensor {
    // From the image to the tokens.
    pixels,         // [H, W·channels] the preprocessed image, channel planes side by side
    split_input,    // [R, C] T2T: the tokens of the grid that is split again
    patches,        // [P, p·p·channels], or the windows of a soft split
    clean_curve,    // [1, L]
    curve,          // [1, L] with noise
    given,          // [N, D] tokens given instead of a picture, if positions are added to them
    patch_weight,   // [D, p·p·channels]
    patch_bias,     // [1, D]
    embedded,       // [P, D]
    prefix_tokens,  // [T, D] class, distillation, registers
    sequence,       // [N, D] prefix tokens, then the embedded patches
    positions,      // [N, D] position embedding; zero rows for tokens without one
    tokens,         // [N, D] with positions; what enters a bare layer
    pre_norm_rows,
    pre_norm_affine,  // as norm1_rows and norm1_affine
    pre_norm,         // [N, D]

    // Swin's patch merging, before the first layer of a stage.
    merge_input,     // [4N, C] output of the stage before
    merge_gathered,  // [N, 4C]
    merge_rows,
    merge_affine,
    merge_norm,    // [N, 4C]
    merge_weight,  // [2C, 4C]
    merge_bias,    // [1, 2C]

    // One layer. The shapes are for values and outputs of width C (see AttentionConfig).
    input,             // [N, D] X, the residual stream that enters the layer
    value_tokens,      // [M, D'] cross-attention: the tokens that keys and values are computed from
    norm1_rows,        // [N, 2] mean and standard deviation √(variance + eps) of each token
    norm1_affine,      // [2, D] γ and β
    norm1_running,     // [2, D] batch norm: running mean and standard deviation √(variance + eps)
    norm1,             // [N, D]
    qkv_weight,        // [3C, D]
    qkv_bias,          // [1, 3C]
    query_weight,      // [C, D] cross-attention
    query_bias,        // [1, C]
    key_value_weight,  // [2C, D'] cross-attention
    key_value_bias,    // [1, 2C]
    qkv,               // [N, 3C]
    query_only,        // [N, C] cross-attention
    key_value,         // [M, 2C] cross-attention
    qkv_activated,     // as the three above, after their activation
    query_only_activated,
    key_value_activated,
    raw_query,  // per head [N, head_dim] before the norm of queries and keys, if there is one
    raw_key,    // per head [M, head_dim]
    query_norm_affine,   // [2, head_dim]
    key_norm_affine,     // [2, head_dim]
    query_unrotated,     // per head [N, head_dim] before rotary positions, if there are any
    key_unrotated,       // per head [M, head_dim]
    rotary_sine,         // [N, head_dim]
    rotary_cosine,       // [N, head_dim]
    query,               // per head [N, head_dim]
    key,                 // per head [M, head_dim]
    value,               // per head [M, head_dim]
    values,              // [M, C] values of all heads; T2T's skip adds them
    score_query_weight,  // per head [A, head_dim] W_q of additive scores
    score_key_weight,    // per head [A, head_dim] W_k; general scores: W; location: [M, head_dim]
    score_vector,        // per head [1, A]
    score_query,         // per head [N, A] used instead of Q in the score
    score_key,           // per head [M, A] used instead of K
    feature_weight,      // [A, head_dim] w of a Performer
    query_features,      // per head [N, A]
    key_features,        // per head [M, A]
    products,            // per head [N, M] Q·Kᵀ before the scale
    scaled,              // per head [N, M] Q·Kᵀ times the scale, if a bias or a mask follows
    relative_table,      // [offsets, H]
    relative_bias,       // per head [N, M]
    biased,              // per head [N, M] scaled + relative_bias, if a mask follows
    scores,              // per head [N, M] scaled, biased and masked
    attention,           // per head [N, M]
    attention_dropped,   // per head [N, M]
    attention_turned,    // per head [M, N], N = M
    head_output,         // per head [N, head_dim] A·V
    concat,              // [N, C]
    concat_norm_rows,
    concat_norm_affine,
    concat_norm,        // [N, C]
    projection_weight,  // [C, C]
    projection_bias,    // [1, C]
    projection,         // [N, C]
    projection_activated,
    projection_dropped,
    ls1_gamma,   // [1, C]
    ls1,         // [N, C]
    value_skip,  // [N, C] V + projection, if X is added afterwards
    residual1,   // [N, C]
    norm2_rows,
    norm2_affine,
    norm2_running,
    norm2,           // [N, C]
    mlp_in_weight,   // [hidden, C]
    mlp_in_bias,     // [1, hidden]
    mlp_hidden,      // [N, hidden]
    mlp_activation,  // [N, hidden]; gated (SwiGLU): [N, hidden/2]
    mlp_norm_rows,
    mlp_norm_affine,
    mlp_norm,        // as mlp_activation
    mlp_out_weight,  // [C, hidden]
    mlp_out_bias,    // [1, C]
    mlp,             // [N, C]
    ls2_gamma,       // [1, C]
    ls2,             // [N, C]
    residual2,       // [N, C] norm1 + mlp, if a norm follows
    output,          // [N, C] output of the layer

    // After the last layer.
    encoded,  // [N, C] the last layer's output
    norm_rows,
    norm_affine,
    norm,        // [N, C]
    pool_probe,  // [1, C] the learned query of attention pooling
    pool_query_weight,
    pool_query_bias,
    pool_query_all,  // [1, C]
    pool_key_value_weight,
    pool_key_value_bias,
    pool_key_value,  // [N, 2C]
    pool_query,      // per head [1, head_dim]
    pool_key,        // per head [N, head_dim]
    pool_value,      // per head [N, head_dim]
    pool_values,     // [N, C]
    pool_products,   // per head [1, N]
    pool_scores,     // per head [1, N]
    pool_attention,  // per head [1, N]
    pool_output,     // per head [1, head_dim]
    pool_concat,     // [1, C]
    pool_projection_weight,
    pool_projection_bias,
    pool_projection,  // [1, C]
    pool_norm_rows,
    pool_norm_affine,
    pool_norm,  // [1, C]
    pool_mlp_in_weight,
    pool_mlp_in_bias,
    pool_mlp_hidden,      // [1, hidden]
    pool_mlp_activation,  // [1, hidden]
    pool_mlp_out_weight,
    pool_mlp_out_bias,
    pool_mlp,  // [1, C]
    pooled,    // [1, C]
    pooled_norm_rows,
    pooled_norm_affine,
    pooled_norm,        // [1, C]
    pooler_weight,      // [C', C]
    pooler_bias,        // [1, C']
    pooler_hidden,      // [1, C']
    pooler,             // [1, C'] tanh
    classifier_weight,  // [classes, C]
    classifier_bias,    // [1, classes]
    logits,             // [1, classes]
    object_weight,      // [1, C]
    object_bias,        // [1, 1]
    objects,            // [N, 1] logits: does the patch show an object?
    twin_query_weight,  // [D, C]
    twin_query_bias,    // [1, D]
    twin_query,         // [N, D]
    twin_key_weight,    // [D, C]
    twin_key_bias,      // [1, D]
    twin_key,           // [N, D]
    pointing_weight,    // [cells, C]
    pointing_bias,      // [1, cells]
    pointing,           // [N, cells]
};
inline constexpr int kTensorCount = static_cast<int>(Tensor::pointing) + 1;

// What a matrix belongs to. Each role has one color in every view.
enum class Role { token, query, key, value, attention, weight };

// What the rows or the columns of a matrix stand for.
enum class Axis {
    token,
    key_token,
    patch,  // tokens without the prefix
    prefix_token,
    pixel_row,
    pixel,
    feature,  // of a patch, or of a bare layer's input
    channel,
    qkv_channel,
    head_channel,
    hidden,  // of the MLP
    class_index,
    cell,    // of the patch grid, as a place to point at
    moment,  // mean, standard deviation
    affine,  // γ, β
    one,
    offset,  // from one patch to another
    head,
    sample,      // of a curve
    probe,       // the learned query of attention pooling
    finer_token  // of the grid before patch merging
};
// For sessions. On screen, axis_name() gives the text for people.
template <>
inline constexpr auto kNames<Axis> = std::to_array<std::string_view>(
    {"token",   "key_token", "patch",       "prefix_token", "pixel_row", "pixel",
     "feature", "channel",   "qkv_channel", "head_channel", "hidden",    "class_index",
     "cell",    "moment",    "affine",      "one",          "offset",    "head",
     "sample",  "probe",     "finer_token"});

struct TensorInfo {
    Tensor id;
    std::string_view name;    // stable, in words: widget names, scripts, sessions
    std::string_view symbol;  // as in the equations: "Q", "S", "A"
    std::string_view title;   // as in a heading
    Role role;
    Axis rows, cols;
    bool per_head;
    bool from_zero;              // never negative by construction: colored sequentially from zero
    std::string_view file_name;  // for `headlight trace`, with "L" for the layer; empty: not
                                 // exported
};

const TensorInfo& info(Tensor tensor);
const std::array<TensorInfo, kTensorCount>& all_tensors();

// True if one matrix serves all samples of a batch: weights, positions, the image.
bool shared_by_samples(Tensor tensor);

}  // namespace headlight
