#include "analysis/position_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "kernels/parallel.h"
#include "kernels/product.h"

namespace headlight {

namespace {

// Rows per thread and task: enough for a fast product.
constexpr Index kTableRows = 32;

Eigen::VectorXd lengths_of(const WideMatrix& table) { return table.rowwise().norm(); }

void check_grid(Index rows_found, int rows, int cols) {
    if (rows > 0 && cols > 0 && rows_found == static_cast<Index>(rows) * cols) return;
    throw AnalysisError("Expected a row for each of " + std::to_string(rows) + " × " +
                        std::to_string(cols) + " patches, found " + std::to_string(rows_found) +
                        ".");
}

// Calls body(patch, patch at offset (down, right)) for patches that have one.
template <class Body>
void for_shifted(int rows, int cols, int down, int right, const Body& body) {
    for (int r = std::max(0, -down); r < std::min(rows, rows - down); ++r)
        for (int c = std::max(0, -right); c < std::min(cols, cols - right); ++c)
            body(static_cast<Index>(r) * cols + c, static_cast<Index>(r + down) * cols + c + right);
}

double mean_of(const MatrixView& of_pairs, int rows, int cols, int down, int right) {
    double sum = 0;
    Index count = 0;
    for_shifted(rows, cols, down, right, [&](Index from, Index to) {
        sum += of_pairs(from, to);
        ++count;
    });
    return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(count);
}

// The square root of over / of; NaN if `of` is 0.
double root_of(double over, double of) {
    return of == 0 ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(over / of);
}

// Best angle of a pair of channels; `over` is the unexplained part of `of`, the squares of the
// shifted rows.
struct Fit {
    double angle = 0, over = 0, of = 0;
};

// For all pairs in one pass over the rows.
std::vector<Fit> fits(const MatrixView& table, int rows, int cols,
                      const std::vector<ChannelPair>& pairs, int down, int right) {
    std::vector<double> along(pairs.size(), 0.0), across(pairs.size(), 0.0);
    for_shifted(rows, cols, down, right, [&](Index from, Index to) {
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const double a = table(from, pairs[i].first), b = table(from, pairs[i].second);
            const double ta = table(to, pairs[i].first), tb = table(to, pairs[i].second);
            along[i] += ta * a + tb * b;
            across[i] += ta * b - tb * a;
        }
    });
    std::vector<Fit> fits(pairs.size());
    std::vector<double> cosines(pairs.size()), sines(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        fits[i].angle = std::atan2(across[i], along[i]);
        cosines[i] = std::cos(fits[i].angle);
        sines[i] = std::sin(fits[i].angle);
    }
    for_shifted(rows, cols, down, right, [&](Index from, Index to) {
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const double a = table(from, pairs[i].first), b = table(from, pairs[i].second);
            const double ta = table(to, pairs[i].first), tb = table(to, pairs[i].second);
            const double da = ta - (cosines[i] * a + sines[i] * b),
                         db = tb - (cosines[i] * b - sines[i] * a);
            fits[i].over += da * da + db * db;
            fits[i].of += ta * ta + tb * tb;
        }
    });
    return fits;
}

// For lone channels, which M leaves unchanged.
Fit fit_of_lone(const MatrixView& table, int rows, int cols, const std::vector<Index>& channels,
                int down, int right) {
    Fit fit;
    for_shifted(rows, cols, down, right, [&](Index from, Index to) {
        for (const Index c : channels) {
            const double there = table(to, c), off = there - table(from, c);
            fit.over += off * off;
            fit.of += there * there;
        }
    });
    return fit;
}

void measure_rows(const MatrixView& table, PositionProperties& found) {
    found.low = table.eigen().minCoeff();
    found.high = table.eigen().maxCoeff();
    const Eigen::VectorXd lengths = lengths_of(table.eigen().cast<double>());
    found.length = lengths.mean();
    for (const double length : lengths)
        if (found.length > 0)
            found.length_deviation =
                std::max(found.length_deviation, std::abs(length / found.length - 1));
}

double squared_distance(const MatrixView& table, Index a, Index b) {
    double sum = 0;
    for (Index c = 0; c < table.cols; ++c) {
        const double d = static_cast<double>(table(a, c)) - table(b, c);
        sum += d * d;
    }
    return sum;
}

// Distance from row a to the nearest other row. The cosines bound all squared distances to within
// 1e-6 of the rows' squares. Only rows within that bound are computed exactly.
double nearest_to(const MatrixView& table, const MatrixView& cosines,
                  const Eigen::VectorXd& lengths, Index a) {
    constexpr double kUnsure = 1e-6, kInfinity = std::numeric_limits<double>::infinity();
    std::vector<double> least(static_cast<std::size_t>(table.rows), kInfinity);
    double within = kInfinity;  // upper bound of the smallest squared distance
    for (Index b = 0; b < table.rows; ++b) {
        if (a == b) continue;
        const double of_a = lengths[a] * lengths[a], of_b = lengths[b] * lengths[b];
        const double about = of_a + of_b - 2 * lengths[a] * lengths[b] * cosines(a, b);
        const double unsure = kUnsure * (of_a + of_b);
        within = std::min(within, about + unsure);
        least[static_cast<std::size_t>(b)] = about - unsure;
    }
    double nearest = kInfinity;
    for (Index b = 0; b < table.rows && nearest > 0; ++b)
        if (a != b && least[static_cast<std::size_t>(b)] <= within)
            nearest = std::min(nearest, squared_distance(table, a, b));
    return std::sqrt(nearest);
}

