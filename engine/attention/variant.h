#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/names.h"

// What one attention layer may compute otherwise than usual.
namespace headlight {

// What the score S_ij of query q_i and key k_j is, before temperature and mask.
enum class Score {
    scaled_dot,  // q·k · scale
    dot,         // q·k
    cosine,      // q·k / (‖q‖ ‖k‖), without an epsilon; 0 where either is exactly zero
    general,     // qᵀ W k
    additive,    // vᵀ tanh(W [q; k]), the first head_dim columns of W meeting q
    location,    // W_j · q: the key plays no part but by its place
};
template <>
inline constexpr auto kNames<Score> = std::to_array<std::string_view>({"scaled_dot", "dot",
                                                                       "cosine", "general",
                                                                       "additive", "location"});

// In the order of the enumerators.
struct ScoreInfo {
    Score id;
    std::string_view label;  // for people
    // The shapes that its learned weights must have, for a refusal; empty: there are none.
    std::string_view weight, vector;
};
std::span<const ScoreInfo> all_scores();
const ScoreInfo& info(Score score);

// How the weights of a row follow from its scores.
enum class Weighting {
    softmax,
    max,  // the largest score's key gets 1, the first of equal ones; all others nothing
};
template <>
inline constexpr auto kNames<Weighting> = std::to_array<std::string_view>({"softmax", "max"});

// What makes queries, keys and values of the tokens.
enum class Projections {
    learned,
    none,  // they are the tokens themselves, in one head, and no product follows
};
template <>
inline constexpr auto kNames<Projections> = std::to_array<std::string_view>({"learned", "none"});

// After the products that make queries, keys and values, and after the output projection, as 1×1
// convolutions have it.
enum class ActivationAfter { none, relu };
template <>
inline constexpr auto kNames<ActivationAfter> = std::to_array<std::string_view>({"none", "relu"});

// What A·V sums over. Queries: row j of the result is Σ_i A_ij v_i, so Aᵀ·V, as Keras' Dot(axes=1)
// of attention and values has it; the rows of A share out 1, its columns do not.
enum class SumOver { keys, queries };
template <>
inline constexpr auto kNames<SumOver> = std::to_array<std::string_view>({"keys", "queries"});

// As in training: entries are zeroed with probability p, the others divided by 1 − p.
struct Dropout {
    float attention = 0, output = 0;  // p, 0 <= p < 1
    std::uint64_t seed = 0;

    friend bool operator==(const Dropout&, const Dropout&) = default;
};

struct AttentionVariant {
    // None: the scaled dot product; without projections and a scale the dot product.
    std::optional<Score> score;
    Weighting weights_from = Weighting::softmax;
    Projections projections = Projections::learned;
    ActivationAfter activation_after = ActivationAfter::none;
    SumOver sum_over = SumOver::keys;  // queries: of as many as there are keys
    Dropout dropout;

    friend bool operator==(const AttentionVariant&, const AttentionVariant&) = default;
};

}  // namespace headlight
