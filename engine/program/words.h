#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "trace/node.h"

// The pieces that nodes' words are made of.
namespace headlight {

// A tensor's symbol for an equation, with its name: "{norm1:N}_{1}"; where it is kept per head with
// the head's number: "{query:Q}_{#}".
std::string symbol_of(Tensor tensor);
std::string symbol_of(Tensor tensor, std::string_view letter);  // under another letter
std::string_view letter_of(Tensor tensor);                      // without a subscript: "W"

// A node with the title and the meaning that texts.h has for its step.
Node named_node(Step id, Op op, Place place);

// Of the line "Z = F.linear(O, W_o, b_o)". `weight` is what stands behind W_ and b_.
struct LinearNames {
    std::string_view result, operand, weight;
};

// A linear node with its weights and words.
struct LinearTensors {
    Tensor operand, weight, bias, result;
};
Node linear_node(Node node, const Linear& layer, const LinearTensors& tensors,
                 const LinearNames& names);

struct NormTensors {
    Tensor operand, rows, affine, result;
    std::optional<Tensor> running{};  // of a norm that may be a batch norm
};
// Of the line "N1 = F.layer_norm(X, (D,), g1, b1, eps=1e-06)".
struct NormNames {
    std::string_view result, operand, width = "D", gamma = "g", beta = "b";
};
// Of a batch norm operation, words and line are others.
Node norm_node(Node node, const Norm& norm, const NormTensors& tensors, const NormNames& names);

// The MLP's curve, once the node has its operand and result.
Node activation_node(Node node, Activation activation);

}  // namespace headlight
