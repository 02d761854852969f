#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "attention/error.h"
#include "attention/mask.h"
#include "attention/variant.h"
#include "kernels/matrix.h"
#include "kernels/names.h"
#include "kernels/softmax.h"
#include "kernels/stop.h"

// The attention layer of Tokens-to-Token ViT (arXiv 2101.11986) and, with another skip, that of
// "Attention Is All You Need" (arXiv 1706.03762, section 3.2.2), one function for each step.
//
// B samples of N query tokens and M key tokens (N = M and the same tokens in self-attention) are
// stacked: a token matrix is [B·N, ·], an attention matrix [B·H·N, M], sample by sample, head by
// head.
namespace headlight {

// What is added to the projection.
enum class Skip {
    none,
    value,  // V: the layer of T2T-ViT, whose input has another width than its output
    input,  // X: the ordinary residual; needs dim == channels
    both,   // V, and then X: the encoding blocks of lanl's T2T-ViT
};
template <>
inline constexpr auto kNames<Skip> = std::to_array<std::string_view>({"none", "value", "input",
                                                                      "both"});
constexpr bool adds_value(Skip skip) { return skip == Skip::value || skip == Skip::both; }
constexpr bool adds_input(Skip skip) { return skip == Skip::input || skip == Skip::both; }

struct AttentionConfig {
    int dim = 0;       // D: width of an input token
    int channels = 0;  // C: width of the queries of all heads, and of the keys; C % heads == 0
    int heads = 1;     // H; head_dim = C / H
    std::optional<int> value_channels;  // of the values of all heads, where it is not C
    std::optional<int> outputs;         // width of an output token, where it is not that of values
    // Of cross-attention alone: width of a token that keys and values are made of, where it is not
    // dim.
    std::optional<int> value_token_dim;
    // Where keys are made of tokens of their own: their width. They stand left of the values' in
    // each of these tokens.
    std::optional<int> key_token_dim;
    bool qkv_bias = false;
    std::optional<float> scale;  // of Q·Kᵀ; head_dim^-0.5 unless given
    float temperature = 1.0F;    // divides the scaled scores; > 0
    Skip skip = Skip::value;
    AttentionVariant variant;

    [[nodiscard]] int head_dim() const { return channels / heads; }
    [[nodiscard]] int value_width() const { return value_channels.value_or(channels); }
    [[nodiscard]] int value_dim() const { return value_width() / heads; }
    [[nodiscard]] int output_width() const { return outputs.value_or(value_width()); }
    [[nodiscard]] int value_token_width() const { return value_token_dim.value_or(dim); }
    [[nodiscard]] Score score() const;
    [[nodiscard]] float effective_scale() const;  // scale or head_dim^-0.5, before the temperature
    // What products become scores by: scale / temperature, without a scale where the score has
    // none.
    [[nodiscard]] float factor() const;

    friend bool operator==(const AttentionConfig&, const AttentionConfig&) = default;
};

// Throws AttentionError, saying what to change: a width < 1, C % H != 0, a scale that is zero or
// not finite, or one of a score that has none, a temperature that is not positive, skip from X
// between unequal widths; without projections more than one head or other widths than the tokens';
// a probability of dropout below 0 or from 1 on.
void validate(const AttentionConfig& config);

// Weights as torch.nn.Linear keeps them: [outputs, inputs]; y = x·Wᵀ + b.
struct AttentionWeights {
    Matrix qkv;       // [2C + V, D]: rows 0..C-1 make Q, C..2C-1 K, the other V values
    Vector qkv_bias;  // [2C + V], or empty
    // Where keys and values are made of tokens of another width: then qkv makes Q alone, [C, D].
    Matrix key_value;        // [C + V, D']
    Vector key_value_bias;   // [C + V], or empty
    Matrix projection;       // [O, V]
    Vector projection_bias;  // [O], or empty
};

// Weights drawn as torch.nn.Linear draws them by default: every weight and bias uniform in
// ±1/sqrt(inputs). Our own generator, so equal seeds give equal weights on every machine (they are
// not PyTorch's numbers for that seed). Switching the bias on leaves all other weights as they
// were.
AttentionWeights draw_weights(const AttentionConfig& config, std::uint64_t seed,
                              const StopFlag& stop = {});

// Throws AttentionError where a weight's shape is not what the configuration asks for.
void validate(const AttentionWeights& weights, const AttentionConfig& config);

// Weights of a learned score (ScoreInfo), drawn as draw_weights draws: ±1/sqrt(inputs). Of every
// head one below the other. Empty where the score has none.
struct DrawnScore {
    Matrix weight;  // [H·rows, cols]
    Matrix vector;  // [H, A], A being head_dim
};
DrawnScore draw_score_weights(const AttentionConfig& config, Index keys, std::uint64_t seed);

// The extents that all steps of one run agree on.
struct AttentionShape {
    Index batch = 1;      // B
    Index queries = 0;    // N
    Index keys = 0;       // M
    Index heads = 1;      // H
    Index head_dim = 0;   // of queries and keys
    Index value_dim = 0;  // of values; 0: the same

