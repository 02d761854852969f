#include "encoder/pointed_cells.h"

namespace headlight {

PointedCells pointed_cells(const Trace& trace) {
    if (trace.model->twin.exists()) return {trace.grid.rows, trace.grid.cols};
    return {trace.model->positions.grid_rows, trace.model->positions.grid_cols};
}

}  // namespace headlight
