#include "analysis/position_differences.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>

#include "kernels/parallel.h"
#include "kernels/product.h"

namespace headlight {

namespace {

constexpr Index kBlockRows = 32;

void check_row(const MatrixView& table, Index row) {
    if (row >= 0 && row < table.rows) return;
    throw AnalysisError("Position " + std::to_string(row) + ": expected one of " +
                        std::to_string(table.rows) + ", counted from 0.");
}

double exact_distance(const MatrixView& table, Index a, Index b) {
    return (table.eigen().row(a).cast<double>() - table.eigen().row(b).cast<double>()).norm();
}

// Result of one thread: pairs of some rows with all rows after them.
struct Found {
    Index count = 0, first = -1, second = -1;
    double nearest = std::numeric_limits<double>::infinity();  // squared
};

Found nearest_pairs(const WideMatrix& wide, const Eigen::VectorXd& squares, Index from, Index rows,
                    double within) {
    WideMatrix products;
    multiply_transposed(wide.middleRows(from, rows), wide.bottomRows(wide.rows() - from), products);
    Found found;
    for (Index i = 0; i < rows; ++i)
        for (Index b = from + i + 1; b < wide.rows(); ++b) {
            const double squared =
                std::max(0.0, squares[from + i] + squares[b] - 2 * products(i, b - from));
            if (squared < within * within) ++found.count;
            if (squared >= found.nearest) continue;
            found.nearest = squared;
            found.first = from + i;
            found.second = b;
        }
    return found;
}

// Whether patches differ from their neighbors in the row, and in the column.
struct Varies {
    bool across = false, down = false;
};
Varies varies(const MatrixView& table, int cols) {
    if (table.cols == 0) return {};
    const float within = 1e-6F * table.eigen().cwiseAbs().maxCoeff();
    const auto differ = [&](Index a, Index b) {
        return (table.eigen().row(a) - table.eigen().row(b)).cwiseAbs().maxCoeff() > within;
    };
    Varies found;
    for (Index patch = 0; patch < table.rows; ++patch) {
        const Index next = patch + 1, below = patch + cols;
        found.across = found.across || (next % cols != 0 && differ(patch, next));
        found.down = found.down || (below < table.rows && differ(patch, below));
    }
    return found;
}

}  // namespace

std::vector<HandDifference> hand_differences(const MatrixView& table, Pairing pairing, Index a,
                                             Index b) {
    check_row(table, a);
    check_row(table, b);
    std::vector<HandDifference> hands;
    std::vector<bool> paired(static_cast<std::size_t>(table.cols), false);
    for (const ChannelPair& pair : channel_pairs(pairing, table.cols)) {
        const double ax = table(a, pair.second), ay = table(a, pair.first),
                     bx = table(b, pair.second), by = table(b, pair.first);
        const bool both = std::hypot(ax, ay) > 0 && std::hypot(bx, by) > 0;
        const double angle = both ? std::abs(std::atan2(ax * by - ay * bx, ax * bx + ay * by))
                                  : std::numeric_limits<double>::quiet_NaN();
        hands.push_back({pair, angle, std::hypot(ax - bx, ay - by)});
        paired[static_cast<std::size_t>(pair.first)] = true;
        paired[static_cast<std::size_t>(pair.second)] = true;
    }
    for (Index c = 0; c < table.cols; ++c)
        if (!paired[static_cast<std::size_t>(c)])
            hands.push_back({{c, c},
                             std::numeric_limits<double>::quiet_NaN(),
                             std::abs(static_cast<double>(table(a, c)) - table(b, c))});
    return hands;
}

Halves halves_of(const MatrixView& table, int rows, int cols) {
    if (table.rows != Index{rows} * cols)
        throw AnalysisError("Expected a row for each of " + std::to_string(rows) + " × " +
                            std::to_string(cols) + " patches, found " + std::to_string(table.rows) +
                            ".");
    const Index half = table.cols / 2;
    const Varies first = varies(table.block(0, 0, table.rows, half), cols),
                 second = varies(table.block(0, half, table.rows, table.cols - half), cols);
    if (!first.down && !second.across && (first.across || second.down)) return Halves::columns_rows;
    if (!first.across && !second.down && (first.down || second.across)) return Halves::rows_columns;
    return Halves::mixed;
}

std::vector<std::size_t> most_distinguishing(const std::vector<HandDifference>& hands,
                                             double part) {
    std::vector<std::size_t> order(hands.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(),
                             [&](std::size_t i) { return hands[i].distance; });
    double whole = 0;
    for (const HandDifference& hand : hands) whole += hand.distance * hand.distance;
    double held = 0;
    std::vector<std::size_t> most;
    for (const std::size_t i : order) {
        if (held >= part * whole) break;
        held += hands[i].distance * hands[i].distance;
        most.push_back(i);
    }
    return most;
}

CollapsedPairs collapsed_pairs(const MatrixView& table, double within) {
    CollapsedPairs all;
    all.of = table.rows * (table.rows - 1) / 2;
    all.within = within;
    if (table.rows < 2) return all;
    const WideMatrix wide = table.eigen().cast<double>();
    const Eigen::VectorXd squares = wide.rowwise().squaredNorm();
    const Index blocks = ceil_div(table.rows, kBlockRows);
    std::vector<Found> parts(static_cast<std::size_t>(blocks));
    parallel_for(blocks, [&](Index block) {
        const Index from = block * kBlockRows;
        parts[static_cast<std::size_t>(block)] =
            nearest_pairs(wide, squares, from, std::min(kBlockRows, table.rows - from), within);
    });
    double nearest = std::numeric_limits<double>::infinity();
    for (const Found& found : parts) {
        all.count += found.count;
        if (found.first < 0 || found.nearest >= nearest) continue;
        nearest = found.nearest;
        all.first = found.first;
        all.second = found.second;
    }
    if (all.first >= 0) all.nearest = exact_distance(table, all.first, all.second);
    return all;
}

double mean_length(const MatrixView& table) {
    return table.rows == 0 ? 0 : table.eigen().cast<double>().rowwise().norm().mean();
}

}  // namespace headlight