void measure_distances(const MatrixView& table, const MatrixView& cosines,
                       PositionProperties& found) {
    const Eigen::VectorXd lengths = lengths_of(table.eigen().cast<double>());
    std::vector<double> nearest(static_cast<std::size_t>(table.rows));
    parallel_rows(table.rows, kTableRows, [&](Index first, Index count) {
        for (Index a = first; a < first + count; ++a)
            nearest[static_cast<std::size_t>(a)] = nearest_to(table, cosines, lengths, a);
    });
    found.nearest = table.rows > 1 ? *std::ranges::min_element(nearest)
                                   : std::numeric_limits<double>::quiet_NaN();
    found.distinct = std::ranges::count_if(nearest, [](double d) { return d > 0; });
}

double spread_of_offsets(const MatrixView& cosines, int rows, int cols) {
    std::vector<double> spreads(static_cast<std::size_t>(rows), 0.0);
    parallel_for(rows, [&](Index down) {
        for (int right = 1 - cols; right < cols; ++right) {
            float low = 2, high = -2;
            for_shifted(rows, cols, static_cast<int>(down), right, [&](Index from, Index to) {
                low = std::min(low, cosines(from, to));
                high = std::max(high, cosines(from, to));
            });
            auto& spread = spreads[static_cast<std::size_t>(down)];
            spread = std::max(spread, static_cast<double>(high) - low);
        }
    });
    return *std::ranges::max_element(spreads);
}

// For the patch at (row, col): all offsets that stay in the grid in both directions, each pair
// once.
double asymmetry_at(const MatrixView& cosines, int rows, int cols, int row, int col) {
    const int down_most = std::min(row, rows - 1 - row), right_most = std::min(col, cols - 1 - col);
    const Index patch = static_cast<Index>(row) * cols + col;
    double most = 0;
    for (int down = 0; down <= down_most; ++down)
        for (int right = down == 0 ? 1 : -right_most; right <= right_most; ++right) {
            const Index away = static_cast<Index>(down) * cols + right;
            most = std::max(most, std::abs(static_cast<double>(cosines(patch, patch + away)) -
                                           cosines(patch, patch - away)));
        }
    return most;
}

double asymmetry_of(const MatrixView& cosines, int rows, int cols) {
    if (rows < 3 && cols < 3) return std::numeric_limits<double>::quiet_NaN();
    std::vector<double> most(static_cast<std::size_t>(rows), 0.0);
    parallel_for(rows, [&](Index row) {
        auto& of_row = most[static_cast<std::size_t>(row)];
        for (int col = 0; col < cols; ++col)
            of_row =
                std::max(of_row, asymmetry_at(cosines, rows, cols, static_cast<int>(row), col));
    });
    return *std::ranges::max_element(most);
}

// Computes a number for all pairs of rows from their product and lengths. Each is computed once and
// stored on both sides of the diagonal.
template <class Number>
Matrix pair_matrix(const MatrixView& table, const Number& number) {
    const WideMatrix wide = table.eigen().cast<double>();
    const Eigen::VectorXd lengths = lengths_of(wide);
    Matrix all(table.rows, table.rows);
    parallel_rows(table.rows, kTableRows, [&](Index first, Index count) {
        WideMatrix products;  // of these rows with themselves and all rows below
        multiply_transposed(wide.middleRows(first, count), wide.bottomRows(table.rows - first),
                            products);
        for (Index a = first; a < first + count; ++a)
            for (Index b = a; b < table.rows; ++b)
                all(a, b) = all(b, a) = static_cast<float>(
                    number(products(a - first, b - first), lengths[a], lengths[b]));
    });
    return all;
}

}  // namespace

Matrix cosine_matrix(const MatrixView& table) {
    return pair_matrix(table, [](double product, double a, double b) {
        const double both = a * b;
        const double cosine = both == 0 ? 0 : product / both;
        return std::isnan(cosine) ? cosine : std::clamp(cosine, -1.0, 1.0);
    });
}

Matrix product_matrix(const MatrixView& table) {
    return pair_matrix(table, [](double product, double, double) { return product; });
}

Matrix distance_matrix(const MatrixView& table) {
    Matrix distances = pair_matrix(table, [](double product, double a, double b) {
        const double squared = a * a + b * b - 2 * product;
        return squared < 0 ? 0.0 : std::sqrt(squared);
    });
    distances.diagonal() *= 0;  // removes rounding errors
    return distances;
}

