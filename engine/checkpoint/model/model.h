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

// A whole encoder as plain data: what was read from a file, in one form for all families.
// Weights are results, [outputs, inputs] as torch.nn.Linear keeps them; null where there is none.
namespace headlight {

struct Linear {
    SharedResult weight;  // [out, in]
    SharedResult bias;    // [1, out]

    [[nodiscard]] bool exists() const { return weight != nullptr; }
};

// Over each token's channels; with a running mean and variance, over each channel by those: batch
// norm in evaluation, torch.nn.BatchNorm1d.
struct Norm {
    SharedResult gamma, beta;  // [1, C]
    float eps = 1e-6F;
    SharedResult running{};  // [2, C]: mean and variance; null: layer norm

    [[nodiscard]] bool exists() const { return gamma != nullptr; }
    [[nodiscard]] bool is_of_batch() const { return running != nullptr; }
};

// Weights of a learned score, as a file has them beside a layer's own: score.weight [H, rows, cols]
// and score.v [H, A], of every head one below the other. What their shapes must be says ScoreInfo.
struct ScoreWeights {
    Index heads = 0;
    SharedResult weight;  // [H·rows, cols]
    SharedResult vector;  // [H, A]
};

// Numbers that are added to the scores, for each offset of two patches (positions/relative.h).
struct RelativeBias {
    SharedResult table;                // [offsets + 3, H]; of windows [offsets, H]
    int grid_rows = 0, grid_cols = 0;  // of the patches that it is for, or of those of a window

    [[nodiscard]] bool exists() const { return table != nullptr; }
};

// Swin's patch merging (arXiv 2103.14030, section 3.1): each two by two tokens are put side by
// side, [N, C] to [N / 4, 4C], first those of a column, and a norm and a product make one token of
// them.
struct Merge {
    Norm norm;         // over 4C
    Linear reduction;  // [2C, 4C]

    [[nodiscard]] bool exists() const { return reduction.exists(); }
};

// What a layer of a decoder does. The decoder layer of "Attention Is All You Need" (arXiv
// 1706.03762, section 3.1) is two of Headlight's layers, one after the other:
//   self_attention   X → norm1 → attention among the tokens → +
//   cross_attention  X → norm1 → attention to the memory → + → norm2 → MLP → +
// (PyTorch calls the norms of the second one norm2 and norm3.)
enum class DecoderPart {
    none,             // it belongs to no decoder
    self_attention,   // queries, keys and values come from the tokens
    cross_attention,  // keys and values come from Tensor::value_tokens, the memory
};

// One transformer layer. What does not exist is left out: a bare attention layer has neither norms
// nor MLP.
//   X → norm1 → attention → ls1 → + skip → norm2 → mlp_in → activation → mlp_out → ls2 → + → output
// and where norm_first is false
//   X → attention → + skip → norm1 → mlp_in → activation → mlp_out → + → norm2 → output
// where without an MLP norm1's result is the output.
struct Layer {
    std::string name;       // for people: "Layer 3", "T2T 1"
    std::string file_name;  // in `headlight trace`: "layer.2", "t2t.1"

    DecoderPart part = DecoderPart::none;
    Merge merge;    // Swin's, before the first layer of a stage
    Window window;  // Swin's; else every token may read every token
    Norm norm1;
    bool norm_first = true;     // "On Layer Normalization in the Transformer Architecture", arXiv
                                // 2002.04745: pre-norm; else post-norm
    AttentionConfig attention;  // dim, channels, heads, qkv_bias, scale, skip
    Linear qkv;  // [3C, D]: all queries, all keys, all values, each (heads, head_dim)
    // [C + V, D']: keys and values, where they are made of tokens of a width of their own; then qkv
    // holds the queries alone.
    Linear key_value;
    // Of an attention layer by itself the same as the two products of cross-attention: rows of
    // `qkv`, or what lies apart (split_projection).
    Linear of_queries, of_keys_values;
    SharedResult features;       // [M, C]: the rows w of a performer (Op::features), of one head
    Norm query_norm, key_norm;   // over head_dim, one γ for all heads: [1, head_dim]
    ScoreWeights score;          // of a bare layer
    RelativeBias relative_bias;  // BEiT's
    Norm concat_norm;            // EVA-02's, of what the projection reads
    Linear projection;           // [C, C]
    SharedResult ls1, ls2;       // LayerScale, "Going deeper with Image Transformers", arXiv
                                 // 2103.17239, section 2.1: [1, C]
    Norm norm2;
    Linear mlp_in, mlp_out;
    Norm mlp_norm;  // EVA-02's, of what mlp_out reads
    Activation activation = Activation::gelu;
};

// T2T's soft split ("Tokens-to-Token ViT", arXiv 2101.11986, section 3.1): overlapping windows of
// the token grid, each written out as one token.
struct SoftSplit {
    int kernel = 0, stride = 0, padding = 0;

