#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gradient/gradients.h"
#include "kernels/stop.h"
#include "program/program.h"
#include "trace/trace.h"

// ∂y/∂ of everything that a model computes, from its end back to the pixels. Layer by layer: each
// is computed again from the residual stream that the run kept, so that one layer's tensors are in
// memory at a time.
namespace headlight {

// The one number y of each sample.
struct GradientTarget {
    // The logit of this class. None: the sum of what a model without classes gives of an image, the
    // row that it pools; where it pools none, the class token's row, or without one the mean of the
    // patches' rows, as the final norm leaves them.
    std::optional<Index> of_class{};
    // [1, D]: the cosine of that row with this one, instead of its sum; of models with classes too.
    // Null: none.
    SharedResult cosine_with{};
};

// y of the first sample. The trace was computed to its end. Throws RecipeError where the model has
// no such class, or the rows have other widths.
double value_of(const Trace& trace, const GradientTarget& target);

// Whether the class token speaks for the image; else the patches do.
bool class_token_speaks(const Model& model, const TokenLayout& layout);

// One sentence: why there is no gradient of that model's output. Empty where there is.
std::string why_no_gradient(const Model& model, const Counterfactual& change);

// ∂y/∂ of the tensors behind the layers, from Tensor::encoded on, of a trace that was computed to
// its end. Throws RecipeError where the model has no such class.
Gradients gradients_at_end(const Trace& trace, const GradientTarget& target,
                           const StopFlag& stop = {});

// The same where the model's end reads what enters layer b, or with b the number of layers what
// leaves the last one: ∂y/∂ that, [B·N, D].
Matrix gradient_of_stream(const Trace& trace, int b, const GradientTarget& target,
                          const StopFlag& stop = {});

// Layer b of the trace, computed again, and ∂y/∂ of its tensors where ∂y/∂ its output is given; as
// far back as its `last` tensor, else to what it reads.
struct LayerGradients {
    Trace layer;
    Gradients gradients;
};
LayerGradients layer_gradients(const Trace& trace, int b, const Counterfactual& change,
                               Matrix of_output, std::optional<Tensor> last = {},
                               const StopFlag& stop = {});

// ∂y/∂ what the layer reads of the stream.
Matrix gradient_of_input(const LayerGradients& of);

// The same trace with the gradients in the places of its tensors, and nothing where there are none:
// for what writes or shows a trace's matrices.
Trace with_gradients(Trace trace, const Gradients& gradients);

// Hears of each layer, the last one first.
using GradientObserver = std::function<void(const LayerGradients&)>;

// How far back it goes.
struct GradientReach {
    int layer = 0;                 // the first block that is asked for
    std::optional<Tensor> last{};  // of each layer down to it; none: all
    bool input = true;             // on to the pixels, in front of block 0
};

struct InputGradient {
    Gradients gradients;  // of the tensors in front of the layers
    // ∂y/∂ pixels as the patches read them, less the mean and divided by the deviation:
    // [B, channels, height, width].
    std::vector<float> pixels;
    int channels = 0, height = 0, width = 0;
};

// `trace` is what Runner::run() gives: it has the stream between all layers and the model's end.
// Throws RecipeError as why_no_gradient() and gradients_at_end() say, Stopped.
InputGradient run_backward(const Trace& trace, const Counterfactual& change,
                           const GradientTarget& target, const GradientReach& reach,
                           const GradientObserver& observer, const StopFlag& stop = {});

}  // namespace headlight
