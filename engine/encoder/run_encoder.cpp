#include "encoder/run_encoder.h"

#include <utility>

#include "encoder/layers.h"
#include "kernels/recycle.h"
#include "ops/limits.h"
#include "ops/picture.h"

namespace headlight {

namespace {

// Layer b with all that it computes, products and scores too.
void compute_in_full(Trace& trace, int b, const Counterfactual& change, const Tools& tools) {
    throw_if_stopped(tools.stop);
    begin_layer(trace, b);
    const Model& model = *trace.model;
    LayerSettings settings = settings_of(model, b, change);
    settings.cross = trace.has(Tensor::value_tokens);
    trace.nodes = nodes_of_layer(model, b, settings);
    for (const Node& node : trace.nodes) forget_results(trace, node);
    enter_layer(trace, b, settings);
    trace.keeps_squares = true;
    refuse_beyond_memory(trace_bytes(trace.shape, trace.config.dim), "This layer", kFewerTokens);
    compute_all(trace.nodes, trace, tools);
    end_layer(trace, b, trace.result(Tensor::output));
}

}  // namespace

Trace run_encoder(Trace front, const Counterfactual& change, const LayerObserver& observer,
                  const StopFlag& stop) {
    const KeepForNext memory;
    Trace trace = std::move(front);
    const Tools tools{nullptr, stop};
    const Model& model = *trace.model;
    const auto layer = [&](int b) {
        compute_in_full(trace, b, change, tools);
        if (observer) observer(trace);
    };
    const int transformers = model.token_transformers();
    if (!trace.has(Tensor::tokens) && !trace.has(Tensor::pre_norm)) {
        for (int b = 0; b < transformers; ++b) {
            layer(b);
            compute_split(trace, b + 1);
        }
        compute_all(token_nodes(model, change.position), trace, tools);
    }
    for (int b = transformers; b < static_cast<int>(model.layers.size()); ++b) layer(b);
    const std::vector<Node> end = end_nodes(model);
    compute_all(end, trace, tools);
    trace.nodes.insert(trace.nodes.end(), end.begin(), end.end());
    return trace;
}

}  // namespace headlight
