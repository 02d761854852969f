#include "encoder/lens.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "ops/limits.h"
#include "ops/ops.h"
#include "program/program.h"

namespace headlight {

namespace {

// The logits for these tokens at the end of the model.
MatrixView answer(Trace& probe, Matrix tokens, const StopFlag& stop) {
    probe.set(Tensor::encoded, make_result(std::move(tokens)));
    compute_all(probe.nodes, probe, {nullptr, stop});
    return probe.view(Tensor::logits);
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

Matrix logit_lens(const Trace& trace, std::optional<Index> token, const StopFlag& stop) {
    const Model& model = *trace.model;
    const auto first = static_cast<std::size_t>(model.alike_from());
    if (!has_lens(model))
        throw RecipeError(
            "A logit lens needs a model with a classifier whose input has the width of the "
            "layers.");
    if (trace.stream.size() != model.layers.size() + 1)
        throw RecipeError("A logit lens needs a model that was computed to its end.");
    Trace probe;
    probe.model = trace.model;
    probe.shape = trace.shape;
    probe.shape.batch = 1;
    probe.nodes = end_nodes(model);
    Matrix lens;
    for (std::size_t l = first; l < trace.stream.size(); ++l) {
        const MatrixView all = trace.stream[l]->view();
        const MatrixView sample = all.block(0, 0, all.rows / trace.shape.batch, all.cols);
        if (token && (*token < 0 || *token >= sample.rows))
            throw RecipeError("A lens of token " + std::to_string(*token) + ": this model has " +
                              std::to_string(sample.rows) + " tokens.");
        // All rows are equal, so pooling gives that row.
        Matrix tokens = token ? Matrix(sample.eigen().row(*token).replicate(sample.rows, 1))
                              : Matrix(sample.eigen());
        const MatrixView logits = answer(probe, std::move(tokens), stop);
        if (lens.size() == 0)
            lens.resize(static_cast<Index>(trace.stream.size() - first), logits.cols);
        lens.row(static_cast<Index>(l - first)) = logits.eigen().row(0);
    }
    return lens;
}

}  // namespace headlight
