#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "attention/mask.h"
#include "image/preprocessing.h"
#include "kernels/result.h"
#include "model/model.h"
#include "patches/patches.h"
#include "positions/positions.h"
#include "positions/rotary.h"
#include "scene/scene.h"
#include "tokens/token_source.h"
#include "trace/steps.h"
#include "trace/tensors.h"

// A walk as a program: nodes in the order in which they are computed.
namespace headlight {

// The kinds of operation. Each has one row in the table of ops/ops.h, which says how it is computed
// and how one of its cells comes about, and one stage on screen.
enum class Op {
    frame,         // the picture as the layer sees it
    gather,        // pixels, or T2T's tokens, listed in another order
    given,         // rows that a person gave
    array,         // rows of an array in a file
    drawn,         // rows of numbers that are drawn from a seed
    curve,         // a curve with noise
    windows,       // of a curve
    stack,         // rows of the left operand, then those of the right one
    add,           // left + right, or left alone
    positions,     // the same with a table that is made for it
    linear,        // rows of the left operand times rows of a weight, plus a bias
    project,       // the same for queries, keys and values at once
    classify,      // the same for the classes of a model
    cut,           // queries, keys and values of all heads: columns taken out of a matrix
    norm,          // less the row's mean, by its deviation, times γ, plus β
    batch_norm,    // the same with mean and deviation of the column, which training has kept
    norm_heads,    // the same for queries and keys, each head's row by itself
    rotate,        // pairs of channels of queries and keys turned, by where their patches lie
    unit,          // each head's row by its length
    linear_heads,  // each head's rows times rows of a weight of its own
    learned_keys,  // rows of a weight in the place of each head's keys
    features,      // positive random features of a row: exp(w·x − ‖x‖²/2) / √M
    multiply,      // queries times keys
    additive,      // a vector times tanh(query + key)
    scale,         // every cell times one number
    relative,      // a number added for each offset of query and key
    mask,          // numbers added, then −∞ where a query may not read a key
    softmax,       // exp, row sum, divide
    largest,       // 1 for the largest of a row
    share,         // a row by its sum
    dropout,       // cells put to zero at random
    turn,          // rows and columns of each head exchanged
    mix,           // attention times values
    join,          // the heads side by side again
    stretch,       // every column times a number of its own
    activate,      // a function of one cell, or of two
    learned,       // a row that is learned, the same for every picture
    pool,          // one row taken out of many, or their mean
    point,         // each token's query times the keys of the patches, by √D
};

// Where in the model a node stands.
enum class Place { front, layer, end };

// What a node's result depends on beside its operands and weights.
struct FrameParameters {
    std::string image;
    std::optional<ShapeScene> scene;
    Preprocessing how;  // without mean and std, which count only when patches are cut
    bool grey = false;
    friend bool operator==(const FrameParameters&, const FrameParameters&) = default;
};
struct PatchParameters {
    PatchSettings settings;
    std::array<float, 3> mean{}, std{};
    friend bool operator==(const PatchParameters&, const PatchParameters&) = default;
};
struct GivenParameters {
    VectorSet vectors;
    friend bool operator==(const GivenParameters&, const GivenParameters&) = default;
};
struct ArrayParameters {
    TokenFile tokens;  // of a file
    TokenPart part = TokenPart::tokens;
    friend bool operator==(const ArrayParameters&, const ArrayParameters&) = default;
};
struct DrawnParameters {
    Index count = 0, width = 0;
    std::uint64_t seed = 0;
    friend bool operator==(const DrawnParameters&, const DrawnParameters&) = default;
};
struct CurveParameters {
    Signal signal;  // without its window, which another node cuts
    friend bool operator==(const CurveParameters&, const CurveParameters&) = default;
};
struct WindowParameters {
    int window = 1;
    friend bool operator==(const WindowParameters&, const WindowParameters&) = default;
};
struct NormParameters {
    float eps = 0, key_eps = 0;  // the latter of norm_heads
    friend bool operator==(const NormParameters&, const NormParameters&) = default;
};
struct ShareParameters {
    float eps = 0;  // added to the sum
    friend bool operator==(const ShareParameters&, const ShareParameters&) = default;
};
struct CutParameters {
    Index heads = 1, head_dim = 1, value_dim = 1;
    bool all_alike = false;  // queries, keys and values are the same columns
    friend bool operator==(const CutParameters&, const CutParameters&) = default;
};
struct ScaleParameters {
    float factor = 1;
    friend bool operator==(const ScaleParameters&, const ScaleParameters&) = default;
};
struct RelativeParameters {
    int grid_rows = 0, grid_cols = 0;  // that the table of offsets is for
    // Instead of a table of the layer's own: made for whatever grid there is.
    std::optional<BiasChoice> made{};
    int layer = 0;    // that it is made for
    Window window{};  // whose tokens alone have offsets
    friend bool operator==(const RelativeParameters&, const RelativeParameters&) = default;
};
struct MaskParameters {
    MaskRules rules;
    std::shared_ptr<const Mask> given;  // beside them; null: nothing
    Window window{};                    // that a token reads alone
    friend bool operator==(const MaskParameters&, const MaskParameters&) = default;
};
struct MixParameters {
    std::vector<Index> switched_off;  // heads whose A·V is put to zero, in ascending order
    friend bool operator==(const MixParameters&, const MixParameters&) = default;
};
struct ActivateParameters {
    bool tanh = false;  // instead of
    Activation activation = Activation::gelu;
    friend bool operator==(const ActivateParameters&, const ActivateParameters&) = default;
};
struct DropoutParameters {
    float p = 0;
    std::uint64_t seed = 0, stream = 0;
    friend bool operator==(const DropoutParameters&, const DropoutParameters&) = default;
};
struct PoolParameters {
    Pooling pooling = Pooling::class_token;
    friend bool operator==(const PoolParameters&, const PoolParameters&) = default;
};
using Parameters =
    std::variant<std::monostate, FrameParameters, PatchParameters, GivenParameters, ArrayParameters,
                 DrawnParameters, CurveParameters, WindowParameters, PositionChoice, NormParameters,
                 CutParameters, Rotary, ScaleParameters, RelativeParameters, MaskParameters,
                 MixParameters, ActivateParameters, DropoutParameters, PoolParameters,
                 ShareParameters>;

// A weight of a node, and the name under which the trace shows it. γ and β share one name.
struct NodeWeight {
    Tensor name;
    SharedResult value;
};

struct Node {
    Step id = Step::image;
    Op op = Op::frame;
    Place place = Place::layer;
    std::vector<Tensor> operands;  // what is read, weights too
    std::vector<NodeWeight> weights;
    std::vector<Tensor> results;  // what is written; the first is what the step shows
    Parameters parameters;

