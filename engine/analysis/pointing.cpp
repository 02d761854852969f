#include "analysis/pointing.h"

#include <string>

#include "analysis/prediction.h"

namespace headlight {

Pointing point_of(const MatrixView& logits, Index token) {
    if (token < 0 || token >= logits.rows)
        throw AnalysisError("Pointing of token " + std::to_string(token) + ": expected below " +
                            std::to_string(logits.rows) + ".");
    const auto best = top_predictions(logits.block(token, 0, 1, logits.cols), 1);
    return {static_cast<int>(best.front().index), best.front().probability};
}

PointedCells pointed_cells(const Trace& trace) {
    if (trace.model->twin.exists()) return {trace.grid.rows, trace.grid.cols};
    return {trace.model->positions.grid_rows, trace.model->positions.grid_cols};
}

}  // namespace headlight
