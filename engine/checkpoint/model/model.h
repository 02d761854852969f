#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "attention/layer.h"
#include "attention/window.h"
#include "image/preprocessing.h"
#include "kernels/activation.h"
#include "kernels/result.h"
#include "patches/map_layout.h"
#include "positions/positions.h"
#include "positions/resample.h"
#include "positions/rotary.h"

// A whole encoder as plain data: the content of a file, in one form for all families. Weights are
// results, [outputs, inputs] as in torch.nn.Linear; null if missing.
namespace headlight {

struct Linear {
    SharedResult weight;  // [out, in]
    SharedResult bias;    // [1, out]

    [[nodiscard]] bool exists() const { return weight != nullptr; }
};

// Layer norm over each token's channels. With running statistics: batch norm in evaluation mode,
// torch.nn.BatchNorm1d.
struct Norm {
    SharedResult gamma, beta;  // [1, C]
    float eps = 1e-6F;
    SharedResult running{};  // [2, C]: mean and variance; null: layer norm

    [[nodiscard]] bool exists() const { return gamma != nullptr; }
    [[nodiscard]] bool is_of_batch() const { return running != nullptr; }
};

// Weights of a learned score, stored in a file next to the layer's own: score.weight [H, rows,
// cols] and score.v [H, A], with heads stacked by row. ScoreInfo lists the required shapes.
struct ScoreWeights {
    Index heads = 0;
    SharedResult weight;  // [H·rows, cols]
    SharedResult vector;  // [H, A]
};

// Numbers that are added to the scores, one per offset of two patches (positions/relative.h).
struct RelativeBias {
    SharedResult table;                // [offsets + 3, H]; with windows [offsets, H]
    int grid_rows = 0, grid_cols = 0;  // grid of the patches, or of one window

    [[nodiscard]] bool exists() const { return table != nullptr; }
};

// Swin's patch merging (arXiv 2103.14030, section 3.1): each 2 × 2 tokens are concatenated, [N, C]
// to [N / 4, 4C], in column-major order. A norm and a linear layer then make one token of them.
struct Merge {
    Norm norm;         // over 4C
    Linear reduction;  // [2C, 4C]

    [[nodiscard]] bool exists() const { return reduction.exists(); }
};

// The role of a layer in a decoder. The decoder layer of "Attention Is All You Need" (arXiv
// 1706.03762, section 3.1) becomes two of Headlight's layers:
//   self_attention   X → norm1 → attention among the tokens → +
//   cross_attention  X → norm1 → attention to the memory → + → norm2 → MLP → +
// (PyTorch calls the norms of the second one norm2 and norm3.)
enum class DecoderPart {
    none,             // not part of a decoder
    self_attention,   // queries, keys and values come from the tokens
    cross_attention,  // keys and values come from Tensor::value_tokens, the memory
};

// One transformer layer. Missing parts are skipped: a bare attention layer has neither norms nor
// MLP.
//   X → norm1 → attention → ls1 → + skip → norm2 → mlp_in → activation → mlp_out → ls2 → + → output
// and if norm_first is false
//   X → attention → + skip → norm1 → mlp_in → activation → mlp_out → + → norm2 → output
// Without an MLP, the result of norm1 is then the output.
struct Layer {
    std::string name;       // for people: "Layer 3", "T2T 1"
    std::string file_name;  // in `headlight trace`: "layer.2", "t2t.1"

    DecoderPart part = DecoderPart::none;
    Merge merge;    // Swin's, before the first layer of a stage
    Window window;  // Swin's; without it every token may attend to every token
    Norm norm1;
    bool norm_first = true;     // true: pre-norm, "On Layer Normalization in the Transformer
                                // Architecture", arXiv 2002.04745; false: post-norm
    AttentionConfig attention;  // dim, channels, heads, qkv_bias, scale, skip
    Linear qkv;  // [2C + V, D]: all queries, all keys, all values, each (heads, head_dim)
    // [C + V, D']: keys and values, if they are computed from tokens of another width; qkv then
    // only holds the queries.
    Linear key_value;
    // For a bare attention layer: the two projections of cross-attention, as rows of `qkv` or as
    // separate weights (split_projection).
    Linear of_queries, of_keys_values;
    SharedResult features;       // [M, C]: the rows w of a Performer with one head (Op::features)
    Norm query_norm, key_norm;   // over head_dim, one γ for all heads: [1, head_dim]
    ScoreWeights score;          // for a bare layer
    RelativeBias relative_bias;  // BEiT's
    Norm concat_norm;            // EVA-02's, before the projection
    Linear projection;           // [C, C]
    SharedResult ls1, ls2;       // LayerScale, "Going deeper with Image Transformers", arXiv
                                 // 2103.17239, section 2.1: [1, C]
    Norm norm2;
    Linear mlp_in, mlp_out;
    Norm mlp_norm;  // EVA-02's, before mlp_out
    Activation activation = Activation::gelu;
};

// T2T's soft split ("Tokens-to-Token ViT", arXiv 2101.11986, section 3.1): overlapping windows of
// the token grid, each of which becomes one token.
struct SoftSplit {
    int kernel = 0, stride = 0, padding = 0;

