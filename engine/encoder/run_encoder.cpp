#include <utility>

#include "encoder/layer_steps.h"
#include "encoder/model_steps.h"
#include "encoder/runner.h"

namespace headlight {

namespace {

// Layer b with all that it computes, products and scores too.
void compute_in_full(Trace& trace, int b, const Counterfactual& change, const StopFlag& stop) {
    begin_block(trace, b);
    look_at(trace, b, change);
    trace.keeps_squares = true;
    refuse_beyond_memory(trace_bytes(trace.shape, trace.config.dim), "This layer", kFewerTokens);
    if (trace.model->is_maps()) return;
    const Block& block = trace.model->blocks[static_cast<std::size_t>(b)];
    for (const Step step : trace.steps) {
        throw_if_stopped(stop);
        if (place_of(step) == StepPlace::layer) compute_layer_step(trace, block, step, stop);
    }
    end_block(trace, b, trace.result(Tensor::output));
}

// Every step before the layers, and T2T's soft splits and token transformers.
bool leads_to_tokens(const Model& model, const Slice& slice) {
    if (slice.kind == Slice::Kind::step) return place_of(slice.step) == StepPlace::front;
    return slice.kind == Slice::Kind::split || slice.block < model.token_transformers();
}

}  // namespace

Trace run_encoder(Trace front, const Counterfactual& change, PositionKind positions,
                  const LayerObserver& observer, const StopFlag& stop) {
    Trace trace = std::move(front);
    const bool tokens_given = trace.has(Tensor::tokens) || trace.has(Tensor::pre_norm);
    // Which layer is looked at plays no part: every one is computed in full.
    for (const Slice& slice : program(*trace.model, 0)) {
        throw_if_stopped(stop);
        if (tokens_given && leads_to_tokens(*trace.model, slice)) continue;
        switch (slice.kind) {
            case Slice::Kind::split:
                compute_split(trace, slice.block);
                break;
            case Slice::Kind::enter:
            case Slice::Kind::block:
                compute_in_full(trace, slice.block, change, stop);
                if (observer) observer(trace);
                break;
            case Slice::Kind::step:
                if (place_of(slice.step) == StepPlace::end) compute_end_step(trace, slice.step);
                if (place_of(slice.step) == StepPlace::front)
                    compute_front_step(trace, slice.step, positions);
                break;
        }
    }
    return trace;
}

}  // namespace headlight
