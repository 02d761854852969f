#include "cli/trace_writer.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <span>
#include <utility>

#include "pytorch/script.h"

namespace headlight::cli {

namespace {

// Of one layer there are at most those of the table.
std::size_t header_room(const Model& model) {
    constexpr std::size_t kAround = 10;
    const auto of_layer =
        static_cast<std::size_t>(std::ranges::count_if(all_tensors(), [](const TensorInfo& about) {
            return about.file_name.starts_with("layer.L.");
        }));
    const std::size_t tensors = kAround + model.splits.size() + of_layer * model.layers.size();
    return tensors * SafetensorsWriter::room_for("layer.1000000.mlp_activation", 4);
}

// Whether scores have NaN or an infinity that the mask did not put there.
bool is_damaged(const Mask& mask, Index sample, Index head, const MatrixView& scores) {
    for (Index row = 0; row < scores.rows; ++row) {
        const std::uint8_t* blocked = mask.row(sample, row);
        const float* added = mask.added_row(sample, head, row);
        for (Index col = 0; col < scores.cols; ++col) {
            const float score = scores(row, col);
            const bool hidden = added != nullptr && std::isinf(added[col]) && std::isinf(score);
            if (!std::isfinite(score) && blocked[col] == 0 && !hidden) return true;
        }
    }
    return false;
}

// Whether any other matrix has.
bool is_damaged(const MatrixView& matrix) {
    for (Index row = 0; row < matrix.rows; ++row)
        if (find_not_finite({matrix.row(row), static_cast<std::size_t>(matrix.cols)})) return true;
    return false;
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

}  // namespace

TraceWriter::TraceWriter(const std::string& path, const Model& model)
    : file_(path, header_room(model)) {}

// Every sample, and every head of it, one after the other, as the file wants them.
void TraceWriter::write(const Trace& trace, Tensor tensor, std::string name) {
    const TensorToWrite result = tensor_to_write(trace, tensor, std::move(name));
    const Index heads = info(tensor).per_head ? trace.shape.heads : 1;
    const auto mask = tensor == Tensor::scores ? mask_of(trace) : nullptr;
    for (std::size_t i = 0; damaged_.empty() && i < result.blocks.size(); ++i) {
        const MatrixView& block = result.blocks[i];
        const auto at = static_cast<Index>(i);
        if (mask ? is_damaged(*mask, at / heads, at % heads, block) : is_damaged(block))
            damaged_ = result.name;
    }
    file_.write(result);
}

void TraceWriter::write_positions(const Trace& trace, const PositionChoice& choice) {
    const Model& model = *trace.model;
    const MatrixView table = trace.all(Tensor::positions);
    if (choice.kind != PositionKind::model || !model.positions.table ||
        model.positions.cover == PositionCover::all)
        return write(trace, Tensor::positions, "positions");
    const Matrix rows = covered_rows(model, table);
    file_.write({"positions", {1, rows.rows(), rows.cols()}, {rows}});
}

void TraceWriter::write_between(const Trace& trace, Tensor first, Tensor last,
                                const std::function<std::string(const TensorInfo&)>& name) {
    for (const TensorInfo& about : all_tensors()) {
        if (about.id < first || about.id > last) continue;
        if (about.file_name.empty() || !trace.has(about.id)) continue;
        if (std::string given = name(about); !given.empty())
            write(trace, about.id, std::move(given));
    }
}

void TraceWriter::front(const Trace& trace, const PositionChoice& positions) {
    const bool splits = !trace.splits.empty();  // then the patches are the last of them
    write_between(trace, Tensor::patches, Tensor::pre_norm, [&](const TensorInfo& about) {
        // With a norm before the first layer, its result is what that layer reads.
        const bool apart = about.id == Tensor::positions ||
                           (splits && about.id == Tensor::patches) ||
                           (about.id == Tensor::tokens && trace.has(Tensor::pre_norm));
        return apart ? std::string() : std::string(about.file_name);
    });
    if (trace.has(Tensor::pre_norm)) write(trace, Tensor::pre_norm, "tokens.input");
    if (trace.has(Tensor::positions)) write_positions(trace, positions);
}

void TraceWriter::split(const Trace& trace, int level) {
    const MatrixView tokens = trace.splits[static_cast<std::size_t>(level)]->view();
    const Index batch = trace.shape.batch;
    file_.write(
        {"t2t.split" + std::to_string(level), {batch, tokens.rows / batch, tokens.cols}, {tokens}});
}

// "layer.L.query" is "layer.3.query" or "t2t.1.query". A bare layer goes no further than its
// attention, so what comes out of that is its output.
void TraceWriter::layer(const Trace& trace) {
    const Layer& layer = trace.model_layer();
    const bool bare = !layer.mlp_in.exists();
    const bool from_value = trace.config.skip == Skip::value;
    constexpr std::string_view kPlaceholder = "layer.L";
    write_between(trace, Tensor::input, Tensor::output, [&](const TensorInfo& about) {
        if (about.id == Tensor::residual1 && bare) return std::string();
        if (about.id == Tensor::residual1 && from_value) return layer.file_name + ".skip";
        return layer.file_name + std::string(about.file_name.substr(kPlaceholder.size()));
    });
    if (bare && from_value) write(trace, Tensor::output, layer.file_name + ".skip");
}

void TraceWriter::end(const Trace& trace) {
    write_between(trace, Tensor::encoded, Tensor::pointing, [&](const TensorInfo& about) {
        const bool embedding = about.id == Tensor::logits && trace.model->gives_embedding;
        return embedding ? std::string("embedding") : std::string(about.file_name);
    });
    const Model& model = *trace.model;
    if (model.gives_pooler)
        write(trace, model.pooled_norm.exists() ? Tensor::pooled_norm : Tensor::pooled, "pooler");
}

void TraceWriter::rollout(const std::vector<MatrixView>& samples) {
    const auto batch = static_cast<std::int64_t>(samples.size());
    file_.write({"rollout", {batch, samples[0].rows, samples[0].cols}, samples});
}

void TraceWriter::finish(std::ostream& warnings) {
    file_.finish();
    if (!damaged_.empty())
        warnings << "headlight: " << damaged_
                 << " is the first tensor with NaN or infinite numbers.\n";
}

}  // namespace headlight::cli
