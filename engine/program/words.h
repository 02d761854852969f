#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "trace/node.h"

// Building blocks for the texts of nodes.
namespace headlight {

// A tensor's symbol for an equation, with its name: "{norm1:N}_{1}". Tensors stored per head get
// the head's number: "{query:Q}_{#}".
std::string symbol_of(Tensor tensor);
std::string symbol_of(Tensor tensor, std::string_view letter);  // under another letter
std::string_view letter_of(Tensor tensor);                      // without a subscript: "W"

// A node with the title and the meaning of its step from texts.h.
Node named_node(Step id, Op op, Place place);

// The names in the line "Z = F.linear(O, W_o, b_o)": result, operand and subscript of W_ and b_.
struct LinearNames {
    std::string_view result, operand, weight;
};

// A linear node with its weights and texts.
struct LinearTensors {
    Tensor operand, weight, bias, result;
};
Node linear_node(Node node, const Linear& layer, const LinearTensors& tensors,
                 const LinearNames& names);

struct NormTensors {
    Tensor operand, rows, affine, result;
    std::optional<Tensor> running{};  // for a norm that may be a batch norm
};
// Names in the line "N1 = F.layer_norm(X, (D,), g1, b1, eps=1e-06)".
struct NormNames {
    std::string_view result, operand, width = "D", gamma = "g", beta = "b";
};
// A batch norm gets another operation, other texts and another line.
Node norm_node(Node node, const Norm& norm, const NormTensors& tensors, const NormNames& names);

// Adds the MLP's activation to a node that has its operand and result.
Node activation_node(Node node, Activation activation);

}  // namespace headlight
