#include "reference/named_results.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace headlight {

namespace {

// The tensors of the table from `first` to `last` that the trace has, under the names that `name`
// returns; empty: left out.
std::vector<NamedResult> between(const Trace& trace, Tensor first, Tensor last,
                                 const std::function<std::string(const TensorInfo&)>& name) {
    std::vector<NamedResult> results;
    for (const TensorInfo& about : all_tensors()) {
        if (about.id < first || about.id > last) continue;
        if (about.file_name.empty() || !trace.has(about.id)) continue;
        if (std::string given = name(about); !given.empty())
            results.push_back({std::move(given), about.id});
    }
    return results;
}

// The rows of a model's table for the tokens that it is added to.
Matrix covered_rows(const Model& model, const MatrixView& table) {
    const Index prefix = model.prefix.count();
    const Index registers = model.prefix.registers ? model.prefix.registers->view().rows : 0;
    Index before = prefix;
    if (model.positions.cover == PositionCover::patches) before = 0;
    if (model.positions.cover == PositionCover::without_registers) before = prefix - registers;
    Matrix rows(before + table.rows - prefix, table.cols);
    rows << table.eigen().topRows(before), table.eigen().bottomRows(table.rows - prefix);
    return rows;
}

// A result may also be the layer's output under another name.
bool is_output(const Trace& trace, Tensor result) {
    return trace.has(result) && trace.result(result) == trace.result(Tensor::output);
}

}  // namespace

std::vector<NamedResult> results_of_front(const Trace& trace) {
    const bool splits = !trace.splits.empty();  // then the patches are the last split
    auto results = between(trace, Tensor::patches, Tensor::pre_norm, [&](const TensorInfo& about) {
        // With a norm before the first layer, the norm's result is that layer's input.
        const bool apart = about.id == Tensor::positions ||
                           (splits && about.id == Tensor::patches) ||
                           (about.id == Tensor::tokens && trace.has(Tensor::pre_norm));
        return apart ? std::string() : std::string(about.file_name);
    });
    if (trace.has(Tensor::pre_norm)) results.push_back({"tokens.input", Tensor::pre_norm});
    if (trace.has(Tensor::positions)) results.push_back({"positions", Tensor::positions});
    return results;
}

std::vector<NamedResult> results_of_layer(const Trace& trace) {
    const Layer& layer = trace.model_layer();
    const bool bare = !layer.mlp_in.exists();
    const bool from_value = trace.config.skip == Skip::value;
    constexpr std::string_view kPlaceholder = "layer.L";
    // Merging results of another layer may still be in the trace.
    const Tensor first = layer.merge.exists() ? Tensor::merge_input : Tensor::input,
                 last = Tensor::output;
    auto results = between(trace, first, last, [&](const TensorInfo& about) {
        // Features of an earlier Performer layer may still be in the trace.
        const bool is_feature =
            about.id == Tensor::query_features || about.id == Tensor::key_features;
        if (is_feature && !layer.features) return std::string();
        if (about.id == Tensor::residual1 && is_output(trace, Tensor::residual1))
            return std::string();
        if (about.id == Tensor::residual1 && from_value) return layer.file_name + ".skip";
        return layer.file_name + std::string(about.file_name.substr(kPlaceholder.size()));
    });
    if (bare && from_value) results.push_back({layer.file_name + ".skip", Tensor::output});
    if (layer.merge.exists()) results.push_back({layer.file_name + ".input", Tensor::input});
    return results;
}

std::vector<NamedResult> results_of_end(const Trace& trace) {
    const Model& model = *trace.model;
    auto results = between(trace, Tensor::encoded, Tensor::pointing, [&](const TensorInfo& about) {
        const bool embedding = about.id == Tensor::logits && model.gives_embedding;
        return embedding ? std::string("embedding") : std::string(about.file_name);
    });
    if (model.gives_pooler)
        results.push_back({"pooler", model.pooled_norm.exists() && !model.attention_pool.exists()
                                         ? Tensor::pooled_norm
                                         : Tensor::pooled});
    return results;
}

ShapedResult shaped(const Trace& trace, Tensor tensor) {
    const TensorInfo& about = info(tensor);
    // One table serves all samples.
    const Index batch = shared_by_samples(tensor) ? 1 : trace.shape.batch;
    const Index heads = about.per_head ? trace.shape.heads : 1;
    ShapedResult result{{batch}, {}, nullptr};
    for (Index b = 0; b < batch; ++b)
        for (Index h = 0; h < heads; ++h) result.blocks.push_back(trace.view(tensor, b, h));
    if (about.per_head) result.shape.push_back(heads);
    if (about.rows != Axis::one) result.shape.push_back(result.blocks[0].rows);
    result.shape.push_back(result.blocks[0].cols);
    return result;
}

ShapedResult shaped_positions(const Trace& trace, PositionKind kind) {
    const PositionTable& own = trace.model->positions;
    if (kind != PositionKind::model || !own.table || own.cover == PositionCover::all)
        return shaped(trace, Tensor::positions);
    SharedResult rows = make_result(covered_rows(*trace.model, trace.all(Tensor::positions)));
    const MatrixView view = rows->view();
    return {{1, view.rows, view.cols}, {view}, std::move(rows)};
}

}  // namespace headlight
