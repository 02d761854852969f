#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gradient/gradients.h"
#include "kernels/stop.h"
#include "program/program.h"
#include "trace/trace.h"

// ∂y/∂x for every tensor x of a model, from its end back to the pixels. Goes layer by layer and
// recomputes each layer from the stored residual stream. So only one layer's tensors are in memory
// at a time.
namespace headlight {

// What y is, one number per sample.
struct GradientTarget {
    // The logit of this class. None: the sum of the output row of a model without classes. That is
    // the pooled row. If the model does not pool, it is the class token's row after the final norm,
    // or without a class token the mean of the patches' rows.
    std::optional<Index> of_class{};
    // [1, D]: y is the cosine of the output row with this row, instead of its sum; also for models
    // with classes. Null: not used.
    SharedResult cosine_with{};
};

// y of the first sample. The trace must be complete. Throws RecipeError if the model has no such
// class, or if the two rows of the cosine differ in width.
double value_of(const Trace& trace, const GradientTarget& target);

// True if the class token represents the image; otherwise the patches do.
bool class_token_speaks(const Model& model, const TokenLayout& layout);

// One sentence that says why there is no gradient of that model's output; empty if there is one.
std::string why_no_gradient(const Model& model, const Counterfactual& change);

// ∂y/∂x for the tensors after the layers, from Tensor::encoded on, of a complete trace. Throws
// RecipeError if the model has no such class.
Gradients gradients_at_end(const Trace& trace, const GradientTarget& target,
                           const StopFlag& stop = {});

// ∂y/∂X, [B·N, D], if the model's end were applied to the input X of layer b. If b is the number of
// layers, X is the output of the last layer.
Matrix gradient_of_stream(const Trace& trace, int b, const GradientTarget& target,
                          const StopFlag& stop = {});

// Recomputes layer b of the trace and computes ∂y/∂x for its tensors, given ∂y/∂(its output). Goes
// back as far as the tensor `last`, or to the input of the layer.
struct LayerGradients {
    Trace layer;
    Gradients gradients;
};
LayerGradients layer_gradients(const Trace& trace, int b, const Counterfactual& change,
                               Matrix of_output, std::optional<Tensor> last = {},
                               const StopFlag& stop = {});

// ∂y/∂(the residual stream that enters the layer).
Matrix gradient_of_input(const LayerGradients& of);

// The trace with each tensor replaced by its gradient, or by nothing if it has none. For code that
// writes or shows the matrices of a trace.
Trace with_gradients(Trace trace, const Gradients& gradients);

// Called after each layer, starting with the last.
using GradientObserver = std::function<void(const LayerGradients&)>;

// How far back the gradient goes.
struct GradientReach {
    int layer = 0;                 // the first block that is needed
    std::optional<Tensor> last{};  // in each layer, stop at this tensor; none: go to its input
    bool input = true;             // if true, continue from block 0 to the pixels
};

struct InputGradient {
    Gradients gradients;  // of the tensors before the layers
    // ∂y/∂(normalized pixels), that is, of (pixel − mean) / std: [B, channels, height, width].
    std::vector<float> pixels;
    int channels = 0, height = 0, width = 0;
};

// `trace` must be a result of Runner::run(), with the residual stream between all layers and the
// model's end. Throws RecipeError as described for why_no_gradient() and gradients_at_end(), and
// Stopped.
InputGradient run_backward(const Trace& trace, const Counterfactual& change,
                           const GradientTarget& target, const GradientReach& reach,
                           const GradientObserver& observer, const StopFlag& stop = {});

}  // namespace headlight
