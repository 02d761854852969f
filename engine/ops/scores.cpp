#include "ops/scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/recycle.h"
#include "ops/limits.h"
#include "ops/table.h"
#include "positions/relative.h"

namespace headlight {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Marks a matrix to be computed for one head on demand.
void promise(Trace& trace, Tensor tensor) {
    Slot slot;
    slot.stacking = Slot::Stacking::heads_down;
    slot.heads = trace.shape.heads;
    slot.promised = next_version();
    trace.set(tensor, std::move(slot));
}

// One cell of Q·Kᵀ, stored or not.
float product_of(const Trace& trace, Index head, Index row, Index col) {
    const MatrixView kept = trace.view(Tensor::products, 0, head);
    if (!kept.empty()) return kept(row, col);
    const MatrixView query = trace.view(Tensor::query, 0, head),
                     key = trace.view(Tensor::key, 0, head);
    double sum = 0;
    for (Index i = 0; i < query.cols; ++i) sum += static_cast<double>(query(row, i)) * key(col, i);
    return static_cast<float>(sum);
}

// product_of times the scale step's factor.
float scaled_of(const Trace& trace, Index head, Index row, Index col) {
    const MatrixView kept = trace.view(Tensor::scaled, 0, head);
    return kept.empty() ? product_of(trace, head, row, col) * factor_of(trace) : kept(row, col);
}

// The relative bias of the offset from query to key; 0 if there is none.
float bias_of(const Trace& trace, Index head, Index row, Index col) {
    const Node* node = trace.node(Step::relative_bias);
    if (const auto windows = windows_of(trace, node)) {
        if (!windows->share(row, col)) return 0;
        return node->weights[0].value->view()(windows->offset(row, col), head);
    }
    const MatrixView bias = trace.view(Tensor::relative_bias, 0, head);
    return bias.empty() ? 0 : bias(row, col);
}

// The score before the mask.
float before_mask(const Trace& trace, Index head, Index row, Index col) {
    return scaled_of(trace, head, row, col) + bias_of(trace, head, row, col);
}

// What the mask adds to a score; −∞ if it blocks the key.
double added_to(const Trace& trace, Index head, Index row, Index col) {
    const Node* mask = trace.node(Step::mask);
    if (mask == nullptr) return 0;
    const auto& [rules, given, window] = mask->get<MaskParameters>();
    const std::optional<Windows> windows = windows_of(trace, mask);
    const bool is_given =
        (given && given->blocks(0, row, col)) || (windows && !windows->share(row, col));
    if (is_given || blocks(rules, token_grid_of(trace), row, col)) return -kInfinity;
    const float* added = given ? given->added_row(0, head, row) : nullptr;
    return (added == nullptr ? 0 : added[col]) +
           (windows && windows->are_apart(row, col) ? Windows::kApart : 0);
}

// One row of scores, [1, M]; empty for attention-only import, which has none.
Matrix scores_of(const Trace& trace, Index head, Index row) {
    const MatrixView kept = trace.view(Tensor::scores, 0, head);
    if (!kept.empty()) return kept.eigen().row(row);
    if (!trace.has(Tensor::query)) return {};
    Matrix scores(1, trace.shape.keys);
    for (Index m = 0; m < trace.shape.keys; ++m)
        scores(0, m) =
            static_cast<float>(before_mask(trace, head, row, m) + added_to(trace, head, row, m));
    return scores;
}

// True if the whole row is masked; its attention weights are then zero by definition.
bool is_all_blocked(const MatrixView& row) {
    return std::all_of(row.data, row.data + row.cols,
                       [](float score) { return score == -kInfinity; });
}

void share_row(Arithmetic& a, const MatrixView& scores) {
    const float* row = scores.row(0);
    a.row_max = *std::max_element(row, row + scores.cols);
    // NaN and +inf need no special case: they make the sum, and so the whole row, NaN.
    const bool blocked = a.row_blocked = is_all_blocked(scores);
    for (Index m = 0; m < scores.cols; ++m) {
        const double e = blocked ? 0.0 : std::exp(static_cast<double>(row[m]) - a.row_max);
        a.terms.push_back({row[m], 0, static_cast<float>(e)});
        a.sum += e;
    }
    a.numerator = a.terms[static_cast<std::size_t>(a.col)].value;
    a.recomputed = blocked ? 0.0 : a.numerator / a.sum;
}

// One head's bias for every query and key of a window, and 0 elsewhere: [N, N].
Matrix bias_of_windows(const Windows& windows, const MatrixView& table, Index head, Index tokens) {
    Matrix bias = Matrix::Zero(tokens, tokens);
    for (Index query = 0; query < tokens; ++query)
        windows.for_each_of(
            query, [&](Index key, Index offset, bool) { bias(query, key) = table(offset, head); });
    return bias;
}

std::shared_ptr<const Mask> bias_of_head(const Trace& trace, Index head) {
    const Node* node = trace.node(Step::relative_bias);
    const std::optional<Windows> windows = windows_of(trace, node);
    if (!windows) return with_added(nullptr, trace.view(Tensor::relative_bias, 0, head), 1);
    return with_windows(nullptr, {*windows, false, node->weights[0].value, head},
                        trace.shape.queries);
}

void spread_over_windows(const Windows& windows, const SharedResult& table, Trace& trace) {
    trace.set(Tensor::relative_table, table);
    if (!trace.keeps_squares) return promise(trace, Tensor::relative_bias);
    const Index heads = table->view().cols, tokens = trace.shape.queries;
    Matrix bias = new_matrix(heads * tokens, tokens);
    for (Index head = 0; head < heads; ++head)
        bias.middleRows(head * tokens, tokens) =
            bias_of_windows(windows, table->view(), head, tokens);
    trace.set(Tensor::relative_bias, make_result(std::move(bias)));
}

// Expands the table to every pair of query and key, and stores the result in the trace.
void spread_bias(const Node& node, Trace& trace) {
    if (const auto windows = windows_of(trace, &node))
        return spread_over_windows(*windows, node.weights[0].value, trace);
    const auto& parameters = node.get<RelativeParameters>();
    const TokenGrid places = token_grid_of(trace);
    const AttentionShape& shape = trace.shape;
    int rows = parameters.grid_rows, cols = parameters.grid_cols;
    SharedResult table = parameters.made ? nullptr : node.weights[0].value;
    if (parameters.made) {
        refuse_beyond_memory(2.0 * sizeof(float) * static_cast<double>(shape.heads) *
                                 static_cast<double>(shape.queries) *
                                 static_cast<double>(shape.keys),
                             "This relative position bias", kFewerTokens);
        table = make_result(made_bias_table(*parameters.made, parameters.layer, places,
                                            shape.queries, shape.heads));
        rows = places.rows;
        cols = places.cols;
    }
    trace.set(Tensor::relative_table, table);
    trace.set(Tensor::relative_bias,
              make_result(relative_bias(table->view(), rows, cols, places, shape.queries)));
}

// Scaled products plus relative bias, for the mask that follows.
Matrix sum_with_bias(const Trace& trace) {
    const MatrixView bias = trace.all(Tensor::relative_bias);
    Matrix sum = trace.all(Tensor::scaled).eigen();
    for (Index sample = 0; sample < trace.shape.batch; ++sample)
        sum.middleRows(sample * bias.rows, bias.rows) += bias.eigen();
    return sum;
}

// The attention weight that softmax gives each blocked cell of a row if `instead` replaces −∞.
double leak(const Matrix& row, double instead) {
    double most = -kInfinity, sum = 0;
    Index blocked = 0;
    for (const float score : row.reshaped()) {
        if (score == -kInfinity)
            ++blocked;
        else
            most = std::max(most, static_cast<double>(score));
    }
    if (blocked == row.size()) return std::numeric_limits<double>::quiet_NaN();
    most = std::max(most, instead);
    for (const float score : row.reshaped())
        if (score != -kInfinity) sum += std::exp(score - most);
    const double each = std::exp(instead - most);
    return each / (sum + static_cast<double>(blocked) * each);
}

}  // namespace

