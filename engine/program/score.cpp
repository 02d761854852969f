#include "program/score.h"

#include <string>
#include <utility>

#include "kernels/counted.h"
#include "program/words.h"

namespace headlight {

namespace {

Node score_node(Step step, Op op) { return named_node(step, op, Place::layer); }

std::string shape_of(Index rows, Index cols) {
    return "[" + std::to_string(rows) + ", " + std::to_string(cols) + "]";
}

Node unit_node(Step step, Tensor from, Tensor to) {
    Node node = score_node(step, Op::unit);
    const std::string operand = symbol_of(from), letter(letter_of(from));
    node.operands = {from};
    node.results = {to};
    node.equation = symbol_of(to) + " = " + operand + " / ‖" + operand + "‖";
    const std::string lower = from == Tensor::query ? "q" : "k";
    node.pytorch = lower + " = F.normalize(" + lower + ", dim=-1, eps=0).nan_to_num()";
    node.title = "Unit " + letter;
    node.meaning =
        std::string("Every ") + (from == Tensor::query ? "query" : "key") +
        " is scaled to length 1, so that only its direction is left. The product of two such rows "
        "is the cosine of the angle between them, whatever their lengths were.";
    return node;
}

// A separate weight per head, such as some columns of a score weight.
Node linear_heads_node(Step step, const SharedResult& weight, Tensor from, Tensor name, Tensor to) {
    Node node = score_node(step, Op::linear_heads);
    node.operands = {from, name};
    node.results = {to};
    node.weights = {{name, weight}};
    node.equation = symbol_of(to) + " = " + symbol_of(from) + " " + symbol_of(name) + "^{T}";
    return node;
}

SharedResult columns_of(const SharedResult& weight, Index first, Index cols) {
    if (!weight) return nullptr;
    const MatrixView view = weight->view();
    return make_result(view.block(0, first, view.rows, cols), weight);
}

Node products_node(Op op, Tensor query, Tensor key) {
    Node node = score_node(Step::products, op);
    node.operands = {query, key};
    node.results = {Tensor::products};
    node.equation =
        symbol_of(Tensor::products) + " = " + symbol_of(query) + " " + symbol_of(key) + "^{T}";
    node.pytorch = "R = q @ k.transpose(-2, -1)";
    return node;
}

std::vector<Node> cosine_nodes() {
    Node products = products_node(Op::multiply, Tensor::score_query, Tensor::score_key);
    products.meaning =
        "Every query is multiplied by every key. The product of two rows of length 1 is the cosine "
        "of the angle between them, from −1 to 1. The lengths of query and key have no effect.";
    return {unit_node(Step::score_query, Tensor::query, Tensor::score_query),
            unit_node(Step::score_key, Tensor::key, Tensor::score_key), products};
}

std::vector<Node> general_nodes(const Layer& layer) {
    Node keys = linear_heads_node(Step::score_key, layer.score.weight, Tensor::key,
                                  Tensor::score_key_weight, Tensor::score_key);
    keys.title = "W k";
    keys.pytorch = "k = k @ W_score.transpose(-2, -1)";
    keys.meaning =
        "Each key is first multiplied by a learned matrix of its head: S is q·W·k. This lets a "
        "query look for something other than what is most like itself.";
    return {keys, products_node(Op::multiply, Tensor::query, Tensor::score_key)};
}

std::vector<Node> additive_nodes(const Layer& layer, Index width) {
    const SharedResult& weight = layer.score.weight;
    Node queries = linear_heads_node(Step::score_query, columns_of(weight, 0, width), Tensor::query,
                                     Tensor::score_query_weight, Tensor::score_query);
    queries.title = "W q";
    queries.pytorch = "wq = q @ W_score[..., :hd].transpose(-2, -1)";
    queries.meaning =
        "An additive score is a small network whose input is query and key side by side. Its first "
        "layer's weight has one half for the query and one for the key. This step computes the "
        "query's half, once for every query.";
    Node keys = linear_heads_node(Step::score_key, columns_of(weight, width, width), Tensor::key,
                                  Tensor::score_key_weight, Tensor::score_key);
    keys.title = "W k";
    keys.pytorch = "wk = k @ W_score[..., hd:].transpose(-2, -1)";
    keys.meaning =
        "This step computes the key's half of the first layer, once for every key. The next step "
        "adds both halves, for every pair of query and key.";
    Node scores = products_node(Op::additive, Tensor::score_query, Tensor::score_key);
    scores.operands.push_back(Tensor::score_vector);
    scores.weights = {{Tensor::score_vector, layer.score.vector}};
    scores.title = "v · tanh";
    scores.equation = symbol_of(Tensor::products) + " = " + symbol_of(Tensor::score_vector) +
                      "^{T} tanh(" + symbol_of(Tensor::score_query) + " + " +
                      symbol_of(Tensor::score_key) + ")";
    scores.pytorch =
        "R = (torch.tanh(wq[..., :, None, :] + wk[..., None, :, :]) * v_s[:, None, None]).sum(-1)";
    scores.meaning =
        "For every pair the two halves are added, go through tanh, and are multiplied by a "
        "learned vector. The first attention models used this score. Dot products replaced it "
        "because they are cheaper.";
    return {queries, keys, scores};
}

std::vector<Node> location_nodes(const Layer& layer) {
    Node keys = score_node(Step::score_key, Op::learned_keys);
    keys.operands = {Tensor::score_key_weight};
    keys.results = {Tensor::score_key};
    keys.weights = {{Tensor::score_key_weight, layer.score.weight}};
    keys.title = "Places";
    keys.equation = symbol_of(Tensor::score_key) + " = " + symbol_of(Tensor::score_key_weight);
    keys.pytorch = "k = W_score";
    keys.meaning =
        "With scores by location, the key's own numbers are not used. Each place has a learned "
        "row, and the query is multiplied by that row. The score does not depend on what is at "
        "that place.";
    return {keys, products_node(Op::multiply, Tensor::query, Tensor::score_key)};
}

Node features_node(Step step, const Layer& layer, Tensor from, Tensor to) {
    Node node = score_node(step, Op::features);
    const bool query = from == Tensor::query;
    const std::string x = symbol_of(from), w = symbol_of(Tensor::feature_weight);
    node.operands = {from, Tensor::feature_weight};
    node.results = {to};
    node.weights = {{Tensor::feature_weight, layer.features}};
    const std::string count = std::to_string(layer.features->view().rows);
    node.equation =
        symbol_of(to) + " = exp(" + x + " " + w + "^{T} − ‖" + x + "‖^{2}/2) / √" + count;
    const std::string l = query ? "q" : "k";
    node.pytorch = l + "f = torch.exp(" + l + " @ w.T - (" + l + " * " + l +
                   ").sum(-1, keepdim=True) / 2) / math.sqrt(" + count + ")";
    node.title = query ? "Features of Q" : "Features of K";
    node.meaning = std::string("A performer never compares ") +
                   (query ? "a query with the keys" : "a key with the queries") +
                   " themselves. Fixed random rows w turn both into positive features. On average, "
                   "the product of these features approximates exp(q·k). This gives the softmax "
                   "without its quadratic cost.";
    return node;
}

Node share_node() {
    constexpr float kEps = 1e-8F;  // as in Token_performer
    Node node = score_node(Step::softmax, Op::share);
    node.operands = {Tensor::products};
    node.results = {Tensor::attention};
    node.parameters = ShareParameters{kEps};
    const std::string r = symbol_of(Tensor::products);
    node.title = "Normalize";
    node.equation = symbol_of(Tensor::attention) + " = " + r + " / (Σ " + r + " + 10^{−8})";
    node.pytorch = "A = R / (R.sum(-1, keepdim=True) + 1e-8)";
    node.meaning =
        "Each row is divided by its sum, so that it sums to 1. The performer itself never computes "
        "this matrix: it multiplies keys and values first, which gives the same result at a lower "
        "cost.";
    return node;
}

}  // namespace

std::vector<Node> performer_nodes(const Layer& layer) {
    Node products = products_node(Op::multiply, Tensor::query_features, Tensor::key_features);
    products.title = "Φ·Φ";
    products.pytorch = "R = qf @ kf.transpose(-2, -1)";
    products.meaning =
        "The features of every query are multiplied by those of every key, and the products are "
        "added up. All of them are positive, and so is the sum, which replaces the exponential of "
        "a score.";
    return {features_node(Step::score_query, layer, Tensor::query, Tensor::query_features),
            features_node(Step::score_key, layer, Tensor::key, Tensor::key_features), products,
            share_node()};
}

std::vector<Node> score_nodes(const Layer& layer, const AttentionConfig& config) {
    switch (config.score()) {
        case Score::scaled_dot:
        case Score::dot:
            break;
        case Score::cosine:
            return cosine_nodes();
        case Score::general:
            return general_nodes(layer);
        case Score::additive:
            return additive_nodes(layer, config.head_dim());
        case Score::location:
            return location_nodes(layer);
    }
    return {products_node(Op::multiply, Tensor::query, Tensor::key)};
}

void expect_score_weights(const Layer& layer, const AttentionConfig& config,
                          const std::string& whose) {
    const ScoreInfo& score = info(config.score());
    if (score.weight.empty()) return;
    const auto refuse = [&](const std::string& name, std::string_view shape,
                            const std::string& found) {
        throw AttentionError(whose + ": expected " + name + " " + std::string(shape) +
                             " for the score " + std::string(name_of(score.id)) + ", found " +
                             found + ".");
    };
    const auto& [heads, weight, vector] = layer.score;
    if (!weight) refuse("score.weight", score.weight, "none");
    const MatrixView w = weight->view();
    const Index width = config.head_dim(), rows = w.rows / heads;
    const Index cols = score.id == Score::additive ? 2 * width : width;
    const bool square = score.id != Score::general || rows == width;
    if (heads != config.heads || w.cols != cols || !square)
        refuse("score.weight", score.weight,
               counted(heads, "head") + " of " + shape_of(rows, w.cols) + " for " +
                   counted(config.heads, "head") + " of " + counted(width, "channel"));
    if (score.vector.empty()) return;
    if (!vector) refuse("score.v", score.vector, "none");
    if (vector->view().rows != heads || vector->view().cols != rows)
        refuse("score.v", score.vector, shape_of(vector->view().rows, vector->view().cols));
}

}  // namespace headlight
