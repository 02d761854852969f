#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "program/attention_pool.h"
#include "program/program.h"
#include "program/words.h"

namespace headlight {

namespace {

Node end_node(Step step, Op op) { return named_node(step, op, Place::end); }

Node pool_node(const Model& model, Tensor tokens) {
    Node node = end_node(Step::pool, Op::pool);
    node.operands = {tokens};
    node.results = {Tensor::pooled};
    node.parameters = PoolParameters{model.pooling};
    const std::string rows = symbol_of(tokens), pooled = symbol_of(Tensor::pooled) + " = ",
                      n(letter_of(tokens));
    node.equation = pooled + rows + "[0]";
    node.pytorch = "c = " + n + "[:, 0]";
    switch (model.pooling) {
        case Pooling::class_token:
        case Pooling::attention:  // has nodes of its own
        case Pooling::none:
            break;
        case Pooling::class_and_distillation:
            node.equation = pooled + "[" + rows + "[0] " + rows + "[1]]";
            node.pytorch = "c = " + n + "[:, :2].flatten(1)";
            node.meaning =
                "In this model, two tokens represent the whole image: the class token and the "
                "distillation token. Their rows are concatenated, and each has its own head.";
            break;
        case Pooling::class_and_patches:
            node.equation = pooled + "[" + rows + "[0] mean(" + rows + ")]";
            node.pytorch =
                "c = torch.cat([" + n + "[:, 0], " + n + "[:, prefix:].mean(dim=1)], dim=1)";
            node.meaning =
                "Two rows represent the whole image, side by side: the class token, which has "
                "gathered information from all patches, and the mean over the patches.";
            break;
        case Pooling::patches:
            node.equation = pooled + "mean(" + rows + ")";
            node.pytorch = "c = " + n + "[:, prefix:].mean(dim=1)";
            node.meaning =
                "One row has to represent the whole image. This model takes the mean over all "
                "patches and leaves out tokens that belong to no patch.";
            break;
    }
    return node;
}

// The activation of the pooler. Activations other than tanh belong to heads with two linear layers.
Node curve_node(HeadCurve curve) {
    Node node = end_node(Step::pooler_tanh, Op::activate);
    node.operands = {Tensor::pooler_hidden};
    node.results = {Tensor::pooler};
    const std::string before = symbol_of(Tensor::pooler_hidden);
    const auto say = [&](Activation activation, std::string title, const std::string& right,
                         std::string line) {
        node.parameters = ActivateParameters{false, activation};
        node.title = std::move(title);
        node.equation = symbol_of(Tensor::pooler) + " = " + right;
        node.pytorch = std::move(line);
        node.meaning =
            "The head has two linear layers with this activation between them. Without it, the two "
            "would be one linear layer.";
    };
    switch (curve) {
        case HeadCurve::tanh:
        case HeadCurve::none:  // has no node
            node.parameters = ActivateParameters{.tanh = true};
            node.equation = symbol_of(Tensor::pooler) + " = tanh(" + before + ")";
            node.pytorch = "p = p.tanh()";
            break;
        case HeadCurve::relu:
            say(Activation::relu, "ReLU", "max(" + before + ", 0)", "p = F.relu(p)");
            break;
        case HeadCurve::gelu:
            say(Activation::gelu, "GELU", before + " · Φ(" + before + ")", "p = F.gelu(p)");
            break;
        case HeadCurve::gelu_tanh:
            say(Activation::gelu_tanh, "GELU", "gelu_{tanh}(" + before + ")",
                "p = F.gelu(p, approximate='tanh')");
            break;
        case HeadCurve::quick_gelu:
            say(Activation::quick_gelu, "Quick GELU", before + " · σ(1.702 " + before + ")",
                "p = p * torch.sigmoid(1.702 * p)");
            break;
        case HeadCurve::silu:
            say(Activation::silu, "SiLU", before + " · σ(" + before + ")", "p = F.silu(p)");
            break;
    }
    return node;
}

// Returns the input of the classifier.
Tensor add_pooler(const Model& model, Tensor pooled, std::vector<Node>& nodes) {
    nodes.push_back(
        linear_node(end_node(Step::pooler, Op::linear), model.pooler,
                    {pooled, Tensor::pooler_weight, Tensor::pooler_bias, Tensor::pooler_hidden},
                    {"p", "c", "p"}));
    if (model.pooler_curve != HeadCurve::tanh) {
        nodes.back().title = "Hidden layer";
        nodes.back().meaning =
            "The head has two linear layers. The first turns the pooled row into a hidden row.";
    }
    if (model.pooler_curve == HeadCurve::none) return Tensor::pooler_hidden;
    nodes.push_back(curve_node(model.pooler_curve));
    return Tensor::pooler;
}

Node classify_node(const Model& model, Tensor pooled) {
    Node node =
        linear_node(end_node(Step::classify, Op::classify), model.classifier,
                    {pooled, Tensor::classifier_weight, Tensor::classifier_bias, Tensor::logits},
                    {"y", model.pooler.exists() ? "p" : "c", "h"});
    if (model.pooling == Pooling::class_and_distillation) {
        const auto half = [&](const std::string& which) {
            return "½({" + std::string(info(pooled).name) + ":c}_{" + which +
                   "} {head_weight:W}_{" + which + "}^{T} + {head_bias:b}_{" + which + "})";
        };
        node.equation += " = " + half("1") + " + " + half("2");
        node.pytorch = "y = (F.linear(c[:, :D], W_1, b_1) + F.linear(c[:, D:], W_2, b_2)) / 2";
        node.meaning =
            "Two heads compute logits, one from the class token and one from the distillation "
            "token, and the model averages them. So the weight shown here is half of each head's "
            "weight, side by side. The bias is the mean of the two biases.";
    }
    if (!model.gives_embedding) return node;
    node.title = "Project";
    node.equation = "{logits:e}" + node.equation.substr(symbol_of(Tensor::logits).size());
    node.pytorch = model.pooler.exists() ? "e = p @ proj" : "e = c @ proj";
    if (model.classifier.bias) node.pytorch += " + b_h";  // only EVA-02 has it
    node.meaning =
        "The pooled row is projected into the space that images and texts share. An image and a "
        "sentence that belong together point in the same direction there.";
    return node;
}

}  // namespace

namespace {

// For a model with a twin head: where is the same object a second time?
std::vector<Node> twin_nodes(const TwinHead& twin, Tensor tokens) {
    const std::string_view letter = letter_of(tokens);
    Node point = end_node(Step::point, Op::point);
    point.operands = {Tensor::twin_query, Tensor::twin_key};
    point.results = {Tensor::pointing};
    const Index width = twin.query.weight->view().rows;
    point.parameters = ScaleParameters{1 / std::sqrt(static_cast<float>(width))};
    point.equation = symbol_of(Tensor::pointing) + " = " + symbol_of(Tensor::twin_query) + " " +
                     symbol_of(Tensor::twin_key) + "^{T} / √" + std::to_string(width);
    point.pytorch =
        "T = q @ k[:, prefix:].transpose(-2, -1) / math.sqrt(" + std::to_string(width) + ")";
    point.meaning =
        "The query of every token is compared with the keys of the patches: one logit for each "
        "patch, as in attention. A patch of an object that appears twice was trained to point at "
        "the center of the other one. The outputs of other patches were never trained.";
    return {linear_node(
                end_node(Step::twin_query, Op::linear), twin.query,
                {tokens, Tensor::twin_query_weight, Tensor::twin_query_bias, Tensor::twin_query},
                {"q", letter, "q"}),
            linear_node(end_node(Step::twin_key, Op::linear), twin.key,
                        {tokens, Tensor::twin_key_weight, Tensor::twin_key_bias, Tensor::twin_key},
                        {"k", letter, "k"}),
            std::move(point)};
}

}  // namespace

std::vector<Node> end_nodes(const Model& model) {
    std::vector<Node> nodes;
    if (model.is_maps()) return nodes;
    Tensor tokens = Tensor::encoded;
    if (model.norm.exists()) {
        nodes.push_back(norm_node(end_node(Step::norm, Op::norm), model.norm,
                                  {tokens, Tensor::norm_rows, Tensor::norm_affine, Tensor::norm},
                                  {"N", "X"}));
        tokens = Tensor::norm;
    }
    if (model.pooling == Pooling::none) return nodes;
    Tensor pooled = Tensor::pooled;
    if (model.pooling == Pooling::attention)
        for (Node& node : attention_pool_nodes(model, tokens)) nodes.push_back(std::move(node));
    else if (model.classifier.exists() || model.pooled_norm.exists() || model.pooler.exists() ||
             model.gives_pooler)
        nodes.push_back(pool_node(model, tokens));
    if (model.pooled_norm.exists()) {
        nodes.push_back(norm_node(
            end_node(Step::pooled_norm, Op::norm), model.pooled_norm,
            {pooled, Tensor::pooled_norm_rows, Tensor::pooled_norm_affine, Tensor::pooled_norm},
            {"c", "c"}));
        pooled = Tensor::pooled_norm;
    }
    if (model.pooler.exists()) pooled = add_pooler(model, pooled, nodes);
    if (model.classifier.exists()) nodes.push_back(classify_node(model, pooled));
    if (model.objects.exists())
        nodes.push_back(
            linear_node(end_node(Step::objects, Op::linear), model.objects,
                        {tokens, Tensor::object_weight, Tensor::object_bias, Tensor::objects},
                        {"o", letter_of(tokens), "o"}));
    if (model.twin.exists())
        for (Node& node : twin_nodes(model.twin, tokens)) nodes.push_back(std::move(node));
    if (model.pointing.exists())
        nodes.push_back(
            linear_node(end_node(Step::point, Op::linear), model.pointing,
                        {tokens, Tensor::pointing_weight, Tensor::pointing_bias, Tensor::pointing},
                        {"T", letter_of(tokens), "t"}));
    return nodes;
}

}  // namespace headlight
