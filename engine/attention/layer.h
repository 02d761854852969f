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

// The attention layer of Tokens-to-Token ViT (arXiv 2101.11986). With another skip connection it is
// that of "Attention Is All You Need" (arXiv 1706.03762, section 3.2.2). One function for each
// step.
//
// B samples of N query tokens and M key tokens are stacked (in self-attention N = M, and they are
// the same tokens). A token matrix is [B·N, ·]; an attention matrix is [B·H·N, M], sample by
// sample, head by head.
namespace headlight {

// What the skip connection adds to the projection.
enum class Skip {
    none,
    value,  // V, as in T2T-ViT, whose input and output have different widths
    input,  // X, the usual residual connection; needs dim == channels
    both,   // V, and then X, as in the encoding blocks of lanl's T2T-ViT
};
template <>
inline constexpr auto kNames<Skip> = std::to_array<std::string_view>({"none", "value", "input",
                                                                      "both"});
constexpr bool adds_value(Skip skip) { return skip == Skip::value || skip == Skip::both; }
constexpr bool adds_input(Skip skip) { return skip == Skip::input || skip == Skip::both; }

struct AttentionConfig {
    int dim = 0;       // D: width of an input token
    int channels = 0;  // C: width of queries, and of keys, over all heads; C % heads == 0
    int heads = 1;     // H; head_dim = C / H
    std::optional<int> value_channels;  // V: width of the values over all heads, if it is not C
    std::optional<int> outputs;         // O: width of an output token, if it is not V
    // Cross-attention only: D', the width of a token that keys and values are computed from, if it
    // is not dim.
    std::optional<int> value_token_dim;
    // If keys and values are computed from different parts of a token: width of the keys' part. It
    // is the left part of each token; the values' part follows.
    std::optional<int> key_token_dim;
    bool qkv_bias = false;
    std::optional<float> scale;  // factor of Q·Kᵀ; default head_dim^-0.5
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
    // scores = products · factor(): scale / temperature, or 1 / temperature if the score has no
    // scale.
    [[nodiscard]] float factor() const;

    friend bool operator==(const AttentionConfig&, const AttentionConfig&) = default;
};

// Throws AttentionError, saying what to change, for
// - a width < 1, or C % H != 0,
// - a scale that is zero or not finite, or that the score does not use,
// - a temperature that is not positive,
// - a skip from X between unequal widths,
// - no projections with more than one head, or with widths other than that of the tokens,
// - a dropout probability outside [0, 1).
void validate(const AttentionConfig& config);

// Weights in the layout of torch.nn.Linear: [outputs, inputs]; y = x·Wᵀ + b.
struct AttentionWeights {
    Matrix qkv;       // [2C + V, D]: rows 0..C-1 give Q, C..2C-1 K, the other V the values
    Vector qkv_bias;  // [2C + V], or empty
    // If keys and values are computed from tokens of another width, qkv gives only Q: [C, D].
    Matrix key_value;        // [C + V, D']
    Vector key_value_bias;   // [C + V], or empty
    Matrix projection;       // [O, V]
    Vector projection_bias;  // [O], or empty
};

// Draws weights as torch.nn.Linear initializes them: every weight and bias uniform in
// ±1/sqrt(inputs). The generator is Headlight's own, so equal seeds give equal weights on every
// machine, but not PyTorch's. Adding a bias does not change the other weights.
AttentionWeights draw_weights(const AttentionConfig& config, std::uint64_t seed,
                              const StopFlag& stop = {});

// Throws AttentionError if the shape of a weight does not fit the configuration.
void validate(const AttentionWeights& weights, const AttentionConfig& config);

// Weights of a learned score (ScoreInfo), uniform in ±1/sqrt(inputs) as in draw_weights. Heads are
// stacked by row. Empty if the score has no weights.
struct DrawnScore {
    Matrix weight;  // [H·rows, cols]
    Matrix vector;  // [H, A], A being head_dim
};
DrawnScore draw_score_weights(const AttentionConfig& config, Index keys, std::uint64_t seed);

// The sizes of one run, shared by all steps.
struct AttentionShape {
    Index batch = 1;      // B
    Index queries = 0;    // N
    Index keys = 0;       // M
    Index heads = 1;      // H
    Index head_dim = 0;   // of queries and keys
    Index value_dim = 0;  // of values; 0: head_dim

