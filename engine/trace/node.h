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

// The forward pass as a program: a list of nodes in the order in which Headlight computes them.
namespace headlight {

// The kinds of operation. Each has a row in the table of ops/ops.h, which computes it and explains
// its cells, and a stage on screen.
enum class Op {
    frame,         // the picture as the layer gets it, after resizing and cropping
    gather,        // pixels, or T2T's tokens, rearranged into rows
    given,         // rows that the user typed in
    array,         // rows of an array in a file
    drawn,         // random rows, drawn from a seed
    curve,         // a curve, plus noise
    windows,       // sliding windows over a curve
    stack,         // rows of the left operand above rows of the right operand
    add,           // left + right, or left alone
    positions,     // adds a position table that the node computes
    linear,        // left operand times Wᵀ, plus a bias
    project,       // linear, for queries, keys and values at once
    classify,      // linear, for the class logits
    cut,           // columns of a matrix, as queries, keys and values of each head
    norm,          // layer norm: (x − mean) / standard deviation · γ + β, over each row
    batch_norm,    // batch norm: the same with the running mean and variance of each column
    norm_heads,    // layer norm of queries and keys, over each head's row separately
    rotate,        // rotary positions: rotates channel pairs of queries and keys by an angle
    unit,          // each head's row divided by its length
    linear_heads,  // each head's rows times that head's own Wᵀ
    learned_keys,  // rows of a weight used instead of each head's keys
    features,      // positive random features of a row: exp(w·x − ‖x‖²/2) / √M
    multiply,      // Q·Kᵀ
    additive,      // additive scores: vᵀ tanh(query + key)
    scale,         // every cell times one factor
    relative,      // adds the relative position bias of the offset from query to key
    mask,          // adds numbers to the scores, then sets masked ones to −∞
    softmax,       // softmax of each row
    largest,       // 1 for the largest score of a row, 0 for the others
    share,         // each row divided by its sum
    dropout,       // sets random cells to zero
    turn,          // transposes each head's attention
    mix,           // A·V
    join,          // concatenates the heads
    stretch,       // LayerScale: every column times its own factor
    activate,      // activation: a function of one cell, or of two
    learned,       // one learned row, the same for every picture
    pool,          // one row of many, or their mean
    point,         // each token's query times the keys of the patches, divided by √D
};

// The part of the model that a node belongs to.
enum class Place { front, layer, end };

// What a node's result depends on in addition to its operands and weights.
struct FrameParameters {
    std::string image;
    std::optional<ShapeScene> scene;
    Preprocessing how;  // without mean and std, which only the patches depend on
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
    TokenFile tokens;  // the file that holds the array
    TokenPart part = TokenPart::tokens;
    friend bool operator==(const ArrayParameters&, const ArrayParameters&) = default;
};
struct DrawnParameters {
    Index count = 0, width = 0;
    std::uint64_t seed = 0;
    friend bool operator==(const DrawnParameters&, const DrawnParameters&) = default;
};
struct CurveParameters {
    Signal signal;  // without its window, which a separate node cuts
    friend bool operator==(const CurveParameters&, const CurveParameters&) = default;
};
struct WindowParameters {
    int window = 1;
    friend bool operator==(const WindowParameters&, const WindowParameters&) = default;
};
struct NormParameters {
    float eps = 0, key_eps = 0;  // key_eps: only for norm_heads
    friend bool operator==(const NormParameters&, const NormParameters&) = default;
};
struct ShareParameters {
    float eps = 0;  // added to the sum
    friend bool operator==(const ShareParameters&, const ShareParameters&) = default;
};
struct CutParameters {
    Index heads = 1, head_dim = 1, value_dim = 1;
    bool all_alike = false;  // queries, keys and values are the same columns (no projections)
    friend bool operator==(const CutParameters&, const CutParameters&) = default;
};
struct ScaleParameters {
    float factor = 1;
    friend bool operator==(const ScaleParameters&, const ScaleParameters&) = default;
};
struct RelativeParameters {
    int grid_rows = 0, grid_cols = 0;  // grid that the bias table was made for
    // If set, the node computes the bias for any grid instead of using the layer's table.
    std::optional<BiasChoice> made{};
    int layer = 0;    // layer whose bias `made` describes
    Window window{};  // if it exists, only pairs within one window have offsets
    friend bool operator==(const RelativeParameters&, const RelativeParameters&) = default;
};
struct MaskParameters {
    MaskRules rules;
    std::shared_ptr<const Mask> given;  // applies in addition to `rules`; null: no further mask
    Window window{};                    // if it exists, tokens attend only within their window
    friend bool operator==(const MaskParameters&, const MaskParameters&) = default;
};
struct MixParameters {
    std::vector<Index> switched_off;  // heads whose A·V is set to zero, in ascending order
    friend bool operator==(const MixParameters&, const MixParameters&) = default;
};
struct ActivateParameters {
    bool tanh = false;  // if true, tanh replaces `activation`
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

// A weight of a node and the name under which the trace shows it. γ and β share one name.
struct NodeWeight {
    Tensor name;
    SharedResult value;
};

struct Node {
    Step id = Step::image;
    Op op = Op::frame;
    Place place = Place::layer;
    std::vector<Tensor> operands;  // inputs, including weights
    std::vector<NodeWeight> weights;
    std::vector<Tensor> results;  // outputs; the step shows the first
    Parameters parameters;

    // Texts for people. Equations use the small notation of ui/equation.h: _{} for subscripts, ^{}
    // for superscripts, and a tensor's symbol in braces with its name: {query:Q}. "#" stands for
    // the number of a head. `equation` and `pytorch` contain numbers as they are printed.
    std::string title;  // in the ribbon
    std::string equation;
    std::string pytorch;  // the equivalent line of PyTorch
    std::string meaning;  // two plain sentences: what the step does, and why
    // Texts for heads that are switched off, where these differ.
    std::string equation_off, pytorch_off, meaning_off;

    [[nodiscard]] std::string_view name() const { return info(id).name; }
    [[nodiscard]] Tensor result() const { return results.front(); }
    // The name of the bias that the node adds, if any.
    [[nodiscard]] std::optional<Tensor> bias() const;
    [[nodiscard]] SharedResult weight(Tensor name) const;  // null if the node has no such weight
    template <class T>
    [[nodiscard]] const T& get() const {
        return std::get<T>(parameters);
    }
};

// What a result was computed from. Equal stamps mean equal numbers. Each entry of `reads`
// identifies an input matrix: its version, and which part of it was used.
struct Stamp {
    using Read = std::array<std::uint64_t, 5>;

    Op op = Op::frame;
    Parameters parameters;
    std::vector<Tensor> results;
    std::vector<Read> reads;

    friend bool operator==(const Stamp&, const Stamp&) = default;
};

}  // namespace headlight