Matrix sheet_of_maps(const MatrixView& of_pairs, int rows, int cols) {
    check_grid(of_pairs.rows, rows, cols);
    check_grid(of_pairs.cols, rows, cols);
    Matrix sheet(static_cast<Index>(rows) * rows, static_cast<Index>(cols) * cols);
    for (Index patch = 0; patch < of_pairs.rows; ++patch)
        for (Index other = 0; other < of_pairs.cols; ++other)
            sheet(patch / cols * rows + other / cols, patch % cols * cols + other % cols) =
                of_pairs(patch, other);
    return sheet;
}

OffsetProfile offset_profile(const MatrixView& of_pairs, int rows, int cols) {
    check_grid(of_pairs.rows, rows, cols);
    OffsetProfile profile;
    for (int k = 0; k < cols; ++k) profile.along_row.push_back(mean_of(of_pairs, rows, cols, 0, k));
    for (int k = 0; k < rows; ++k)
        profile.down_column.push_back(mean_of(of_pairs, rows, cols, k, 0));
    return profile;
}

std::vector<ChannelPair> channel_pairs(Pairing pairing, Index dim) {
    std::vector<ChannelPair> pairs;
    if (pairing == Pairing::neighbors)
        for (Index c = 0; c + 1 < dim; c += 2) pairs.push_back({c, c + 1});
    else
        for (const Index half : {Index{0}, dim / 2})
            for (Index c = 0; c < dim / 4; ++c) pairs.push_back({half + c, half + dim / 4 + c});
    return pairs;
}

std::vector<Index> lone_channels(Pairing pairing, Index dim) {
    std::vector<bool> paired(static_cast<std::size_t>(dim), false);
    for (const ChannelPair& pair : channel_pairs(pairing, dim))
        paired[static_cast<std::size_t>(pair.first)] =
            paired[static_cast<std::size_t>(pair.second)] = true;
    std::vector<Index> lone;
    for (Index c = 0; c < dim; ++c)
        if (!paired[static_cast<std::size_t>(c)]) lone.push_back(c);
    return lone;
}

Pairing pairing_that_turns(const MatrixView& table, int rows, int cols) {
    if (table.cols % 4 != 0) return Pairing::neighbors;
    const auto residual = [&](Pairing pairing) {
        double over = 0;
        for (const auto& [down, right] : {std::pair{0, 1}, std::pair{1, 0}}) {
            const double left = turned(table, rows, cols, pairing, down, right).residual;
            if (!std::isnan(left)) over += left;
        }
        return over;
    };
    return residual(Pairing::quarters) < residual(Pairing::neighbors) ? Pairing::quarters
                                                                      : Pairing::neighbors;
}

Matrix without_waves(const MatrixView& table, Pairing pairing, double fast_off, double slow_off) {
    Matrix rest = table.eigen();
    const auto pairs = channel_pairs(pairing, table.cols);
    const auto lone = lone_channels(pairing, table.cols);
    // Number of waves in a run from the fastest to the slowest.
    const Index paired = static_cast<Index>(pairs.size()) / (pairing == Pairing::quarters ? 2 : 1),
                run = paired + (lone.empty() ? 0 : 1);
    const auto part = [&](double off) {
        return static_cast<Index>(std::lround(off * static_cast<double>(run)));
    };
    const auto is_off = [&](Index speed) {
        return speed < part(fast_off) || speed >= run - part(slow_off);
    };
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (!is_off(static_cast<Index>(i) % paired)) continue;
        rest.col(pairs[i].first).setZero();
        rest.col(pairs[i].second).setZero();
    }
    for (const Index c : lone)
        if (is_off(run - 1)) rest.col(c).setZero();
    return rest;
}

Turned turned(const MatrixView& table, int rows, int cols, Pairing pairing, int down, int right) {
    check_grid(table.rows, rows, cols);
    Turned found;
    for_shifted(rows, cols, down, right, [&](Index, Index) { ++found.patches; });
    Fit whole = fit_of_lone(table, rows, cols, lone_channels(pairing, table.cols), down, right);
    for (const Fit& fit :
         fits(table, rows, cols, channel_pairs(pairing, table.cols), down, right)) {
        found.turns.push_back({fit.angle, root_of(fit.over, fit.of)});
        whole.over += fit.over;
        whole.of += fit.of;
    }
    found.residual = root_of(whole.over, whole.of);
    return found;
}

PositionProperties position_properties(const MatrixView& table, const MatrixView& cosines, int rows,
                                       int cols, Pairing pairing) {
    check_grid(table.rows, rows, cols);
    PositionProperties found;
    measure_rows(table, found);
    measure_distances(table, cosines, found);
    found.shift_residual =
        turned(table, rows, cols, pairing, cols > 1 ? 0 : 1, cols > 1 ? 1 : 0).residual;
    found.asymmetry = asymmetry_of(cosines, rows, cols);
    found.offset_spread = spread_of_offsets(cosines, rows, cols);
    found.left_neighbor = mean_of(cosines, rows, cols, 0, 1);
    found.upper_neighbor = mean_of(cosines, rows, cols, 1, 0);
    return found;
}

}  // namespace headlight