    [[nodiscard]] Index channels() const { return heads * head_dim; }
    [[nodiscard]] Index value_width() const { return value_dim > 0 ? value_dim : head_dim; }
    [[nodiscard]] Index values() const { return heads * value_width(); }
    friend bool operator==(const AttentionShape&, const AttentionShape&) = default;
};

// x·Wᵀ + b for tokens [rows, in] and a weight [out, in]; the bias may be empty. Result [rows, out].
Matrix linear(const MatrixView& tokens, const MatrixView& weight, const Vector& bias,
              const StopFlag& stop = {});

// One head's block of a token matrix [B·N, ·] whose columns from `first` on hold the heads side by
// side: [N, head_dim]. This is the reshape and transpose of the PyTorch code; nothing is copied.
MatrixView head_view(const MatrixView& tokens, Index rows_per_sample, Index first, Index head_dim,
                     Index sample, Index head);

// Q·Kᵀ, unscaled: [B·H·N, M]. query [B·N, C], key [B·M, C]; as wide as they are, which of a
// performer's features is not shape.channels().
Matrix query_key_products(const MatrixView& query, const MatrixView& key,
                          const AttentionShape& shape, const StopFlag& stop = {});

// Rows of each head by themselves, brought to length 1; a row of zeros stays. x [rows, H·width].
Matrix unit_rows(const MatrixView& x, Index heads);

// x·Wᵀ with a weight of each head's own: x [rows, H·in], weight [H·out, in], result [rows, H·out].
Matrix linear_heads(const MatrixView& x, const MatrixView& weight, Index heads,
                    const StopFlag& stop = {});

// Σ_a v_a tanh(q_a + k_a), [B·H·N, M]: query [B·N, H·A], key [B·M, H·A], vector [H, A].
Matrix additive_scores(const MatrixView& query, const MatrixView& key, const MatrixView& vector,
                       const AttentionShape& shape, const StopFlag& stop = {});

struct ScoresAndAttention {
    Matrix scaled;  // products · factor, where there is a mask
    Matrix scores;  // the same, or what the mask makes of them
    Matrix attention;  // row by row exp(s − max) / Σ exp(s − max); a row of only −inf becomes zeros
};
// All [B·H·N, M], from products [B·H·N, M]. factor = scale / temperature; mask may be null. In one
// pass, for the attention of a row is computed while its scores are still in the cache: apart, the
// large matrices' way from and to memory would take longer than the arithmetic.
ScoresAndAttention scale_and_softmax(const MatrixView& products, float factor, const Mask* mask,
                                     const AttentionShape& shape, const StopFlag& stop = {},
                                     Weighting weighting = Weighting::softmax);

// The attention alone, computed from Q and K block by block: for layers that nobody looks at, whose
// products and scores would only be written to be thrown away. Bit for bit the attention of
// query_key_products and scale_and_softmax after it. rows: what the softmax of each row gives back
// is left there, [B·H·N]; or null.
Matrix attention_of(const MatrixView& query, const MatrixView& key, float factor, const Mask* mask,
                    const AttentionShape& shape, const StopFlag& stop = {},
                    std::vector<RowScale>* rows = nullptr);

// One query's rows of it: [B·H, M], bit for bit. Computes no more of the products than it must.
Matrix attention_of_query(const MatrixView& query, const MatrixView& key, float factor,
                          const Mask* mask, const AttentionShape& shape, Index which,
                          const StopFlag& stop = {});

// One key's column of it, of each head: [B·H, N]. rows: of attention_of. The mask has no windows.
// Bit for bit that of attention_of where key_products_agree(), which is so of a library whose sums
// do not depend on how many keys there are: the order is known of no library, so it is tried.
Matrix attention_of_key(const MatrixView& query, const MatrixView& key, float factor,
                        const Mask* mask, const AttentionShape& shape,
                        const std::vector<RowScale>& rows, Index which, const StopFlag& stop = {});
// Whether the products with a few keys are bit for bit those among all of them. That depends on the
// extents alone (kernels/product.h), so it is tried of the first head.
bool key_products_agree(const MatrixView& query, const MatrixView& key, const AttentionShape& shape,
                        const StopFlag& stop = {});

// Zeros with probability p, the rest divided by 1 − p; which cells they are depends on the seed and
// the cell's place alone. `stream` tells results of one layer apart.
Matrix drop_out(const MatrixView& x, float p, std::uint64_t seed, std::uint64_t stream);

// A·V with the heads side by side, which is already their concatenation: [B·N, V].
// attention [B·H·N, M], value [B·M, V].
Matrix mix_values(const MatrixView& attention, const MatrixView& value, const AttentionShape& shape,
                  const StopFlag& stop = {});

}  // namespace headlight
