#include "cli/trace_writer.h"

#include <algorithm>
#include <cmath>
#include <ostream>

namespace headlight::cli {

namespace {

// A layer has at most as many tensors as the table.
std::size_t header_room(const Model& model, bool gradients) {
    constexpr std::size_t kAround = 11;  // and the metadata of say_layout
    const auto of_layer =
        static_cast<std::size_t>(std::ranges::count_if(all_tensors(), [](const TensorInfo& about) {
            return about.file_name.starts_with("layer.L.");
        }));
    const std::size_t tensors =
        kAround + model.splits.size() + (of_layer + 1) * model.layers.size();
    const auto room = [](const char* name) { return SafetensorsWriter::room_for(name, 4); };
    return tensors * (room("layer.1000000.mlp_activation") +
                      (gradients ? room("layer.1000000.mlp_activation.gradient") : 0));
}

// Whether scores have NaN, or an infinity that the mask does not explain.
bool is_damaged(const Mask& mask, Index sample, Index head, const MatrixView& scores) {
    for (Index row = 0; row < scores.rows; ++row) {
        const float* added = mask.added_row(sample, head, row);
        for (Index col = 0; col < scores.cols; ++col) {
            const float score = scores(row, col);
            const bool hidden = added != nullptr && std::isinf(added[col]) && std::isinf(score);
            if (!std::isfinite(score) && !mask.blocks(sample, row, col) && !hidden) return true;
        }
    }
    return false;
}

// Whether any other matrix has NaN or infinity.
bool is_damaged(const MatrixView& matrix) {
    for (Index row = 0; row < matrix.rows; ++row)
        if (find_not_finite({matrix.row(row), static_cast<std::size_t>(matrix.cols)})) return true;
    return false;
}

}  // namespace

TraceWriter::TraceWriter(const std::string& path, const Model& model,
                         const std::map<std::string, std::string>& facts, bool gradients)
    : file_(path, header_room(model, gradients), facts) {}

namespace {

// In any sample and head.
bool has_damaged_scores(const Trace& trace) {
    const auto mask = mask_of(trace);
    for (Index b = 0; b < trace.shape.batch; ++b)
        for (Index h = 0; h < trace.shape.heads; ++h) {
            const MatrixView scores = trace.view(Tensor::scores, b, h);
            if (mask ? is_damaged(*mask, b, h, scores) : is_damaged(scores)) return true;
        }
    return false;
}

}  // namespace

// Writes sample by sample, and within these head by head, which is the file's layout.
void TraceWriter::write(const Trace& trace, const NamedResult& named, const ShapedResult& result) {
    const auto damaged = [](const MatrixView& block) { return is_damaged(block); };
    if (damaged_.empty() && (named.tensor == Tensor::scores && ending_.empty()
                                 ? has_damaged_scores(trace)
                                 : std::ranges::any_of(result.blocks, damaged)))
        damaged_ = named.name + ending_;
    file_.write({named.name + ending_, result.shape, result.blocks});
}

void TraceWriter::write(const Trace& trace, const std::vector<NamedResult>& results) {
    for (const NamedResult& result : results)
        write(trace, result, shaped_for_file(trace, result.tensor));
}

void TraceWriter::front(const Trace& trace, const PositionChoice& positions) {
    for (const NamedResult& result : results_of_front(trace))
        write(trace, result,
              result.tensor == Tensor::positions ? shaped_positions(trace, positions.kind)
                                                 : shaped(trace, result.tensor));
}

void TraceWriter::write_split(const Trace& trace, int level, const MatrixView& tokens) {
    const Index batch = trace.shape.batch;
    file_.write({"t2t.split" + std::to_string(level) + ending_,
                 {batch, tokens.rows / batch, tokens.cols},
                 {tokens}});
}

void TraceWriter::split(const Trace& trace, int level) {
    write_split(trace, level, trace.splits[static_cast<std::size_t>(level)]->view());
}

void TraceWriter::split(const Trace& trace, int level, const Matrix& gradient) {
    write_split(trace, level, gradient);
}

// Stores the patch layout, which attention alone would not tell when opened as maps.
void TraceWriter::say_layout(const Trace& trace) {
    const bool of_picture = trace.grid.image_height > 0 && !is_cross(trace);
    const bool one_grid =
        !trace.model->has_merges() && trace.layer >= trace.model->token_transformers();
    if (!of_picture || !one_grid) return;
    file_.say("grid", grid_text({trace.grid.rows, trace.grid.cols}));
    file_.say("tokens_before", std::to_string(trace.layout.prefix()));
}

void TraceWriter::layer(const Trace& trace) {
    if (ending_.empty()) say_layout(trace);
    write(trace, results_of_layer(trace));
}
void TraceWriter::end(const Trace& trace) { write(trace, results_of_end(trace)); }

void TraceWriter::rollout(const std::vector<MatrixView>& samples) {
    const auto batch = static_cast<std::int64_t>(samples.size());
    file_.write({"rollout", {batch, samples[0].rows, samples[0].cols}, samples});
}

void TraceWriter::pixels(const std::vector<float>& numbers,
                         const std::vector<std::int64_t>& shape) {
    const auto cols = static_cast<Index>(shape.back()),
               rows = static_cast<Index>(numbers.size()) / cols;
    file_.write({"pixels" + ending_, shape, {MatrixView(numbers.data(), rows, cols, cols)}});
}

void TraceWriter::finish(std::ostream& warnings) {
    file_.finish();
    if (!damaged_.empty())
        warnings << "headlight: " << damaged_
                 << " is the first tensor with NaN or infinite numbers.\n";
}

}  // namespace headlight::cli