std::span<const Node> one_pass(std::span<const Node> nodes) {
    const auto is = [&](std::size_t i, Op op) { return i < nodes.size() && nodes[i].op == op; };
    if (!is(0, Op::scale) || nodes[0].place != Place::layer) return {};
    std::size_t softmax = 1;
    for (const Op between : {Op::relative, Op::mask}) softmax += is(softmax, between) ? 1 : 0;
    return is(softmax, Op::softmax) || is(softmax, Op::largest) ? nodes.first(softmax + 1)
                                                                : std::span<const Node>();
}

void compute_attention(std::span<const Node> pass, Trace& trace, const Tools& tools) {
    validate(trace.config);
    const float factor = pass.front().get<ScaleParameters>().factor;
    const bool biased = pass[1].op == Op::relative, masked = pass[pass.size() - 2].op == Op::mask;
    if (biased) spread_bias(pass[1], trace);
    const std::shared_ptr<const Mask> mask =
        mask_of(trace, biased ? &pass[1] : nullptr, masked ? &pass[pass.size() - 2] : nullptr);
    if (!trace.keeps_squares) {
        for (const Node& node : pass.first(pass.size() - 1)) promise(trace, node.result());
        trace.set(Tensor::attention, nullptr);  // frees its memory for the new one
        trace.set(Tensor::attention,
                  make_result(attention_of(trace.all(Tensor::query), trace.all(Tensor::key), factor,
                                           mask.get(), trace.shape, tools.stop)));
        return;
    }
    auto [scaled, scores, attention] =
        scale_and_softmax(trace.all(Tensor::products), factor, mask.get(), trace.shape, tools.stop,
                          pass.back().op == Op::largest ? Weighting::max : Weighting::softmax);
    if (mask) trace.set(Tensor::scaled, make_result(std::move(scaled)));
    if (biased && masked) trace.set(Tensor::biased, make_result(sum_with_bias(trace)));
    trace.set(Tensor::scores, make_result(std::move(scores)));
    trace.set(Tensor::attention, make_result(std::move(attention)));
}

