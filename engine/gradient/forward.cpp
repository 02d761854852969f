#include "gradient/forward.h"

#include <utility>

#include "encoder/layers.h"
#include "kernels/recycle.h"
#include "ops/picture.h"

namespace headlight {

Trace run_forward(Trace front, const Counterfactual& change, const StopFlag& stop,
                  const ForwardObserver& observer) {
    const KeepForNext memory;
    Trace trace = std::move(front);
    const Model& model = *trace.model;
    const int first = model.token_transformers(), count = static_cast<int>(model.layers.size());
    const auto run_layer = [&](int b) {
        throw_if_stopped(stop);
        begin_layer(trace, b);
        const Trace layer = compute_layer(trace, b, change, stop);
        if (observer) observer(layer);
        trace.shape = layer.shape;  // the model's end may have heads too
        end_layer(trace, b, layer.result(Tensor::output));
    };
    for (int b = 0; b < first; ++b) {
        run_layer(b);
        compute_split(trace, b + 1);
    }
    if (!trace.has(Tensor::tokens) && !trace.has(Tensor::pre_norm))
        compute_all(token_nodes(model, change.position), trace, {nullptr, stop});
    for (int b = first; b < count; ++b) run_layer(b);
    compute_all(end_nodes(model), trace, {nullptr, stop});
    trace.grid = grid_of_layer(model, trace.grid, count - 1);
    trace.layout = layout_of(model, count - 1, trace.grid);
    return trace;
}

}  // namespace headlight
