#include "pytorch/script_gradients.h"

#include <optional>
#include <string>
#include <utility>

#include "encoder/ablation.h"
#include "ops/limits.h"

namespace headlight {

namespace {

// The output row of each sample, [B, D].
void describe_row(const Trace& trace, ScriptGradients& found) {
    const Model& model = *trace.model;
    if (const auto pooled = pooled_by(model)) {
        found.of = *pooled;
        return;
    }
    if (!model.norm.exists())
        throw RecipeError(
            model.file +
            ": a script compares gradients only if the model ends with a norm, a pooled "
            "output or a classifier.");
    found.of = Tensor::norm;
    found.y = class_token_speaks(model, trace.layout)
                  ? "[:, 0]"
                  : "[:, " + std::to_string(trace.layout.prefix()) + ":].mean(1)";
}

// What y is computed from: a logit, or the output row (GradientTarget).
void describe_output(const Trace& trace, const GradientTarget& target, ScriptGradients& found) {
    if (target.of_class) {
        found.y = "[:, " + std::to_string(*target.of_class) + "].sum()";
        found.about = "the logit of class " + std::to_string(*target.of_class);
        return;
    }
    describe_row(trace, found);
    found.cosine_with = target.cosine_with;
    found.about = target.cosine_with ? "the cosine of the output with the baseline's"
                                     : "the sum of the output";
    if (!target.cosine_with) found.y += ".sum()";
}

}  // namespace

ScriptGradients script_gradients(const Trace& trace, const Counterfactual& change,
                                 const GradientTarget& target, int layer, const StopFlag& stop) {
    ScriptGradients found;
    describe_output(trace, target, found);
    found.end = with_gradients(trace, gradients_at_end(trace, target, stop));
    GradientReach reach;
    if (!trace.has(Tensor::patches)) reach = {trace.model->token_transformers(), {}, false};
    InputGradient input = run_backward(
        trace, change, target, reach,
        [&](const LayerGradients& of) {
            if (of.layer.layer == layer)
                found.layer = with_gradients(of.layer, of.gradients);
            else
                found.outputs[of.layer.layer] =
                    make_result(Matrix(of.gradients.of(Tensor::output)));
        },
        stop);
    found.front = with_gradients(trace, input.gradients);
    found.pixels = std::move(input.pixels);
    found.pixels_shape = {trace.shape.batch, input.channels, input.height, input.width};
    return found;
}

}  // namespace headlight
