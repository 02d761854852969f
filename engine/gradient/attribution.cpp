#include "gradient/attribution.h"

#include "gradient/backward.h"

namespace headlight {

HeadAttributions attribute_heads(const Trace& trace, const Counterfactual& change, Index of_class,
                                 const AblationProgress& progress, const StopFlag& stop) {
    const auto layers = static_cast<int>(trace.model->layers.size());
    const int first = trace.model->token_transformers();
    HeadAttributions found(static_cast<std::size_t>(layers));
    const auto look = [&](const LayerGradients& of) {
        Trace slopes;
        slopes.shape = of.layer.shape;
        slopes.set(Tensor::head_output, make_result(Matrix(of.gradients.of(Tensor::head_output))));
        auto& heads = found[static_cast<std::size_t>(of.layer.layer)];
        for (Index h = 0; h < of.layer.shape.heads; ++h) {
            const auto z = of.layer.view(Tensor::head_output, 0, h).eigen().cast<double>(),
                       slope = slopes.view(Tensor::head_output, 0, h).eigen().cast<double>();
            heads.push_back(-(z.array() * slope.array()).sum());
        }
        if (progress)
            progress(static_cast<float>(layers - of.layer.layer) /
                     static_cast<float>(layers - first));
    };
    run_backward(trace, change, {of_class}, {first, Tensor::head_output, false}, look, stop);
    return found;
}

}  // namespace headlight