    friend bool operator==(const SoftSplit&, const SoftSplit&) = default;
};

// Tokens that stand before the patches, in this order: class, distillation, registers.
struct PrefixTokens {
    SharedResult class_token, distillation_token;  // [1, D]
    SharedResult registers;                        // [R, D]

    [[nodiscard]] Index count() const {
        return (class_token ? 1 : 0) + (distillation_token ? 1 : 0) +
               (registers ? registers->view().rows : 0);
    }
};

// To which tokens the position table is added; the others get none. The table's rows stand in the
// order of the tokens.
enum class PositionCover {
    patches,            // the patches alone
    without_registers,  // class and distillation token, then the patches
    all,                // registers too
};

struct PositionTable {
    SharedResult table;                // [rows, D] as the file keeps it
    int grid_rows = 0, grid_cols = 0;  // of its patches
    PositionCover cover = PositionCover::all;
    Resampling resampling = Resampling::bicubic_antialiased;
    std::optional<PositionKind> formula;  // instead of a table: its rows are computed for any grid
};

// Heads of our own, from every final token: to an object's twin, which looks the same. A token's
// query times the keys of the patches, by √D, are logits of where the center of its twin is.
struct TwinHead {
    Linear query, key;  // [D, D]

    [[nodiscard]] bool exists() const { return query.exists(); }
};

// One query that is learned and reads all final tokens; an MLP follows. "Set Transformer", arXiv
// 1810.00825, section 3.2; SigLIP's and big_vision's MAPHead. It has as many heads as the layers.
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

// What the head is given, out of the final tokens.
enum class Pooling {
    class_token,
    class_and_distillation,  // both side by side, [1, 2D]; the head's weight holds both heads'
                             // halved, so that the product is their mean, as DeiT evaluates
    class_and_patches,       // the class token and the patches' mean side by side, [1, 2D]: Hugging
                             // Face's DINOv2 classifier
    patches,                 // the mean over the patches
    attention,               // what Model::attention_pool has read
    none,                    // no head, and no way to tell
};

// One fact about a model and where it came from, as `headlight info` and the model panel show it.
struct ModelFact {
    std::string what, value, origin;

    friend bool operator==(const ModelFact&, const ModelFact&) = default;
};

struct ModelPart {
    std::string name;  // "patch embedding", "12 layers: attention", "head"
    std::int64_t parameters = 0;
};

struct Model {
    std::string file;    // as it was opened
    std::string family;  // short and stable: "timm", "dinov2", "clip", "t2t", "t2t-layer", "maps"
    std::string title;   // for people: "timm VisionTransformer"
    // All whose tensors are named alike: which one it is can be chosen.
    std::vector<std::string> families;

    Preprocessing preprocessing;
    int image_channels = 3;
    // 0: soft splits make the tokens, or a bare layer's are not as wide as any square patch.
    int patch_size = 0;
    std::vector<SoftSplit> splits;  // T2T: one before each of the first layers, and one before
                                    // the embedding
    Linear embedding;               // [D, patch·patch·channels], columns by channel, row, column
    PrefixTokens prefix;
    PositionTable positions;
    std::optional<Rotary> rotary;  // DINOv3's and EVA-02's: of the queries and keys of all layers
    Norm pre_norm;                 // CLIP's, before the first layer

    // T2T: its token transformers first, splits.size() - 1 of them; then the layers.
    std::vector<Layer> layers;

    Norm norm;  // of all tokens, after the last layer
    Pooling pooling = Pooling::class_token;
    AttentionPool attention_pool;
    Norm pooled_norm;  // timm's fc_norm; a head's own
    // curve(pooled · Wᵀ + b): Hugging Face's pooler and Google's pre_logits, with tanh, and the
    // first of two linear layers of a head.
    Linear pooler;
    HeadCurve pooler_curve = HeadCurve::tanh;
    bool head_assumed = false;  // nobody says which curve it is
    Linear classifier;  // [classes, D]; of CLIP: the projection into the space shared with texts
    Linear pointing;    // [cells of the patch grid, D]: from each token to a place, ours
    TwinHead twin;      // from each token to a patch of the picture, ours
    Linear objects;     // [1, D]: from each token the logit that its patch shows an object, ours
    std::string head_left_out;  // why a head of the file is not computed; empty: none is left out
    bool gives_embedding = false;  // CLIP's: not classes
    bool gives_pooler = false;  // the pooled row, as it is, is a result: CLIP's and SigLIP's pooler
    std::vector<std::string> class_names;  // one for each row of the classifier; empty: unknown

