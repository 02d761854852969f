#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "program/head_place.h"
#include "program/recipe.h"
#include "trace/node.h"

// The builders of programs, which turn a configuration into nodes in the order of computation. Only
// they decide which steps a program has.
namespace headlight {

// The user's changes to all layers of a model.
struct Counterfactual {
    std::optional<float> scale;  // replaces the model's
    float temperature = 1.0F;
    std::vector<HeadPlace> switched_off{};  // their A·V is set to zero
    MaskRules mask{};
    PositionChoice position{};
    // For bare layers: settings that their file does not contain. A whole model decides these
    // itself.
    std::optional<int> heads{};
    std::optional<Skip> skip{};
    AttentionVariant variant{};
    // Width of the tokens if there are no projections; then any width is allowed.
    std::optional<int> token_width{};
    std::shared_ptr<const Mask> given_mask{};  // applies in addition to the rules; null: none
    bool cross = false;                        // keys and values are computed from other tokens

    friend bool operator==(const Counterfactual&, const Counterfactual&) = default;
};

// The changes of a recipe to the layers of that model.
Counterfactual counterfactual_of(const Recipe& recipe, const Model& model);

// The settings of a layer, besides its weights.
struct LayerSettings {
    AttentionConfig attention;
    std::vector<Index> switched_off{};  // heads
    MaskRules mask{};
    std::shared_ptr<const Mask> given_mask{};  // applies in addition to the rules; null: none
    bool cross = false;                        // keys and values are computed from
                                               // Tensor::value_tokens
    std::optional<Rotary> rotary{};
    bool relative_bias = true;                      // uses the layer's own, if it has one
    std::optional<RelativeParameters> made_bias{};  // used instead of it
    bool trained_so = true;  // false: a whole model gets another kind of positions than in training
    // Input of the projections if there is no norm before them; for the first bare layer, the
    // tokens.
    Tensor reads = Tensor::tokens;
};

// True if queries may be computed from other tokens than keys and values: in a decoder, and in a
// single attention layer without norms and MLP.
bool takes_queries(const Model& model);

// The settings of layer b under these changes. Throws RecipeError for a head that the layer does
// not have and for a change that it does not support; for bare layers also AttentionError
// (validate).
LayerSettings settings_of(const Model& model, int b, const Counterfactual& change);

// From the picture file to the patches, as layer b needs them.
std::vector<Node> picture_nodes(const Model& model, int b, const Recipe& recipe);
// From the patches to the input of the first layer, `to`.
std::vector<Node> token_nodes(const Model& model, const PositionChoice& positions,
                              Tensor to = Tensor::tokens);
// Learned queries, which replace Tensor::tokens. Requires recipe.queries.
Node query_node(const Model& model, const Recipe& recipe);
// Replaces both of the above: the tokens that a recipe gives, and the queries. Adds positions if
// the recipe selects a kind; "model" means none here. Throws RecipeError for positions with two
// kinds of tokens.
std::vector<Node> given_nodes(const Model& model, const Recipe& recipe);
// One layer, from Tensor::input to Tensor::output. The first bare layer's input has two names:
// without a norm at its start, Tensor::tokens is the operand.
std::vector<Node> layer_nodes(const Layer& layer, const LayerSettings& settings);
// Attention-only import: the node of layer b.
std::vector<Node> map_nodes(const Model& model, int b);
// The nodes after the last layer, from Tensor::encoded.
std::vector<Node> end_nodes(const Model& model);

}  // namespace headlight
