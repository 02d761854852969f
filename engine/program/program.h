#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "program/head_place.h"
#include "program/recipe.h"
#include "trace/node.h"

// The builders of programs: what a configuration comes to, as nodes in the order of computation.
// Nothing else decides which steps there are.
namespace headlight {

// What the person changed in all layers.
struct Counterfactual {
    std::optional<float> scale;  // instead of the model's
    float temperature = 1.0F;
    std::vector<HeadPlace> switched_off{};  // their A·V is put to zero
    MaskRules mask{};
    PositionChoice position{};
    // Of bare layers, what their file cannot say; a whole model decides these itself.
    std::optional<int> heads{};
    std::optional<Skip> skip{};
    AttentionVariant variant{};
    // Of the tokens, where there are no projections: then they may be of any width.
    std::optional<int> token_width{};
    std::shared_ptr<const Mask> given_mask{};  // beside the rules; null: none
    bool cross = false;                        // keys and values are made of other tokens

    friend bool operator==(const Counterfactual&, const Counterfactual&) = default;
};

// What a recipe changes in the layers of that model.
Counterfactual counterfactual_of(const Recipe& recipe, const Model& model);

// What a layer is computed with, beside its weights.
struct LayerSettings {
    AttentionConfig attention;
    std::vector<Index> switched_off{};  // heads
    MaskRules mask{};
    std::shared_ptr<const Mask> given_mask{};  // beside them; null: none
    bool cross = false;                        // keys and values are of Tensor::value_tokens
    std::optional<Rotary> rotary{};
    bool relative_bias = true;  // the layer's, where it has one
    std::optional<RelativeParameters> made_bias{};  // instead of it
    bool trained_so = true;  // false: a whole model is told positions in another way than its own
    // What is read where no norm stands before the products: of the first bare layer the tokens.
    Tensor reads = Tensor::tokens;
};

// Whether queries may be made of other tokens than keys and values: in a decoder, and in a lone
// attention layer without norms and MLP.
bool takes_queries(const Model& model);

// Layer b of the model with what is changed. Throws RecipeError for a head that it has not, and for
// a change that the layer cannot take; of bare layers also AttentionError (validate).
LayerSettings settings_of(const Model& model, int b, const Counterfactual& change);

// From the file of a picture to the patches, as the tokens of layer b are made of them.
std::vector<Node> picture_nodes(const Model& model, int b, const Recipe& recipe);
// From the patches to what enters the first layer; `to` is what it is called there.
std::vector<Node> token_nodes(const Model& model, const PositionChoice& positions,
                              Tensor to = Tensor::tokens);
// Learned queries, which stand in the place of Tensor::tokens. Requires recipe.queries.
Node query_node(const Model& model, const Recipe& recipe);
// Instead of both: the tokens that a recipe gives, and the queries. Positions are added where it
// names some; "model" is none here. Throws RecipeError for positions of two kinds of tokens.
std::vector<Node> given_nodes(const Model& model, const Recipe& recipe);
// One layer, from Tensor::input to Tensor::output. The first bare layer's input has two names:
// without a norm before it, Tensor::tokens is read.
std::vector<Node> layer_nodes(const Layer& layer, const LayerSettings& settings);
// Attention-only import: what is there of layer b.
std::vector<Node> map_nodes(const Model& model, int b);
// After the last layer, from Tensor::encoded.
std::vector<Node> end_nodes(const Model& model);

}  // namespace headlight
