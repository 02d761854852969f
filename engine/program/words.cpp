#include "program/words.h"

#include <utility>

#include "program/texts.h"
#include "program/values.h"

namespace headlight {

std::string_view letter_of(Tensor tensor) {
    const std::string_view symbol = info(tensor).symbol;
    return symbol.substr(0, symbol.find('_'));
}

std::string symbol_of(Tensor tensor, std::string_view letter) {
    const TensorInfo& about = info(tensor);
    std::string markup = "{" + std::string(about.name) + ":" + std::string(letter) + "}";
    markup += about.symbol.substr(letter_of(tensor).size());
    if (about.per_head) markup += "_{#}";
    return markup;
}

std::string symbol_of(Tensor tensor) { return symbol_of(tensor, letter_of(tensor)); }

Node named_node(Step id, Op op, Place place) {
    Node node;
    node.id = id;
    node.op = op;
    node.place = place;
    node.title = text_of(id).title;
    node.meaning = text_of(id).meaning;
    return node;
}

namespace {

std::string linear_equation(const Node& node) {
    std::string text = symbol_of(node.result()) + " = " + symbol_of(node.operands[0]) + " " +
                       symbol_of(node.operands[1]) + "^{T}";
    if (const auto bias = node.bias()) text += " + " + symbol_of(*bias);
    return text;
}

std::string norm_equation(const Node& node) {
    const std::string rows(info(node.results[1]).name), affine(info(node.weights[0].name).name);
    return symbol_of(node.result()) + " = (" + symbol_of(node.operands[0]) + " − {" + rows +
           ":μ}) / {" + rows + ":σ} · {" + affine + ":γ} + {" + affine + ":β}";
}

// Without the bias where the node has none.
std::string linear_line(const Node& node, const LinearNames& names) {
    const std::string of(names.weight);
    return std::string(names.result) + " = F.linear(" + std::string(names.operand) + ", W_" + of +
           (node.bias() ? ", b_" + of : "") + ")";
}

std::string norm_line(const Norm& norm, const NormNames& names) {
    const std::string result(names.result), operand(names.operand), width(names.width);
    const std::string rest = std::string(names.gamma) + ", " + std::string(names.beta) +
                             ", eps=" + number_text(norm.eps) + ")";
    if (norm.is_of_batch())  // BatchNorm1d expects channels as the second dimension
        return result + " = F.batch_norm(" + operand + ".mT, mean, var, " + rest + ".mT";
    return result + " = F.layer_norm(" + operand + ", (" + width + ",), " + rest;
}

Node batch_norm_node(Node node, const Norm& norm, const NormTensors& tensors) {
    node.op = Op::batch_norm;
    node.operands = {tensors.operand, *tensors.running};
    node.results = {tensors.result};
    node.weights.push_back({*tensors.running, norm.running});
    const std::string running(info(*tensors.running).name), affine(info(tensors.affine).name);
    node.equation = symbol_of(tensors.result) + " = (" + symbol_of(tensors.operand) + " − {" +
                    running + ":μ}) / {" + running + ":σ} · {" + affine + ":γ} + {" + affine +
                    ":β}";
    node.title = "Batch norm";
    node.meaning =
        "Every channel is normalized with a mean and a standard deviation stored in training, the "
        "same for all tokens. Then γ and β scale and shift it. The mean was taken over all tokens "
        "of many samples. This works badly for padded sequences of unequal length.";
    return node;
}

}  // namespace

Node linear_node(Node node, const Linear& layer, const LinearTensors& tensors,
                 const LinearNames& names) {
    node.operands = {tensors.operand, tensors.weight};
    node.results = {tensors.result};
    node.weights = {{tensors.weight, layer.weight}};
    if (layer.bias) node.weights.push_back({tensors.bias, layer.bias});
    node.equation = linear_equation(node);
    node.pytorch = linear_line(node, names);
    return node;
}

Node norm_node(Node node, const Norm& norm, const NormTensors& tensors, const NormNames& names) {
    node.operands = {tensors.operand};
    node.results = {tensors.result, tensors.rows};
    node.weights = {{tensors.affine, norm.gamma}, {tensors.affine, norm.beta}};
    node.parameters = NormParameters{norm.eps};
    node.equation = norm_equation(node);
    node.pytorch = norm_line(norm, names);
    if (norm.is_of_batch()) return batch_norm_node(std::move(node), norm, tensors);
    return node;
}

namespace {

struct GateWords {
    std::string_view title, curve, pytorch;
};

GateWords gate_words(Activation curve) {
    switch (curve) {
        case Activation::gelu:
            return {"GEGLU", "gelu", "F.gelu(a)"};
        case Activation::gelu_tanh:
            return {"GEGLU", "gelu_{tanh}", "F.gelu(a, approximate='tanh')"};
        case Activation::quick_gelu:
            return {"Quick GEGLU", "quick_{gelu}", "a * torch.sigmoid(1.702 * a)"};
        case Activation::relu:
            return {"ReGLU", "relu", "F.relu(a)"};
        default:
            return {"SwiGLU", "silu", "F.silu(a)"};
    }
}

void say_gated(Node& node, Activation curve) {
    const auto [title, name, line] = gate_words(curve);
    const std::string g = symbol_of(node.result()), h = symbol_of(node.operands[0]);
    node.title = title;
    node.equation = g + " = " + std::string(name) + "(" + h + "_{left}) · " + h + "_{right}";
    node.pytorch = "a, b = H.chunk(2, dim=-1); G = " + std::string(line) + " * b";
    node.meaning =
        "The hidden row has two halves. The left half goes through a curve and becomes a gate. The "
        "gate multiplies the right half: it passes each channel, weakens it or flips its sign.";
}

}  // namespace

Node activation_node(Node node, Activation activation) {
    node.parameters = ActivateParameters{false, activation};
    const std::string g = symbol_of(node.result()), h = symbol_of(node.operands[0]);
    const auto say = [&](std::string title, const std::string& right, std::string line) {
        node.title = std::move(title);
        node.equation = g + " = " + right;
        node.pytorch = std::move(line);
    };
    if (is_gated(activation)) {
        say_gated(node, curve_of(activation));
        return node;
    }
    switch (activation) {
        case Activation::gelu:
            say("GELU", h + " · Φ(" + h + ")", "G = F.gelu(H)");
            break;
        case Activation::gelu_tanh:
            say("GELU", "gelu_{tanh}(" + h + ")", "G = F.gelu(H, approximate='tanh')");
            break;
        case Activation::quick_gelu:
            say("Quick GELU", h + " · σ(1.702 " + h + ")", "G = H * torch.sigmoid(1.702 * H)");
            break;
        case Activation::silu:
            say("SiLU", h + " · σ(" + h + ")", "G = F.silu(H)");
            break;
        default:
            say("ReLU", "max(" + h + ", 0)", "G = F.relu(H)");
            break;
    }
    return node;
}

}  // namespace headlight
