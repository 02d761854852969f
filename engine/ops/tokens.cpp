#include <utility>

#include "kernels/recycle.h"
#include "ops/picture.h"
#include "ops/table.h"
#include "positions/positions.h"

namespace headlight::ops {

namespace {

// Class, distillation and register tokens, stacked by row.
Matrix stacked(const PrefixTokens& prefix, Index width) {
    Matrix rows(prefix.count(), width);
    Index next = 0;
    for (const SharedResult& part :
         {prefix.class_token, prefix.distillation_token, prefix.registers}) {
        if (!part) continue;
        rows.middleRows(next, part->view().rows) = part->view().eigen();
        next += part->view().rows;
    }
    return rows;
}

// The model's position embedding, resampled to this image's grid; zero for tokens without a
// position.
Matrix learned_positions(const Trace& trace, const PatchGrid& grid, Index rows) {
    const PositionTable& table = trace.model->positions;
    const MatrixView stored = table.table->view();
    const Index native = static_cast<Index>(table.grid_rows) * table.grid_cols;
    const Index special = stored.rows - native;  // rows of the table that do not belong to patches
    const Matrix patches =
        resample_positions(stored.block(special, 0, native, stored.cols), table.grid_rows,
                           table.grid_cols, grid.rows, grid.cols, table.resampling);
    Matrix positions = Matrix::Zero(rows, stored.cols);
    positions.topRows(special) = stored.eigen().topRows(special);
    positions.bottomRows(patches.rows()) = patches;
    return positions;
}

// For each sample, the row (or two rows side by side, or the mean) that represents the image.
Matrix pool(const MatrixView& tokens, Index batch, Index prefix, Pooling pooling) {
    const Index rows = tokens.rows / batch, width = tokens.cols;
    const bool two =
        pooling == Pooling::class_and_distillation || pooling == Pooling::class_and_patches;
    Matrix pooled(batch, two ? 2 * width : width);
    for (Index b = 0; b < batch; ++b) {
        const auto sample = tokens.eigen().middleRows(b * rows, rows);
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

}  // namespace

void compute_stack(const Node& node, Trace& trace, const Tools&) {
    const MatrixView embedded = trace.all(node.operands[1]);
    Matrix learned = stacked(trace.model->prefix, embedded.cols);
    const Index batch = trace.shape.batch, patches = embedded.rows / batch, t = learned.rows();
    Matrix sequence = new_matrix(batch * (t + patches), embedded.cols);
    for (Index b = 0; b < batch; ++b) {
        sequence.middleRows(b * (t + patches), t) = learned;
        sequence.middleRows(b * (t + patches) + t, patches) =
            embedded.eigen().middleRows(b * patches, patches);
    }
    trace.set(node.operands[0], make_result(std::move(learned)));
    trace.set(node.result(), make_result(std::move(sequence)));
}

// Results: the tokens, and the table that was added to them.
void compute_positions(const Node& node, Trace& trace, const Tools&) {
    const Tensor before = node.operands[0], table = node.results[1];
    const auto& choice = node.get<PositionChoice>();
    const PositionKind kind = choice.kind;
    const MatrixView tokens = trace.all(before);
    const PositionTable& own = trace.model->positions;
    const bool is_own = kind == PositionKind::model, learned = is_own && own.table;
    const bool own_is_none = is_own && !learned && !own.formula && !trace.model->is_bare_layer();
    if (info(kind).effect != PositionEffect::added || own_is_none) {
        trace.set(table, nullptr);
        trace.set(node.result(), trace.result(before));  // equal numbers, so the result is shared
        return;
    }
    const Index rows = tokens.rows / trace.shape.batch;
    const PatchGrid grid = grid_of_front(*trace.model, trace.grid);
    const TokenGrid places{trace.model->prefix.count(), grid.rows, grid.cols};
    Matrix positions = learned ? learned_positions(trace, grid, rows)
                               : position_table(is_own ? own.formula.value_or(kind) : kind,
                                                {places, rows, tokens.cols, choice.base,
                                                 choice.bias.seed, choice.first});
    Matrix sum = new_matrix(tokens.rows, tokens.cols);
    for (Index b = 0; b < trace.shape.batch; ++b)
        sum.middleRows(b * rows, rows) = tokens.eigen().middleRows(b * rows, rows) + positions;
    trace.set(table, make_result(std::move(positions)));
    trace.set(node.result(), make_result(std::move(sum)));
}

// Repeats the learned row for all samples.
void compute_learned(const Node& node, Trace& trace, const Tools&) {
    const MatrixView row = node.weights[0].value->view();
    trace.set(node.result(), make_result(Matrix(row.eigen().replicate(trace.shape.batch, 1))));
}

void explain_learned(Arithmetic& a, const Node&, const Trace&, Index) { take(a, a.shown); }

void compute_pool(const Node& node, Trace& trace, const Tools&) {
    trace.set(node.result(),
              make_result(pool(trace.all(node.operands[0]), trace.shape.batch,
                               trace.model->prefix.count(), node.get<PoolParameters>().pooling)));
}

// The logits of each sample, [N, P]: only patches can be pointed at.
void compute_point(const Node& node, Trace& trace, const Tools&) {
    const MatrixView query = trace.all(node.operands[0]), key = trace.all(node.operands[1]);
    const Index batch = trace.shape.batch, tokens = query.rows / batch,
                prefix = trace.model->prefix.count(), patches = tokens - prefix;
    const float factor = node.get<ScaleParameters>().factor;
    Matrix logits = new_matrix(query.rows, patches);
    for (Index b = 0; b < batch; ++b)
        logits.middleRows(b * tokens, tokens).noalias() =
            factor * query.eigen().middleRows(b * tokens, tokens) *
            key.eigen().middleRows(b * tokens + prefix, patches).transpose();
    trace.set(node.result(), make_result(std::move(logits)));
}

void explain_point(Arithmetic& a, const Node& node, const Trace& trace, Index) {
    const MatrixView query = trace.view(a.left), key = trace.view(a.right);
    const Index prefix = trace.model->prefix.count();
    add_products(a, query, key.block(prefix, 0, key.rows - prefix, key.cols), true);
    a.factor = node.get<ScaleParameters>().factor;
    a.recomputed = a.sum * a.factor;
}

// A learned token or, below them, a patch.
void explain_stack(Arithmetic& a, const Node&, const Trace& trace, Index) {
    const MatrixView learned = trace.view(a.left);
    const bool is_learned = a.row < learned.rows;
    if (!is_learned) a.left = a.right;
    take(a, is_learned ? learned(a.row, a.col) : trace.view(a.left)(a.row - learned.rows, a.col));
}

// A cell of the row that represents the image, or the mean over the patches.
void explain_pool(Arithmetic& a, const Node& node, const Trace& trace, Index) {
    const MatrixView tokens = trace.view(a.left);
    const Pooling pooling = node.get<PoolParameters>().pooling;
    const bool second = a.col >= tokens.cols;
    const Index col = second ? a.col - tokens.cols : a.col;
    const bool mean =
        pooling == Pooling::patches || (pooling == Pooling::class_and_patches && second);
    if (!mean) return take(a, tokens(second ? 1 : 0, col));
    const Index first = trace.model->prefix.count();
    for (Index row = first; row < tokens.rows; ++row) {
        a.terms.push_back({tokens(row, col), 0, tokens(row, col)});
        a.sum += tokens(row, col);
    }
    a.recomputed = a.sum / static_cast<double>(tokens.rows - first);
}

}  // namespace headlight::ops
