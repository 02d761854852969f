#include "encoder/features.h"

#include <initializer_list>
#include <string>
#include <utility>

#include "encoder/ablation.h"
#include "kernels/counted.h"

namespace headlight {

namespace {

// The rows of the patches, without prefix tokens before them and rows that windows add after them.
PatchFeatures features_of(const Trace& layer, Tensor of) {
    const MatrixView tokens = layer.view(of);
    const Index prefix = layer.layout.prefix(), patches = layer.grid.count();
    if (tokens.rows < prefix + patches)
        throw RecipeError("Features of patches need a token for each patch, but " +
                          layer.model_layer().name + " leaves " + std::to_string(tokens.rows) +
                          " tokens for " + std::to_string(patches) + " patches.");
    PatchFeatures found{layer.grid, tokens.block(prefix, 0, patches, tokens.cols).eigen(), {}};
    if (layer.layout.class_tokens > 0)
        found.image = tokens.eigen().row(0);
    else
        found.image = found.rows.colwise().mean();
    return found;
}

// The pooled row, before a classifier.
Vector pooled_feature(const Trace& done) {
    if (done.model->gives_embedding && done.has(Tensor::logits))
        return done.view(Tensor::logits).eigen().row(0);
    for (const Tensor pooled :
         {Tensor::pooler, Tensor::pooler_hidden, Tensor::pooled_norm, Tensor::pooled})
        if (done.has(pooled)) return done.view(pooled).eigen().row(0);
    return output_row(done);
}

}  // namespace

PatchFeatures patch_features(Trace front, const Counterfactual& change, std::optional<int> layer,
                             const StopFlag& stop) {
    const Model& model = *front.model;
    if (model.is_maps()) throw RecipeError("Features of patches need a model, not attention maps.");
    const int count = static_cast<int>(model.layers.size());
    if (layer && (*layer < 0 || *layer >= count))
        throw RecipeError("This model has " + counted(count, "layer") + ".");
    PatchFeatures found;
    const Trace done = Runner::run(
        {std::move(front), change},
        [&](const Trace& at) {
            if (at.layer == layer.value_or(count - 1)) found = features_of(at, Tensor::output);
        },
        stop);
    if (layer) return found;
    if (done.has(Tensor::norm) && done.view(Tensor::norm).rows == done.view(Tensor::encoded).rows)
        found.rows = features_of(done, Tensor::norm).rows;
    found.image = pooled_feature(done);
    return found;
}

}  // namespace headlight
