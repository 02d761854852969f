#include "positions/relative.h"

#include <cmath>
#include <string>

#include "kernels/parallel.h"
#include "kernels/random.h"

namespace headlight {

namespace {

// The row of the table for the offset of a query's patch from a key's patch.
Index row_of_pair(const TokenGrid& places, Index query, Index key) {
    const Index across = 2 * Index{places.cols} - 1;
    if (places.is_patch(query) && places.is_patch(key))
        return (places.row(query) - places.row(key) + places.rows - 1) * across +
               places.col(query) - places.col(key) + places.cols - 1;
    const Index offsets = relative_offsets(places.rows, places.cols);
    if (places.is_patch(key)) return offsets;
    return places.is_patch(query) ? offsets + 1 : offsets + 2;
}

Matrix drawn_table(std::uint64_t seed, Index rows, Index heads) {
    Matrix table(rows, heads);
    SplitMix random(seed);
    for (Index i = 0; i < table.size(); ++i) table.data()[i] = static_cast<float>(random.normal());
    return table;
}

Matrix distance_table(const TokenGrid& places, Index rows, Index heads) {
    Matrix table = Matrix::Zero(rows, heads);
    Index row = 0;
    for (int down = 1 - places.rows; down < places.rows; ++down)
        for (int right = 1 - places.cols; right < places.cols; ++right, ++row)
            for (Index head = 0; head < heads; ++head)
                table(row, head) = static_cast<float>(-distance_slope(head, heads) *
                                                      std::hypot(double(down), double(right)));
    return table;
}

}  // namespace

double distance_slope(Index head, Index heads) {
    return std::exp2(-8 * static_cast<double>(head + 1) / static_cast<double>(heads));
}

Matrix made_bias_table(const BiasChoice& choice, int layer, const TokenGrid& places, Index tokens,
                       Index heads) {
    if (!places.are_known() || places.count() != tokens)
        throw PositionError(
            "A relative position bias needs tokens in a grid of patches, but these " +
            std::to_string(tokens) + " tokens have no known grid.");
    if (!std::isfinite(choice.strength))
        throw PositionError("The strength of a relative position bias must be a finite number.");
    const Index rows = relative_offsets(places.rows, places.cols) + (places.prefix > 0 ? 3 : 0);
    // 2^64 divided by the golden ratio: far from other seeds.
    const std::uint64_t seed =
        choice.seed + 0x9E3779B97F4A7C15ULL * static_cast<std::uint64_t>(layer);
    Matrix table = choice.start == BiasStart::drawn ? drawn_table(seed, rows, heads)
                                                    : distance_table(places, rows, heads);
    return table * choice.strength;
}

Index relative_offsets(int rows, int cols) { return (2 * Index{rows} - 1) * (2 * Index{cols} - 1); }

Matrix relative_bias(const MatrixView& table, int rows, int cols, const TokenGrid& places,
                     Index tokens) {
    const bool with_class = table.rows != relative_offsets(rows, cols);
    if (with_class != (places.prefix > 0) || places.rows != rows || places.cols != cols ||
        places.count() != tokens)
        throw PositionError("This model's relative position bias fits " + std::to_string(rows) +
                            " × " + std::to_string(cols) + " patches only. " +
                            (places.are_known()
                                 ? "The grid here is " + std::to_string(places.rows) + " × " +
                                       std::to_string(places.cols) + "."
                                 : "These tokens have no known grid."));
    const Index heads = table.cols;
    Matrix bias(heads * tokens, tokens);
    parallel_for(heads * tokens, [&](Index row) {
        for (Index key = 0; key < tokens; ++key)
            bias(row, key) = table(row_of_pair(places, row % tokens, key), row / tokens);
    });
    return bias;
}

}  // namespace headlight
