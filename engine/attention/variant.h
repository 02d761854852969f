#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/names.h"

// Variants of the usual attention layer.
namespace headlight {

// How the score S_ij of query q_i and key k_j is computed, before temperature and mask.
enum class Score {
    scaled_dot,  // q·k · scale
    dot,         // q·k
    cosine,      // q·k / (‖q‖ ‖k‖), without an epsilon; 0 if either is exactly zero
    general,     // qᵀ W k
    additive,    // vᵀ tanh(W [q; k]); the first head_dim columns of W multiply q
    location,    // W_j · q: only the position j of the key matters
};
template <>
inline constexpr auto kNames<Score> = std::to_array<std::string_view>({"scaled_dot", "dot",
                                                                       "cosine", "general",
                                                                       "additive", "location"});

// In the order of the enumerators.
struct ScoreInfo {
    Score id;
    std::string_view label;  // for people
    // The shapes of its learned weights, for error messages; empty: none.
    std::string_view weight, vector;
};
std::span<const ScoreInfo> all_scores();
const ScoreInfo& info(Score score);

// How the attention weights of a row follow from its scores.
enum class Weighting {
    softmax,
    max,  // 1 for the largest score, the first of equal ones; 0 for all others
};
template <>
inline constexpr auto kNames<Weighting> = std::to_array<std::string_view>({"softmax", "max"});

// How queries, keys and values are computed from the tokens.
enum class Projections {
    learned,
    none,  // they are the tokens themselves, in one head, without an output projection
};
template <>
inline constexpr auto kNames<Projections> = std::to_array<std::string_view>({"learned", "none"});

// The activation after the query, key and value projections and after the output projection, for
// models that use 1×1 convolutions.
enum class ActivationAfter { none, relu };
template <>
inline constexpr auto kNames<ActivationAfter> = std::to_array<std::string_view>({"none", "relu"});

// What A·V sums over. keys: the usual A·V. queries: row j of the result is Σ_i A_ij v_i, which is
// Aᵀ·V, as in Keras' Dot(axes=1) of attention and values. The rows of A sum to 1, its columns do
// not.
enum class SumOver { keys, queries };
template <>
inline constexpr auto kNames<SumOver> = std::to_array<std::string_view>({"keys", "queries"});

// Dropout as in training: sets entries to zero with probability p and divides the others by 1 − p.
struct Dropout {
    float attention = 0, output = 0;  // p, 0 <= p < 1
    std::uint64_t seed = 0;

    friend bool operator==(const Dropout&, const Dropout&) = default;
};

struct AttentionVariant {
    // If unset: the scaled dot product, or the dot product without projections and scale.
    std::optional<Score> score;
    Weighting weights_from = Weighting::softmax;
    Projections projections = Projections::learned;
    ActivationAfter activation_after = ActivationAfter::none;
    SumOver sum_over = SumOver::keys;  // queries: needs N = M
    Dropout dropout;

    friend bool operator==(const AttentionVariant&, const AttentionVariant&) = default;
};

}  // namespace headlight
