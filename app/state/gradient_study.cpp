#include "state/gradient_study.h"

#include <cmath>
#include <utility>

#include "encoder/ablation.h"
#include "encoder/lens.h"
#include "program/program.h"
#include "state/all_heads.h"

namespace headlight {

namespace {

// What y is; for a model without classes, the sum replaces the class.
GradientOf what_y_is(const Look& look, const Model& model) {
    const GradientOf of = look.gradient_of;
    return of == GradientOf::answer && !has_classes(model) ? GradientOf::sum : of;
}

Matrix sizes_of_pixels(const InputGradient& input) {
    Matrix sizes = Matrix::Zero(input.height, input.width);
    const std::size_t plane = static_cast<std::size_t>(input.height) * input.width;
    for (std::size_t i = 0; i < static_cast<std::size_t>(input.channels) * plane; ++i)
        sizes.data()[i % plane] += std::abs(input.pixels[i]);
    return sizes;
}

// Later gradients replace earlier ones: a layer's input has the same name as the tensor before it.
void put_gradients(Trace& all, const Trace& of, const Gradients& gradients) {
    const Trace found = with_gradients(of, gradients);
    for (const TensorInfo& tensor : all_tensors())
        if (found.has(tensor.id)) all.set(tensor.id, found.slot(tensor.id));
}

GradientStudy compute_gradients(const GradientQuestion& question, const GradientFinder::Run& run) {
    const Trace& trace = *question.trace;
    const GradientTarget target = target_of(question);
    GradientStudy study{with_gradients(trace, {}), value_of(trace, target)};
    Gradients of_layer;
    const auto layers = static_cast<float>(trace.model->layers.size());
    const InputGradient input = run_backward(
        trace, question.change, target, {},
        [&](const LayerGradients& of) {
            if (of.layer.layer == trace.layer) of_layer = of.gradients;
            run.progress = 1 - static_cast<float>(of.layer.layer) / layers;
        },
        run.stop);
    put_gradients(study.gradients, trace, input.gradients);
    put_gradients(study.gradients, trace, of_layer);
    put_gradients(study.gradients, trace, gradients_at_end(trace, target, run.stop));
    study.pixels = make_result(sizes_of_pixels(input));
    return study;
}

}  // namespace

std::string why_no_gradient(const Look& look, const Recipe& recipe, const Trace& trace,
                            bool has_baseline) {
    if (!trace.model) return "A gradient needs a whole model.";
    const Model& model = *trace.model;
    if (std::string why = why_no_gradient(model, counterfactual_of(recipe, model)); !why.empty())
        return why;
    if (what_y_is(look, model) == GradientOf::baseline && !has_baseline)
        return "There is no baseline yet. Press P to save this result as the baseline, then change "
               "something.";
    return "";
}

GradientQuestion gradient_question(const Look& look, const Recipe& recipe,
                                   std::shared_ptr<const Trace> trace,
                                   const std::vector<Prediction>& top,
                                   std::shared_ptr<const Trace> baseline) {
    const Model& model = *trace->model;
    GradientQuestion question{
        trace, counterfactual_of(recipe, model), what_y_is(look, model), {}, {}};
    if (question.of == GradientOf::answer) question.of_class = class_in_question(look, model, top);
    if (question.of == GradientOf::baseline) question.other = std::move(baseline);
    return question;
}

GradientTarget target_of(const GradientQuestion& question) {
    switch (question.of) {
        case GradientOf::answer:
            return {question.of_class, {}};
        case GradientOf::sum:
            return {};
        case GradientOf::baseline:
            return {{}, make_result(Matrix(output_row(*question.other)))};
    }
    return {};
}

const GradientFinder kGradient{.compute = compute_gradients, .takes_long = true};

}  // namespace headlight
