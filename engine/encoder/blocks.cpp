#include "encoder/blocks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "encoder/layer_steps.h"
#include "encoder/limits.h"
#include "encoder/model_steps.h"
#include "encoder/program.h"

namespace headlight {

namespace {

void put(std::vector<SharedResult>& list, int index, SharedResult result) {
    const auto i = static_cast<std::size_t>(index);
    list.resize(std::max(list.size(), i + 1));
    list[i] = std::move(result);
}

double squares_bytes(const AttentionShape& s) {
    return 3.0 * 4 * static_cast<double>(s.batch * s.heads) * static_cast<double>(s.queries) *
           static_cast<double>(s.keys);
}

// What the tokens of block b were made of, and where they lie.
void place(Trace& trace, int b) {
    const Model& model = *trace.model;
    const int level = std::min(b, model.token_transformers());
    if (!model.splits.empty() && trace.splits.empty()) {  // its tokens were given
        trace.layout = layout_of(model, b, trace.grid);
        return;
    }
    trace.grid = grid_of_level(model, trace.grid, level);
    trace.layout = layout_of(model, b, trace.grid);
    if (model.splits.empty()) return;
    const auto index = static_cast<std::size_t>(level);
    trace.set(Tensor::patches, trace.splits[index]);
    trace.set(Tensor::split_input, level > 0 ? trace.split_inputs[index - 1] : nullptr);
    if (level == 0) return;
    const PatchGrid from = grid_of_level(model, trace.grid, level - 1);
    trace.split_grid = {from.rows, from.cols};
}

void take_map(Trace& trace, int b) {
    const Model& model = *trace.model;
    trace.config = model.blocks[static_cast<std::size_t>(b)].attention;
    const SharedResult& map = model.maps[static_cast<std::size_t>(b)];
    trace.shape = {1, map->view().cols, map->view().cols, trace.config.heads, 0};
    trace.set(Tensor::attention, map);
}

// What a block reads no more after a step.
std::vector<Tensor> done_with(Step step) {
    switch (step) {
        case Step::qkv:
            return {Tensor::norm1};
        case Step::project:
            return {Tensor::concat};
        case Step::skip:
            return {Tensor::qkv, Tensor::query, Tensor::key, Tensor::projection, Tensor::ls1};
        case Step::mlp_in:
            return {Tensor::norm2};
        case Step::activation:
            return {Tensor::mlp_hidden};
        case Step::mlp_out:
            return {Tensor::mlp_activation};
        default:
            return {};
    }
}

void change_layer(Trace& trace, const Counterfactual& change) {
    if (change.scale) trace.config.scale = change.scale;
    trace.config.temperature = change.temperature;
    trace.switched_off = heads_off(change.switched_off, trace.block, trace.config.heads);
}

}  // namespace

void begin_block(Trace& trace, int b) {
    const int first_layer = trace.model->token_transformers();
    if (trace.model->is_maps() || b > first_layer) return;
    if (b < first_layer) return put(trace.stream, b, trace.splits[static_cast<std::size_t>(b)]);
    put(trace.stream, b,
        trace.result(trace.has(Tensor::pre_norm) ? Tensor::pre_norm : Tensor::tokens));
}

void end_block(Trace& trace, int b, SharedResult output) {
    if (trace.model->is_maps()) return;
    if (b < trace.model->token_transformers()) return put(trace.split_inputs, b, std::move(output));
    if (b + 1 == static_cast<int>(trace.model->blocks.size())) trace.set(Tensor::encoded, output);
    put(trace.stream, b + 1, std::move(output));
}

void look_at(Trace& trace, int b, const Counterfactual& change) {
    const auto index = static_cast<std::size_t>(b);
    const Block& block = trace.model->blocks[index];
    trace.block = b;
    trace.steps = steps_of(*trace.model, b);
    place(trace, b);
    if (trace.model->is_maps()) return take_map(trace, b);
    trace.set(Tensor::input, trace.stream[index]);
    enter_block(trace, block);
    change_layer(trace, change);
    trace.keeps_squares = squares_bytes(trace.shape) <= kMaxSquaresBytes;
}

std::vector<Index> heads_off(const std::vector<HeadPlace>& switched_off, int b, int heads) {
    std::vector<Index> off;
    for (const HeadPlace& place : switched_off) {
        if (place.layer != b) continue;
        if (place.head < 0 || place.head >= heads)
            throw RecipeError("Head " + std::to_string(place.head + 1) + " of layer " +
                              std::to_string(b + 1) + " cannot be switched off: it has " +
                              std::to_string(heads) + ".");
        off.push_back(place.head);
    }
    return off;
}

Trace run_block(const Trace& trace, int b, const Counterfactual& change, const StopFlag& stop) {
    Trace own;
    own.model = trace.model;
    own.block = b;
    own.shape.batch = trace.shape.batch;
    own.grid =
        grid_of_level(*trace.model, trace.grid, std::min(b, trace.model->token_transformers()));
    own.layout = layout_of(*trace.model, b, own.grid);
    own.steps = steps_of(*trace.model, b);
    if (trace.model->is_maps()) {
        take_map(own, b);
        return own;
    }
    const Block& block = trace.model->blocks[static_cast<std::size_t>(b)];
    own.set(Tensor::input, trace.stream[static_cast<std::size_t>(b)]);
    enter_block(own, block);
    change_layer(own, change);
    own.keeps_squares = false;
    for (const Step step : own.steps) {
        throw_if_stopped(stop);
        if (place_of(step) != StepPlace::layer) continue;
        compute_layer_step(own, block, step, stop);
        for (const Tensor tensor : done_with(step)) own.set(tensor, nullptr);
    }
    return own;
}

}  // namespace headlight
