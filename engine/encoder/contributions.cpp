#include "encoder/contributions.h"

#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include "encoder/layers.h"
#include "encoder/lens.h"
#include "ops/limits.h"

namespace headlight {

namespace {

using Doubles = Eigen::MatrixXd;
using Row = Eigen::RowVectorXd;

Doubles in_double(const MatrixView& matrix) { return matrix.eigen().cast<double>(); }

// The end of the model as a linear map: logit = Σ_i weights_i · token_i + constant.
struct Readout {
    std::vector<Index> tokens;  // indices of the tokens that the logit depends on
    Doubles weights;            // one row per token, [tokens, D]
    double constant = 0;
};

// Turns the gradient after a norm into the gradient before it. Layer norm uses the frozen standard
// deviations of these rows, batch norm its running statistics.
void pass(const Norm& norm, const MatrixView& moments, Readout& end) {
    const Row gamma = in_double(norm.gamma->view()).row(0);
    Doubles& g = end.weights;
    if (norm.beta) end.constant += (g * in_double(norm.beta->view()).row(0).transpose()).sum();
    g = g.array().rowwise() * gamma.array();
    if (norm.is_of_batch()) {
        const Doubles running = in_double(norm.running->view());
        g = g.array().rowwise() / (running.row(1).array() + static_cast<double>(norm.eps)).sqrt();
        end.constant -= (g * running.row(0).transpose()).sum();
        return;
    }
    for (Index i = 0; i < g.rows(); ++i) {
        const double mean = g.row(i).mean();
        g.row(i).array() -= mean;
        g.row(i) /= moments(end.tokens[static_cast<std::size_t>(i)], 1);
    }
}

// Passes the gradient of the pooled row on to the pooled tokens.
void pass_pooling(const Trace& trace, Readout& end) {
    const Row of_pooled = end.weights.row(0);
    const MatrixView encoded = trace.view(Tensor::encoded);
    const Index prefix = trace.model->prefix.count(), all = encoded.rows, width = encoded.cols;
    std::vector<Row> rows;
    const auto add = [&](Index token, Row row) {
        end.tokens.push_back(token);
        rows.push_back(std::move(row));
    };
    const auto add_patches = [&](const Row& row) {
        for (Index token = prefix; token < all; ++token)
            add(token, row / static_cast<double>(all - prefix));
    };
    end.tokens.clear();
    switch (trace.model->pooling) {
        case Pooling::class_token:
            add(0, of_pooled);
            break;
        case Pooling::class_and_distillation:
            add(0, of_pooled.head(width));
            add(1, of_pooled.tail(width));
            break;
        case Pooling::class_and_patches:
            add(0, of_pooled.head(width));
            add_patches(of_pooled.tail(width));
            break;
        case Pooling::patches:
            add_patches(of_pooled);
            break;
        case Pooling::attention:
        case Pooling::none:
            throw RecipeError("Contributions need a model with a classifier.");
    }
    end.weights.resize(static_cast<Index>(rows.size()), width);
    for (std::size_t i = 0; i < rows.size(); ++i) end.weights.row(static_cast<Index>(i)) = rows[i];
}

Readout readout_of(const Trace& trace, Index of_class) {
    const Model& model = *trace.model;
    Readout end{{0}, in_double(model.classifier.weight->view()).row(of_class), 0};
    if (model.classifier.bias) end.constant = model.classifier.bias->view()(0, of_class);
    if (model.pooled_norm.exists())
        pass(model.pooled_norm, trace.view(Tensor::pooled_norm_rows), end);
    pass_pooling(trace, end);
    if (model.norm.exists()) pass(model.norm, trace.view(Tensor::norm_rows), end);
    return end;
}

// The frozen mean and standard deviation of each row.
std::vector<FrozenRow> frozen_rows(const Trace& trace, const Readout& end) {
    std::vector<FrozenRow> rows;
    const auto add = [&](std::optional<Index> token, const MatrixView& moments) {
        const float* row = moments.row(token.value_or(0));
        rows.push_back({token, row[0], row[1]});
    };
    const Norm& pooled = trace.model->pooled_norm;
    if (pooled.exists() && !pooled.is_of_batch())
        add(std::nullopt, trace.view(Tensor::pooled_norm_rows));
    const Norm& norm = trace.model->norm;
    if (norm.exists() && !norm.is_of_batch())
        for (const Index token : end.tokens) add(token, trace.view(Tensor::norm_rows));
    return rows;
}

// The contribution of these rows of tokens.
double read(const Readout& end, const MatrixView& tokens) {
    double sum = 0;
    for (std::size_t i = 0; i < end.tokens.size(); ++i)
        sum += end.weights.row(static_cast<Index>(i))
                   .dot(tokens.eigen().row(end.tokens[i]).cast<double>());
    return sum;
}

// Passes the gradient through LayerScale, if there is one.
Readout before(const SharedResult& scale, Readout end) {
    if (scale)
        end.weights = end.weights.array().rowwise() * in_double(scale->view()).row(0).array();
    return end;
}

// Adds the contribution of each head, through its columns of the projection, and of the
// projection's bias.
void add_heads(const Layer& layer, const Trace& own, const Readout& end, Contributions& all) {
    const auto b = static_cast<std::size_t>(own.layer);
    const Readout attention = before(layer.ls1, end);
    if (layer.concat_norm.exists() || !layer.projection.exists()) {
        all.attention_rest[b] = read(
            attention, own.view(layer.projection.exists() ? Tensor::projection : Tensor::concat));
        return;
    }
    if (layer.projection.bias)
        all.attention_rest[b] =
            (attention.weights * in_double(layer.projection.bias->view()).row(0).transpose()).sum();
    const Readout projected{attention.tokens,
                            attention.weights * in_double(layer.projection.weight->view()), 0};
    const MatrixView concat = own.view(Tensor::concat);
    const Index heads = own.shape.heads, width = concat.cols / heads;
    for (Index h = 0; h < heads; ++h) {
        const Readout of_head{projected.tokens, projected.weights.middleCols(h * width, width), 0};
        all.heads[b].push_back(read(of_head, concat.block(0, h * width, concat.rows, width)));
    }
}

}  // namespace

std::string why_no_contributions(const Model& model) {
    if (model.pooler.exists())
        return model.pooler_curve == HeadCurve::tanh
                   ? "A pooler comes before the classifier, so the logit is not a sum of "
                     "contributions."
                   : "The classifier has a hidden layer, so the logit is not a sum of "
                     "contributions.";
    if (model.attention_pool.exists())
        return "This model pools by attention with an MLP, so the logit is not a sum of "
               "contributions.";
    for (std::size_t b = static_cast<std::size_t>(model.alike_from()); b < model.layers.size();
         ++b) {
        const Layer& layer = model.layers[b];
        if (!layer.norm_first || layer.attention.skip != Skip::input)
            return layer.name +
                   " does more than add to the residual stream, so the logit is not a sum of "
                   "contributions.";
    }
    return "";
}

double Contributions::attention(std::size_t block) const {
    return std::accumulate(heads[block].begin(), heads[block].end(), attention_rest[block]);
}

double Contributions::sum() const {
    double sum = input + end;
    for (std::size_t b = 0; b < heads.size(); ++b) sum += attention(b) + mlp[b];
    return sum;
}

Contributions contributions_to(const Trace& trace, const Counterfactual& change, Index of_class,
                               const AblationProgress& progress, const StopFlag& stop) {
    const Model& model = *trace.model;
    expect_class(trace, of_class, "A sum of contributions");
    if (const std::string why = why_no_contributions(model); !why.empty()) throw RecipeError(why);
    const std::size_t first = static_cast<std::size_t>(model.alike_from()),
                      layers = model.layers.size();
    const Readout end = readout_of(trace, of_class);
    Contributions all;
    all.heads.resize(layers);
    all.attention_rest.resize(layers);
    all.mlp.resize(layers);
    all.end = end.constant;
    all.frozen = frozen_rows(trace, end);
    all.input = read(end, trace.stream[first]->view());
    constexpr std::array kBranches{Tensor::concat, Tensor::projection, Tensor::mlp};
    for (std::size_t b = first; b < layers; ++b) {
        const Trace own = compute_layer(trace, static_cast<int>(b), change, stop, {kBranches, {}});
        add_heads(model.layers[b], own, end, all);
        if (own.has(Tensor::mlp))
            all.mlp[b] = read(before(model.layers[b].ls2, end), own.view(Tensor::mlp));
        if (progress)
            progress(static_cast<float>(b + 1 - first) / static_cast<float>(layers - first));
    }
    return all;
}

}  // namespace headlight