    friend bool operator==(const SoftSplit&, const SoftSplit&) = default;
};

// Tokens before the patches, in this order: class, distillation, registers.
struct PrefixTokens {
    SharedResult class_token, distillation_token;  // [1, D]
    SharedResult registers;                        // [R, D]

    [[nodiscard]] Index count() const {
        return (class_token ? 1 : 0) + (distillation_token ? 1 : 0) +
               (registers ? registers->view().rows : 0);
    }
};

// The tokens that the position embedding is added to. The rows of its table are in the order of the
// tokens.
enum class PositionCover {
    patches,            // only patches
    without_registers,  // class and distillation token, then the patches
    all,                // also registers
};

struct PositionTable {
    SharedResult table;                // [rows, D] as in the file
    int grid_rows = 0, grid_cols = 0;  // of its patches
    PositionCover cover = PositionCover::all;
    Resampling resampling = Resampling::bicubic_antialiased;
    std::optional<PositionKind> formula;  // instead of a table: computed for any grid
};

// Headlight's own heads on every final token, for finding an object's twin, which looks the same. A
// token's query times the keys of the patches, divided by √D, gives logits for the center of the
// twin.
struct TwinHead {
    Linear query, key;  // [D, D]

    [[nodiscard]] bool exists() const { return query.exists(); }
};

// Attention pooling: one learned query attends to all final tokens; an MLP follows. "Set
// Transformer", arXiv 1810.00825, section 3.2; SigLIP's and big_vision's MAPHead. It has as many
// heads as the layers.
struct AttentionPool {
    SharedResult probe;  // [1, D]
    Linear query;        // [D, D]
    Linear key_value;    // [2D, D]: all keys, then all values
    Linear projection;   // [D, D]
    Norm norm;
    Linear mlp_in, mlp_out;
    Activation activation = Activation::gelu;

    [[nodiscard]] bool exists() const { return probe != nullptr; }
};

// What the head gets as input, computed from the final tokens.
enum class Pooling {
    class_token,
    class_and_distillation,  // both side by side, [1, 2D]; the head's weight holds both heads,
                             // halved, so that the logits are their mean, as DeiT evaluates
    class_and_patches,       // the class token and the mean of the patches side by side, [1, 2D]:
                             // Hugging Face's DINOv2 classifier
    patches,                 // the mean over the patches
    attention,               // the result of Model::attention_pool
    none,                    // there is no head, and the pooling is unknown
};

// One fact about a model and its origin, for `headlight info` and the model panel.
struct ModelFact {
    std::string what, value, origin;

    friend bool operator==(const ModelFact&, const ModelFact&) = default;
};

struct ModelPart {
    std::string name;  // "patch embedding", "12 layers: attention", "head"
    std::int64_t parameters = 0;
};

struct Model {
    std::string file;    // path as it was opened
    std::string family;  // short and stable: "timm", "dinov2", "clip", "t2t", "t2t-layer", "maps"
    std::string title;   // for people: "timm VisionTransformer"
    // All families with the same tensor names; the user can choose one of them.
    std::vector<std::string> families;

    Preprocessing preprocessing;
    int image_channels = 3;
    // 0: tokens come from soft splits, or a bare layer's width does not fit any square patch.
    int patch_size = 0;
    std::vector<SoftSplit> splits;  // T2T: one before each of the first layers, and one before the
                                    // embedding
    Linear embedding;               // [D, patch·patch·channels], columns by channel, row, column
    PrefixTokens prefix;
    PositionTable positions;
    std::optional<Rotary> rotary;  // DINOv3's and EVA-02's: for queries and keys of all layers
    Norm pre_norm;                 // CLIP's, before the first layer

    // T2T: first its splits.size() - 1 token transformers, then the layers.
    std::vector<Layer> layers;

    Norm norm;  // over all tokens, after the last layer
    Pooling pooling = Pooling::class_token;
    AttentionPool attention_pool;
    Norm pooled_norm;  // timm's fc_norm; or a head's own norm
    // activation(pooled · Wᵀ + b): Hugging Face's pooler and Google's pre_logits with tanh, or the
    // first of two linear layers of a head.
    Linear pooler;
    HeadCurve pooler_curve = HeadCurve::tanh;
    bool head_assumed = false;  // the activation is assumed, not specified
    Linear classifier;  // [classes, D]; for CLIP: the projection into the space shared with texts
    Linear pointing;    // Headlight's: [cells of the patch grid, D], from each token to a place
    TwinHead twin;      // Headlight's: from each token to a patch of the picture
    Linear objects;     // Headlight's: [1, D], logit that the token's patch shows an object
    std::string head_left_out;  // why a head of the file is not computed; empty: none is left out
    bool gives_embedding = false;  // for CLIP: the output is an embedding, not classes
    bool gives_pooler = false;     // the pooled row itself is an output: CLIP's and SigLIP's pooler
    std::vector<std::string> class_names;  // one per row of the classifier; empty: unknown