Matrix compute_for_head(const Trace& trace, Tensor tensor, Index sample, Index head) {
    if (tensor == Tensor::relative_bias) {
        const Node* bias = trace.node(Step::relative_bias);
        return bias_of_windows(*windows_of(trace, bias), bias->weights[0].value->view(), head,
                               trace.shape.queries);
    }
    AttentionShape one = trace.shape;
    one.batch = one.heads = 1;
    Matrix products = query_key_products(trace.view(Tensor::query, sample, head),
                                         trace.view(Tensor::key, sample, head), one);
    if (tensor == Tensor::products) return products;
    std::shared_ptr<const Mask> mask;
    if (tensor == Tensor::biased)
        mask = bias_of_head(trace, head);
    else if (tensor == Tensor::scores && (mask = mask_of(trace)))
        mask = std::make_shared<const Mask>(mask->of(sample, head));
    return scale_and_softmax(products, factor_of(trace), mask.get(), one).scores;
}

bool is_row_blocked(const Trace& trace, Index head, Index row) {
    if (!trace.has(Step::mask)) return false;
    const Matrix scores = scores_of(trace, head, row);
    return scores.size() > 0 && is_all_blocked(scores);
}

namespace ops {

AttentionShape shape_of(const Node& node, const Trace& trace) {
    AttentionShape shape = trace.shape;
    if (node.place == Place::layer) return shape;
    shape.queries = 1;
    shape.keys = trace.all(Tensor::pool_key).rows / shape.batch;
    return shape;
}

void compute_multiply(const Node& node, Trace& trace, const Tools& tools) {
    // A Performer's products have no scale step and are always stored.
    const bool squares = node.place == Place::layer && trace.has(Step::scale);
    if (!trace.keeps_squares && squares) return promise(trace, node.result());
    trace.set(node.result(), make_result(query_key_products(trace.all(node.operands[0]),
                                                            trace.all(node.operands[1]),
                                                            shape_of(node, trace), tools.stop)));
}

// Only for the learned query of attention pooling; a layer's are computed in one pass.
void compute_scale(const Node& node, Trace& trace, const Tools&) {
    if (node.place == Place::layer) return;
    const float factor = node.get<ScaleParameters>().factor;
    trace.set(node.result(), make_result(Matrix(trace.all(node.operands[0]).eigen() * factor)));
}

// Only for attention pooling; a layer's softmax is computed in one pass.
void compute_softmax(const Node& node, Trace& trace, const Tools& tools) {
    if (node.place == Place::layer) return;
    trace.set(node.result(), make_result(scale_and_softmax(trace.all(node.operands[0]), 1, nullptr,
                                                           shape_of(node, trace), tools.stop)
                                             .attention));
}

void explain_multiply(Arithmetic& a, const Node&, const Trace& trace, Index head) {
    add_products(a, trace.view(a.left, 0, head), trace.view(a.right, 0, head), true);
}

void explain_scale(Arithmetic& a, const Node& node, const Trace& trace, Index head) {
    const float product = node.place == Place::layer ? product_of(trace, head, a.row, a.col)
                                                     : trace.view(a.left, 0, head)(a.row, a.col);
    a.factor = node.get<ScaleParameters>().factor;
    a.terms.push_back({product, a.factor, product * a.factor});
    a.sum = product;
    a.recomputed = static_cast<double>(product) * a.factor;
}

// The score plus the bias of the offset.
void explain_relative(Arithmetic& a, const Node&, const Trace& trace, Index head) {
    const float scaled = scaled_of(trace, head, a.row, a.col),
                bias = bias_of(trace, head, a.row, a.col);
    a.terms = {{scaled, 0, scaled}, {bias, 0, bias}};
    a.sum = a.recomputed = static_cast<double>(scaled) + bias;
}

void explain_mask(Arithmetic& a, const Node&, const Trace& trace, Index head) {
    const float scaled = before_mask(trace, head, a.row, a.col);
    const double added = added_to(trace, head, a.row, a.col);
    a.blocked = added == -kInfinity;
    a.terms.push_back({scaled, static_cast<float>(added), static_cast<float>(scaled + added)});
    a.sum = scaled;
    a.recomputed = scaled + added;
    if (!a.blocked) return;
    const Matrix row = scores_of(trace, head, a.row);
    a.row_blocked = is_all_blocked(row);
    a.leak_of_ten = leak(row, -10);
    a.leak_of_hundred = leak(row, -100);
}

void explain_softmax(Arithmetic& a, const Node& node, const Trace& trace, Index head) {
    if (node.place != Place::layer) return share_row(a, trace.view(a.left, 0, head));
    const Matrix scores = scores_of(trace, head, a.row);
    if (scores.size() == 0) return take(a, a.shown);  // attention-only import
    share_row(a, scores);
}

void explain_largest(Arithmetic& a, const Node&, const Trace& trace, Index head) {
    const Matrix scores = scores_of(trace, head, a.row);
    const float* first = scores.data();
    const float* largest = std::max_element(first, first + scores.cols());
    a.row_max = *largest;
    a.runner_up = -std::numeric_limits<float>::infinity();
    for (const float* other = first; other != first + scores.cols(); ++other)
        if (other != largest) a.runner_up = std::max(a.runner_up, *other);
    a.terms.push_back({scores(0, a.col), 0, scores(0, a.col)});
    a.sum = scores(0, a.col);
    const bool nan = scores.hasNaN();
    a.row_blocked = is_all_blocked(scores);
    a.recomputed = nan ? std::numeric_limits<double>::quiet_NaN()
                       : (*largest != -kInfinity && largest - first == a.col ? 1 : 0);
}

}  // namespace ops

}  // namespace headlight
