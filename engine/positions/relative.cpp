#include "positions/relative.h"

#include <string>

#include "kernels/parallel.h"
#include "positions/positions.h"

namespace headlight {

namespace {

// The row of the table that says how a query's patch lies to a key's.
Index row_of_pair(const TokenGrid& places, Index query, Index key) {
    const Index across = 2 * Index{places.cols} - 1;
    if (places.is_patch(query) && places.is_patch(key))
        return (places.row(query) - places.row(key) + places.rows - 1) * across +
               places.col(query) - places.col(key) + places.cols - 1;
    const Index offsets = relative_offsets(places.rows, places.cols);
    if (places.is_patch(key)) return offsets;
    return places.is_patch(query) ? offsets + 1 : offsets + 2;
}

}  // namespace

Index relative_offsets(int rows, int cols) { return (2 * Index{rows} - 1) * (2 * Index{cols} - 1); }

Matrix relative_bias(const MatrixView& table, int rows, int cols, const TokenGrid& places,
                     Index tokens) {
    if (places.prefix != 1 || places.rows != rows || places.cols != cols ||
        places.count() != tokens)
        throw PositionError("This model's relative position bias is for " + std::to_string(rows) +
                            " × " + std::to_string(cols) + " patches, and fits no others; here " +
                            (places.are_known() ? "are " + std::to_string(places.rows) + " × " +
                                                      std::to_string(places.cols) + "."
                                                : "nothing says how the tokens lie."));
    const Index heads = table.cols;
    Matrix bias(heads * tokens, tokens);
    parallel_for(heads * tokens, [&](Index row) {
        for (Index key = 0; key < tokens; ++key)
            bias(row, key) = table(row_of_pair(places, row % tokens, key), row / tokens);
    });
    return bias;
}

}  // namespace headlight