    // Attention-only import: the layers' maps [H·N, N] and nothing else. `layers` then only hold
    // the heads.
    std::vector<SharedResult> maps;
    GivenLayout map_layout;               // arrangement of their tokens, as far as specified
    std::string map_layout_origin;        // origin of map_layout: "--config"; empty: not specified
    int map_samples = 1, map_sample = 0;  // number of pictures in the file; index of the one with
                                          // these maps

    // False if the number of heads of a bare layer is unknown; one head is then assumed.
    bool heads_are_known = true;

    // The encoders in its file, as --part names them, and the one that this is; empty if there is
    // only one.
    std::vector<std::string> encoders;
    std::string encoder;

    std::vector<ModelFact> facts;  // what was inferred or chosen, and its origin
    // Messages for the user, one sentence each, such as a config that was left out.
    std::vector<std::string> warnings;
    // Unused tensors of the file, and a summary of them: "text.*: 192 tensors".
    std::vector<std::string> unused_tensors, unused;
    std::vector<ModelPart> parts;

    [[nodiscard]] int width() const {  // D of the layers
        return layers.empty() ? 0 : layers.back().attention.channels;
    }
    [[nodiscard]] int token_transformers() const {
        return splits.empty() ? 0 : static_cast<int>(splits.size()) - 1;
    }
    // How often the number of tokens has been reduced before layer b (after its merge, if it has
    // one): by T2T's splits after the first, or by Swin's merges.
    [[nodiscard]] int level_of(int b) const;
    // Level of the output of the last layer.
    [[nodiscard]] int last_level() const { return level_of(static_cast<int>(layers.size()) - 1); }
    // True for Swin: layers of several widths, over several grids.
    [[nodiscard]] bool has_merges() const;
    // The first layer whose input has the same tokens and the same width as the output of the last
    // layer. Earlier residual streams cannot be compared with it. For T2T this is after the token
    // transformers, for Swin after the last layer that merges.
    [[nodiscard]] int alike_from() const;
    // For each stage, its first layer and the one after its last. A stage has one grid and one
    // width.
    [[nodiscard]] std::vector<std::pair<int, int>> stages() const;

    // True if its tensors do not show whether norms come before or after the sums; a config can
    // specify it.
    bool norms_may_follow = false;

    // A bare attention layer or several: it accepts patches and positions of any kind.
    [[nodiscard]] bool is_bare_layer() const { return maps.empty() && !embedding.exists(); }
    [[nodiscard]] bool is_maps() const { return !maps.empty(); }
    // A decoder: its tokens attend to each other and to a memory.
    [[nodiscard]] bool is_decoder() const {
        return !layers.empty() && layers.front().part != DecoderPart::none;
    }
};

// The height and width of a picture in pixels must be multiples of this number, so that every
// layer's grid can be cut into windows and merged; 1 if the model does neither.
int picture_unit(const Model& model);
// Picture sizes that the user can request are multiples of this number, which also gives whole
// patches. 1 for a bare layer and for maps.
int size_unit(const Model& model);

// Names layer b, counted after token transformers: "Layer 3" and "layer.2".
void name_layer(Layer& layer, int b);
// Sets the projections for cross-attention, once the layer has its weights.
void split_projection(Layer& layer);

// Distributes the model's parameters over its parts.
std::vector<ModelPart> parts_of(const Model& model);

// The default preprocessing for a bare layer: 160 × 160, filled, pixels scaled to −1..1.
inline Preprocessing bare_preprocessing() {
    Preprocessing how;
    how.height = how.width = 160;
    return how;
}

// The user's settings, which override the family's convention and the config next to the file.
// Plain data; unset values are left to those.
struct ModelOptions {
    std::optional<std::string> family;
    std::optional<int> num_heads;
    std::optional<float> layer_norm_eps;
    std::optional<float> qk_scale;
    std::optional<Activation> activation;
    std::optional<Resampling> resampling;
    std::optional<bool> norm_first;
    std::optional<std::string> part;  // for a file with several encoders
    // For attention maps only: arrangement of their tokens, and which sample of a batch, from 1.
    GivenLayout layout;
    std::optional<int> sample;
    std::optional<std::uint64_t> shuffled;  // seed of a random order of the numbers in each weight

    friend bool operator==(const ModelOptions&, const ModelOptions&) = default;
};

}  // namespace headlight
