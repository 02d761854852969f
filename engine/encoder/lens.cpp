#include "encoder/lens.h"

#include <algorithm>
#include <string>
#include <utility>

#include "ops/limits.h"
#include "ops/ops.h"
#include "program/program.h"

namespace headlight {

namespace {

// The nodes after the last layer, up to the logits.
std::vector<Node> nodes_to_logits(const Model& model) {
    std::vector<Node> nodes = end_nodes(model);
    const auto classify = std::ranges::find(nodes, Step::classify, &Node::id);
    nodes.erase(std::ranges::next(classify, 1, nodes.end()), nodes.end());
    return nodes;
}

// The input of the model's end, as so many samples, from the tokens that a trace has there.
using InputOfEnd = std::function<Matrix(const MatrixView& tokens)>;

void answer_after_each_layer(const Trace& trace, Index samples, const InputOfEnd& input,
                             const TakeAnswers& take, const StopFlag& stop) {
    const Model& model = *trace.model;
    if (!has_lens(model))
        throw RecipeError(
            "A logit lens needs a model with a classifier whose input has the width of the "
            "layers.");
    if (trace.stream.size() != model.layers.size() + 1)
        throw RecipeError("A logit lens needs a model that was computed to its end.");
    Trace probe;
    probe.model = trace.model;
    probe.shape = trace.shape;
    probe.shape.batch = samples;
    probe.nodes = nodes_to_logits(model);
    for (auto l = static_cast<std::size_t>(model.alike_from()); l < trace.stream.size(); ++l) {
        const MatrixView all = trace.stream[l]->view();
        probe.set(Tensor::encoded,
                  make_result(input(all.block(0, 0, all.rows / trace.shape.batch, all.cols))));
        compute_all(probe.nodes, probe, {nullptr, stop});
        take(static_cast<int>(l), probe.all(Tensor::logits));
    }
}

}  // namespace

bool has_classes(const Model& model) { return model.classifier.exists() && !model.gives_embedding; }

bool has_lens(const Model& model) {
    const auto layers =
        std::span(model.layers).subspan(static_cast<std::size_t>(model.alike_from()));
    return has_classes(model) && std::ranges::all_of(layers, [&](const Layer& layer) {
               return layer.attention.dim == model.width();
           });
}

void logit_lens(const Trace& trace, std::span<const Index> tokens, const TakeAnswers& take,
                const StopFlag& stop) {
    if (tokens.empty()) return;
    // Each token is a sample of its own, with equal rows for the prefix and for one patch. So
    // pooling of any kind gives that row.
    const Index rows = trace.model->prefix.count() + 1;
    const auto repeated = [&](const MatrixView& all) {
        Matrix samples(static_cast<Index>(tokens.size()) * rows, all.cols);
        Index first = 0;
        for (const Index token : tokens) {
            if (token < 0 || token >= all.rows)
                throw RecipeError("A lens of token " + std::to_string(token) + ": this model has " +
                                  std::to_string(all.rows) + " tokens.");
            samples.middleRows(first, rows) = all.eigen().row(token).replicate(rows, 1);
            first += rows;
        }
        return samples;
    };
    answer_after_each_layer(trace, static_cast<Index>(tokens.size()), repeated, take, stop);
}

Matrix logit_lens(const Trace& trace, std::optional<Index> token, const StopFlag& stop) {
    Matrix lens;
    const auto add = [&](int, const MatrixView& logits) {
        lens.conservativeResize(lens.rows() + 1, logits.cols);
        lens.bottomRows(1) = logits.eigen();
    };
    if (token) {
        logit_lens(trace, std::span(&*token, 1), add, stop);
    } else {
        const auto as_it_is = [](const MatrixView& all) { return Matrix(all.eigen()); };
        answer_after_each_layer(trace, 1, as_it_is, add, stop);
    }
    return lens;
}

}  // namespace headlight