    [[nodiscard]] Index channels() const { return heads * head_dim; }
    [[nodiscard]] Index value_width() const { return value_dim > 0 ? value_dim : head_dim; }
    [[nodiscard]] Index values() const { return heads * value_width(); }
    friend bool operator==(const AttentionShape&, const AttentionShape&) = default;
};

// x·Wᵀ + b for tokens [rows, in] and a weight [out, in]; the bias may be empty. Result [rows, out].
Matrix linear(const MatrixView& tokens, const MatrixView& weight, const Vector& bias,
              const StopFlag& stop = {});

// One head's block of a token matrix [B·N, ·] whose columns from `first` on hold the heads side by
// side: [N, head_dim]. A view that replaces the reshape and transpose of PyTorch code without a
// copy.
MatrixView head_view(const MatrixView& tokens, Index rows_per_sample, Index first, Index head_dim,
                     Index sample, Index head);

// Q·Kᵀ, unscaled: [B·H·N, M]. query [B·N, C], key [B·M, C]. Their width may differ from
// shape.channels(), for example for a Performer's features.
Matrix query_key_products(const MatrixView& query, const MatrixView& key,
                          const AttentionShape& shape, const StopFlag& stop = {});

// Scales each head's rows to length 1; a row of zeros stays zero. x [rows, H·width].
Matrix unit_rows(const MatrixView& x, Index heads);

// x·Wᵀ with a separate weight for each head: x [rows, H·in], weight [H·out, in], result [rows,
// H·out].
Matrix linear_heads(const MatrixView& x, const MatrixView& weight, Index heads,
                    const StopFlag& stop = {});

// Σ_a v_a tanh(q_a + k_a), [B·H·N, M]: query [B·N, H·A], key [B·M, H·A], vector [H, A].
Matrix additive_scores(const MatrixView& query, const MatrixView& key, const MatrixView& vector,
                       const AttentionShape& shape, const StopFlag& stop = {});

struct ScoresAndAttention {
    Matrix scaled;     // products · factor, if there is a mask
    Matrix scores;     // after the mask; without one, products · factor
    Matrix attention;  // per row exp(s − max) / Σ exp(s − max); a row of only −inf gives zeros
};
// All [B·H·N, M], from products [B·H·N, M]. factor = scale / temperature; mask may be null. A
// single pass computes the softmax of a row while its scores are still in the cache. Separate
// passes would spend more time on memory traffic than on arithmetic.
ScoresAndAttention scale_and_softmax(const MatrixView& products, float factor, const Mask* mask,
                                     const AttentionShape& shape, const StopFlag& stop = {},
                                     Weighting weighting = Weighting::softmax);

// Only the attention weights [B·H·N, M], computed from Q and K block by block. For layers that are
// not shown, so that their products and scores are never stored. Bit for bit equal to
// query_key_products followed by scale_and_softmax. rows: receives the RowScale of each row
// [B·H·N]; may be null.
Matrix attention_of(const MatrixView& query, const MatrixView& key, float factor, const Mask* mask,
                    const AttentionShape& shape, const StopFlag& stop = {},
                    std::vector<RowScale>* rows = nullptr);

// The rows of attention_of() for the query `which`: [B·H, M], bit for bit. Computes only the block
// of products that contains it.
Matrix attention_of_query(const MatrixView& query, const MatrixView& key, float factor,
                          const Mask* mask, const AttentionShape& shape, Index which,
                          const StopFlag& stop = {});

// The columns of attention_of() for the key `which`: [B·H, N]. rows: from attention_of. The mask
// must have no windows. Equal bit for bit if key_products_agree(), that is, if the library's sums
// do not depend on the number of keys. No library documents its order of summation, so this is
// tested.
Matrix attention_of_key(const MatrixView& query, const MatrixView& key, float factor,
                        const Mask* mask, const AttentionShape& shape,
                        const std::vector<RowScale>& rows, Index which, const StopFlag& stop = {});
// Tests whether products with a few keys are bit for bit equal to products with all keys. The
// result depends only on the sizes (kernels/product.h), so one head is enough.
bool key_products_agree(const MatrixView& query, const MatrixView& key, const AttentionShape& shape,
                        const StopFlag& stop = {});

// Sets cells to zero with probability p and divides the others by 1 − p. Which cells depends only
// on the seed, the stream and the position of the cell. `stream` distinguishes the results of one
// layer.
Matrix drop_out(const MatrixView& x, float p, std::uint64_t seed, std::uint64_t stream);

// A·V with the heads side by side, which is already the concatenation: [B·N, V].
// attention [B·H·N, M], value [B·M, V].
Matrix mix_values(const MatrixView& attention, const MatrixView& value, const AttentionShape& shape,
                  const StopFlag& stop = {});

}  // namespace headlight