    // In words. Equations are in the small notation of ui/equation.h: _{} below, ^{} above, and a
    // tensor's symbol in braces with its name: {query:Q}. "#" stands for the number of a head. Both
    // lines give the numbers beside them as they are printed.
    std::string title;  // in the ribbon
    std::string equation;
    std::string pytorch;  // the line that does the same
    std::string meaning;  // two plain sentences: what and why
    // Where they are others for some heads: those that are switched off.
    std::string equation_off, pytorch_off, meaning_off;

    [[nodiscard]] std::string_view name() const { return info(id).name; }
    [[nodiscard]] Tensor result() const { return results.front(); }
    // The name of the bias that is added; nothing where there is none.
    [[nodiscard]] std::optional<Tensor> bias() const;
    [[nodiscard]] SharedResult weight(Tensor name) const;  // null where there is none
    template <class T>
    [[nodiscard]] const T& get() const {
        return std::get<T>(parameters);
    }
};

// What made a result: equal stamps, equal numbers. Of matrices their versions, and what part of
// them.
struct Stamp {
    using Read = std::array<std::uint64_t, 5>;

    Op op = Op::frame;
    Parameters parameters;
    std::vector<Tensor> results;
    std::vector<Read> reads;

    friend bool operator==(const Stamp&, const Stamp&) = default;
};

}  // namespace headlight