    // Attention-only import: the layers' maps [H·N, N], nothing else. Then `layers` say heads only.
    std::vector<SharedResult> maps;
    GivenLayout map_layout;           // how their tokens lie, as far as somebody says it
    std::string map_layout_origin;    // and who says it: "--config"; empty: nobody
    int map_samples = 1, map_sample = 0;  // pictures in the file, and the one whose maps these are

    // False where nobody says how many heads a bare layer has: then one stands in for them.
    bool heads_are_known = true;

    // The encoders that its file holds, as --part names them, and which of them this is; empty
    // where the file has no more than one.
    std::vector<std::string> encoders;
    std::string encoder;

    std::vector<ModelFact> facts;  // what was inferred or chosen, and where it came from
    // What whoever opens it must be told, each a sentence: a config that was left aside.
    std::vector<std::string> warnings;
    // Tensors of the file that nothing here uses, and the same in few lines: "text.*: 192 tensors".
    std::vector<std::string> unused_tensors, unused;
    std::vector<ModelPart> parts;

    [[nodiscard]] int width() const {  // D of the layers
        return layers.empty() ? 0 : layers.back().attention.channels;
    }
    [[nodiscard]] int token_transformers() const {
        return splits.empty() ? 0 : static_cast<int>(splits.size()) - 1;
    }
    // How often the tokens have been made fewer when layer b reads them (behind its merge, where it
    // has one): by T2T's splits after the first, or by Swin's merges.
    [[nodiscard]] int level_of(int b) const;
    // That of what leaves the last layer.
    [[nodiscard]] int last_level() const { return level_of(static_cast<int>(layers.size()) - 1); }
    // Swin's: layers of several widths, over several grids.
    [[nodiscard]] bool has_merges() const;
    // The stream before this layer is the first that has the tokens and the width of what leaves
    // the last one; what comes before cannot be read as that can. T2T's after its token
    // transformers, Swin's after the last layer that merges.
    [[nodiscard]] int alike_from() const;
    // Each stage's first layer and the one after its last: of layers over one grid, of one width.
    [[nodiscard]] std::vector<std::pair<int, int>> stages() const;

    // Whether its norms stand before or after the sums is in none of its tensors: a config says.
    bool norms_may_follow = false;

    // A single attention layer without anything around it: it takes patches and positions of any
    // kind.
    [[nodiscard]] bool is_bare_layer() const { return maps.empty() && !embedding.exists(); }
    [[nodiscard]] bool is_maps() const { return !maps.empty(); }
    // A decoder: its tokens attend to each other and to a memory.
    [[nodiscard]] bool is_decoder() const {
        return !layers.empty() && layers.front().part != DecoderPart::none;
    }
};

// The picture's height and width in pixels must be multiples of this, for every layer's grid to be
// of whole windows and to be merged; 1: any will do, for the model has neither.
int picture_unit(const Model& model);
// The sizes of a picture that a person can ask for are multiples of this: whole patches too. 1 of a
// layer alone and of maps.
int size_unit(const Model& model);

// Layer b of those that come after token transformers: "Layer 3" and "layer.2".
void name_layer(Layer& layer, int b);
// Fills what cross-attention multiplies with, once the layer has its weights.
void split_projection(Layer& layer);

// What its parameters are shared out to, whoever made it.
std::vector<ModelPart> parts_of(const Model& model);

// How a bare layer is shown pictures where nothing else is said: 160 × 160, filled, pixels brought
// to −1..1.
inline Preprocessing bare_preprocessing() {
    Preprocessing how;
    how.height = how.width = 160;
    return how;
}

// What the person decides instead of the family's convention and the config beside the file. Plain
// data; what is not set is left to them.
struct ModelOptions {
    std::optional<std::string> family;
    std::optional<int> num_heads;
    std::optional<float> layer_norm_eps;
    std::optional<float> qk_scale;
    std::optional<Activation> activation;
    std::optional<Resampling> resampling;
    std::optional<bool> norm_first;
    std::optional<std::string> part;  // of a file with several encoders
    // Of attention maps alone: how their tokens lie, and which sample of a batch it is, from 1.
    GivenLayout layout;
    std::optional<int> sample;

    friend bool operator==(const ModelOptions&, const ModelOptions&) = default;
};

}  // namespace headlight
