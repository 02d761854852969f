#include "encoder/model_steps.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "encoder/layer_steps.h"
#include "encoder/norm_step.h"
#include "kernels/recycle.h"
#include "patches/soft_split.h"
#include "positions/positions.h"

namespace headlight {

namespace {

void set_linear(Trace& trace, const Linear& layer, Tensor weight, Tensor bias) {
    trace.set(weight, layer.weight);
    trace.set(bias, layer.bias);
}

void embed(Trace& trace) {
    const Linear& embedding = trace.model->embedding;
    set_linear(trace, embedding, Tensor::patch_weight, Tensor::patch_bias);
    const MatrixView patches =
        trace.splits.empty() ? trace.all(Tensor::patches) : trace.splits.back()->view();
    trace.set(Tensor::embedded, make_result(linear(patches, embedding)));
}

// One below the other: class, distillation, registers.
Matrix stacked(const PrefixTokens& prefix, Index width) {
    Matrix rows(prefix.count(), width);
    Index next = 0;
    for (const SharedResult& part :
         {prefix.class_token, prefix.distillation_token, prefix.registers}) {
        if (!part) continue;
        rows.middleRows(next, part->view().rows) = part->view().map();
        next += part->view().rows;
    }
    return rows;
}

void put_prefix(Trace& trace) {
    const MatrixView embedded = trace.all(Tensor::embedded);
    Matrix learned = stacked(trace.model->prefix, embedded.cols);
    const Index batch = trace.shape.batch, patches = embedded.rows / batch, t = learned.rows();
    Matrix sequence = new_matrix(batch * (t + patches), embedded.cols);
    for (Index b = 0; b < batch; ++b) {
        sequence.middleRows(b * (t + patches), t) = learned;
        sequence.middleRows(b * (t + patches) + t, patches) =
            embedded.map().middleRows(b * patches, patches);
    }
    trace.set(Tensor::prefix_tokens, make_result(std::move(learned)));
    trace.set(Tensor::sequence, make_result(std::move(sequence)));
}

// The file's table, brought to this image's grid; zero for tokens that are given no position.
Matrix learned_positions(const Trace& trace, const PatchGrid& grid, Index rows) {
    const PositionTable& table = trace.model->positions;
    const MatrixView stored = table.table->view();
    const Index native = static_cast<Index>(table.grid_rows) * table.grid_cols;
    const Index special = stored.rows - native;  // rows of the table that are no patches
    const Matrix patches =
        resample_positions(stored.block(special, 0, native, stored.cols), table.grid_rows,
                           table.grid_cols, grid.rows, grid.cols, table.resampling);
    Matrix positions = Matrix::Zero(rows, stored.cols);
    positions.topRows(special) = stored.map().topRows(special);
    positions.bottomRows(patches.rows()) = patches;
    return positions;
}

void add_positions(Trace& trace, PositionKind kind) {
    const bool with_prefix = trace.model->prefix.count() > 0;
    const Tensor before = with_prefix                       ? Tensor::sequence
                          : trace.model->embedding.exists() ? Tensor::embedded
                                                            : Tensor::patches;
    const MatrixView tokens = trace.all(before);
    if (kind == PositionKind::none) {
        trace.set(Tensor::positions, nullptr);
        // The same numbers, so the same result.
        trace.set(Tensor::tokens, trace.results[static_cast<std::size_t>(before)]);
        return;
    }
    const Index rows = tokens.rows / trace.shape.batch;
    const bool learned = kind == PositionKind::model && trace.model->positions.table;
    const PatchGrid grid =
        grid_of_level(*trace.model, trace.grid, trace.model->token_transformers());
    Matrix positions = learned ? learned_positions(trace, grid, rows)
                               : position_table(PositionKind::sinusoidal, rows, tokens.cols);
    Matrix sum = new_matrix(tokens.rows, tokens.cols);
    for (Index b = 0; b < trace.shape.batch; ++b)
        sum.middleRows(b * rows, rows) = tokens.map().middleRows(b * rows, rows) + positions;
    trace.set(Tensor::positions, make_result(std::move(positions)));
    trace.set(Tensor::tokens, make_result(std::move(sum)));
}

// For each sample the row, or the two rows side by side, or the mean, that speaks for the image.
Matrix pool(const Trace& trace) {
    const MatrixView tokens = trace.all(trace.has(Tensor::norm) ? Tensor::norm : Tensor::encoded);
    const Index batch = trace.shape.batch, rows = tokens.rows / batch, width = tokens.cols;
    const Index prefix = trace.model->prefix.count();
    const Pooling pooling = trace.model->pooling;
    const bool two =
        pooling == Pooling::class_and_distillation || pooling == Pooling::class_and_patches;
    Matrix pooled(batch, two ? 2 * width : width);
    for (Index b = 0; b < batch; ++b) {
        const auto sample = tokens.map().middleRows(b * rows, rows);
        const Vector mean = sample.bottomRows(rows - prefix).colwise().mean();
        if (pooling == Pooling::patches)
            pooled.row(b) = mean;
        else
            pooled.row(b).leftCols(width) = sample.row(0);
        if (pooling == Pooling::class_and_distillation)
            pooled.row(b).rightCols(width) = sample.row(1);
        if (pooling == Pooling::class_and_patches) pooled.row(b).rightCols(width) = mean;
    }
    return pooled;
}

// What a step reads, as the table of steps says it. Whether a later result is there tells nothing:
// it may be that of the run before.
MatrixView operand_of(const Trace& trace, Step step) {
    return trace.all(describe(trace, step).operands.front());
}

}  // namespace

void compute_front_step(Trace& trace, Step step, PositionKind positions) {
    switch (step) {
        case Step::embed:
            return embed(trace);
        case Step::prefix:
            return put_prefix(trace);
        case Step::position:
            return add_positions(trace, positions);
        case Step::pre_norm:
            return normalise(trace, trace.model->pre_norm, Tensor::tokens, kPreNorm);
        default:
            return;
    }
}

void compute_end_step(Trace& trace, Step step) {
    const Model& model = *trace.model;
    switch (step) {
        case Step::norm:
            return normalise(trace, model.norm, Tensor::encoded, kFinalNorm);
        case Step::pool:
            trace.set(Tensor::pooled, make_result(pool(trace)));
            return;
        case Step::pooled_norm:
            return normalise(trace, model.pooled_norm, Tensor::pooled, kPooledNorm);
        case Step::pooler:
            set_linear(trace, model.pooler, Tensor::pooler_weight, Tensor::pooler_bias);
            trace.set(Tensor::pooler_hidden,
                      make_result(linear(operand_of(trace, step), model.pooler)));
            return;
        case Step::pooler_tanh:
            trace.set(Tensor::pooler,
                      make_result(trace.all(Tensor::pooler_hidden).map().array().tanh().matrix()));
            return;
        case Step::head:
            set_linear(trace, model.head, Tensor::head_weight, Tensor::head_bias);
            trace.set(Tensor::logits, make_result(linear(operand_of(trace, step), model.head)));
            return;
        case Step::point:
            set_linear(trace, model.pointing, Tensor::pointing_weight, Tensor::pointing_bias);
            trace.set(Tensor::pointing,
                      make_result(linear(operand_of(trace, step), model.pointing)));
            return;
        default:
            return;
    }
}

PatchGrid grid_of_level(const Model& model, const PatchGrid& patches, int level) {
    if (model.splits.empty()) return patches;
    PatchGrid grid = make_patch_grid(patches.image_height, patches.image_width, {1, 1});
    for (int i = 0; i <= level; ++i) {
        const SoftSplit& split = model.splits[static_cast<std::size_t>(i)];
        grid = soft_split_grid(grid, split.kernel, split.stride, split.padding);
    }
    return grid;
}

void compute_split(Trace& trace, int level, const std::vector<Matrix>& pixels) {
    const SoftSplit& split = trace.model->splits[static_cast<std::size_t>(level)];
    const PatchGrid from =
        level == 0 ? make_patch_grid(trace.grid.image_height, trace.grid.image_width, {1, 1})
                   : grid_of_level(*trace.model, trace.grid, level - 1);
    Matrix all;
    for (Index b = 0; b < trace.shape.batch; ++b) {
        MatrixView tokens;
        if (level == 0) {
            tokens = pixels[static_cast<std::size_t>(b)];
        } else {
            tokens = trace.split_inputs[static_cast<std::size_t>(level) - 1]->view();
            tokens = tokens.block(b * from.count(), 0, from.count(), tokens.cols);
        }
        const Matrix part =
            soft_split(tokens, from.rows, from.cols, split.kernel, split.stride, split.padding);
        if (b == 0) all = new_matrix(trace.shape.batch * part.rows(), part.cols());
        all.middleRows(b * part.rows(), part.rows()) = part;
    }
    trace.splits.resize(static_cast<std::size_t>(level) + 1);
    trace.splits.back() = make_result(std::move(all));
}

TokenLayout layout_of(const Model& model, int block, const PatchGrid& grid) {
    TokenLayout layout;
    layout.patches = grid.count();
    if (block < model.token_transformers() || model.is_bare_layer()) return layout;
    if (model.is_maps()) {
        layout.class_tokens = std::min(model.map_prefix, 1);
        layout.registers = model.map_prefix - layout.class_tokens;
        return layout;
    }
    layout.class_tokens = model.prefix.class_token ? 1 : 0;
    layout.distillation_tokens = model.prefix.distillation_token ? 1 : 0;
    layout.registers = model.prefix.registers ? model.prefix.registers->view().rows : 0;
    return layout;
}

}  // namespace headlight
