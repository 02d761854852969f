#include "encoder/layers.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include "ops/picture.h"

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

// The input of the first layer: the last tensor of the front that exists.
Tensor last_of_front(const Trace& trace) {
    const std::array late_to_early{Tensor::pre_norm, Tensor::tokens, Tensor::sequence,
                                   Tensor::embedded};
    const auto* found =
        std::ranges::find_if(late_to_early, [&](Tensor tensor) { return trace.has(tensor); });
    return found == late_to_early.end() ? Tensor::patches : *found;
}

void take_map(Trace& trace, int b) {
    const Model& model = *trace.model;
    trace.config = model.layers[static_cast<std::size_t>(b)].attention;
    const SharedResult& map = model.maps[static_cast<std::size_t>(b)];
    trace.shape = {1, map->view().cols, map->view().cols, trace.config.heads, 0};
    trace.set(Tensor::attention, map);
}

void set_shape(Trace& trace, const LayerSettings& settings) {
    const Layer& layer = trace.model_layer();
    const Index batch = trace.shape.batch, read = trace.all(reads_stream(layer)).rows / batch;
    const Index rows = layer.merge.exists() ? read / 4 : read;
    const Index keys = settings.cross ? trace.all(Tensor::value_tokens).rows / batch : rows;
    const AttentionConfig& config = settings.attention;
    if (adds_value(config.skip) && keys != rows)
        throw AttentionError("The skip from V needs as many value tokens as query tokens; found " +
                             std::to_string(keys) + " and " + std::to_string(rows) + ".");
    if (config.variant.sum_over == SumOver::queries && keys != rows)
        throw AttentionError("A sum over the queries needs as many queries as keys; found " +
                             std::to_string(rows) + " and " + std::to_string(keys) + ".");
    trace.config = config;
    trace.shape = {batch, rows, keys, config.heads, config.head_dim(), config.value_dim()};
}

// True if the node reads the tensor. The pass from products to attention also needs queries and
// keys if products are not stored.
bool reads(const Node& node, Tensor tensor) {
    const bool both = tensor == Tensor::query || tensor == Tensor::key;
    return (both && node.op == Op::scale) ||
           std::ranges::find(node.operands, tensor) != node.operands.end();
}

// Drops results that no later node needs and the caller did not ask for.
void drop_unread(Trace& trace, std::span<const Node> done, std::span<const Node> rest,
                 std::span<const Tensor> asked_for) {
    const auto read_later = [&](Tensor tensor) {
        return std::ranges::any_of(rest, [&](const Node& node) { return reads(node, tensor); });
    };
    const auto drop = [&](const std::vector<Tensor>& tensors) {
        for (const Tensor tensor : tensors) {
            const bool kept = tensor == Tensor::input || tensor == Tensor::query ||
                              tensor == Tensor::key || tensor == Tensor::relative_bias ||
                              tensor == Tensor::attention || tensor == Tensor::output ||
                              std::ranges::find(asked_for, tensor) != asked_for.end();
            if (!kept && !read_later(tensor)) trace.set(tensor, nullptr);
        }
    };
    for (const Node& node : done) {
        drop(node.operands);
        drop(node.results);
    }
}

}  // namespace

std::vector<Node> nodes_of_layer(const Model& model, int b, const LayerSettings& settings) {
    if (model.is_maps()) return map_nodes(model, b);
    return layer_nodes(model.layers[static_cast<std::size_t>(b)], settings);
}

void begin_layer(Trace& trace, int b) {
    const int first_layer = trace.model->token_transformers();
    if (trace.model->is_maps() || b > first_layer) return;
    if (b < first_layer) return put(trace.stream, b, trace.splits[static_cast<std::size_t>(b)]);
    put(trace.stream, b, trace.result(last_of_front(trace)));
}

void end_layer(Trace& trace, int b, SharedResult output) {
    if (trace.model->is_maps()) return;
    if (b < trace.model->token_transformers()) return put(trace.split_inputs, b, std::move(output));
    if (b + 1 == static_cast<int>(trace.model->layers.size())) trace.set(Tensor::encoded, output);
    put(trace.stream, b + 1, std::move(output));
}

namespace {

// The grid of the tokens that layer b attends to: its own, or in a decoder possibly those of its
// memory. If the trace's grid has a different number of cells, a grid of one row.
PatchGrid grid_of_keys(const Trace& trace, int b) {
    if (!trace.model->is_decoder()) return grid_of_layer(*trace.model, trace.grid, b);
    const auto index = static_cast<std::size_t>(b);
    const bool own = trace.model->layers[index].part == DecoderPart::self_attention;
    const SharedResult keys = own ? trace.stream[index] : trace.result(Tensor::value_tokens);
    const auto count = static_cast<int>(keys->view().rows / trace.shape.batch);
    if (trace.grid.count() == count) return trace.grid;
    PatchGrid in_a_row;
    in_a_row.rows = 1;
    in_a_row.cols = count;
    return in_a_row;
}

}  // namespace

void place_layer(Trace& trace, int b) {
    const Model& model = *trace.model;
    const int level = model.level_of(b);
    if (!model.splits.empty() && trace.splits.empty()) {  // the tokens were given
        trace.layout = layout_of(model, b, trace.grid);
        return;
    }
    trace.grid = grid_of_keys(trace, b);
    trace.layout = layout_of(model, b, trace.grid);
    trace.layout.names = trace.token_names;
    if (model.splits.empty()) return;
    const auto index = static_cast<std::size_t>(level);
    trace.set(Tensor::patches, trace.splits[index]);
    trace.set(Tensor::split_input, level > 0 ? trace.split_inputs[index - 1] : nullptr);
    if (level == 0) return;
    const PatchGrid from = grid_of_level(model, trace.grid, level - 1);
    trace.split_grid = {from.rows, from.cols};
}

void forget_results(Trace& trace, const Node& node) {
    for (const Tensor result : node.results) trace.set(result, nullptr);
}

void enter_layer(Trace& trace, int b, const LayerSettings& settings) {
    trace.layer = b;
    place_layer(trace, b);
    if (trace.model->is_maps()) return take_map(trace, b);
    const Layer& layer = trace.model_layer();
    trace.set(reads_stream(layer), trace.stream[static_cast<std::size_t>(b)]);
    set_shape(trace, settings);
    // Windows double the number of squares: bias, scores plus bias, and masked scores.
    const double squares = squares_bytes(trace.shape) * (layer.window.exists() ? 2 : 1);
    trace.keeps_squares = trace.model->is_bare_layer() || squares <= kMaxSquaresBytes;
}

Trace compute_layer(const Trace& trace, int b, const Counterfactual& change, const StopFlag& stop,
                    const LayerWatch& watch) {
    Trace own;
    own.model = trace.model;
    own.layer = b;
    own.shape.batch = trace.shape.batch;
    own.grid = grid_of_keys(trace, b);
    own.layout = layout_of(*trace.model, b, own.grid);
    if (trace.model->is_maps()) {
        take_map(own, b);
        return own;
    }
    const LayerSettings settings = settings_of(*trace.model, b, change);
    own.nodes = nodes_of_layer(*trace.model, b, settings);
    own.set(reads_stream(own.model_layer()), trace.stream[static_cast<std::size_t>(b)]);
    // In a layer without a norm before its projections, they use Tensor::tokens as input.
    own.set(Tensor::tokens, own.result(Tensor::input));
    if (settings.cross) own.set(Tensor::value_tokens, trace.result(Tensor::value_tokens));
    set_shape(own, settings);
    own.keeps_squares = own.model->is_bare_layer();  // bare layers may have any score function
    const std::span<const Node> nodes = own.nodes;
    for (std::size_t at = 0; at < nodes.size();) {
        const std::size_t done = compute(nodes, at, own, {nullptr, stop});
        for (const Node& node : nodes.subspan(at, done))
            for (const Tensor result : node.results)
                if (const auto found = watch.meddle.find(result); found != watch.meddle.end())
                    found->second(own);
        const auto computed = nodes.subspan(at, done);
        drop_unread(own, computed, nodes.subspan(at + done), watch.keep);
        at += done;
        if (watch.last && std::ranges::any_of(computed, [&](const Node& node) {
                return std::ranges::find(node.results, *watch.last) != node.results.end();
            }))
            break;
    }
    return own;
}

}  // namespace headlight
