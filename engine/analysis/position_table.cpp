#include "analysis/position_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/parallel.h"
#include "kernels/product.h"

namespace headlight {

namespace {

// Rows that are done at once by one thread: enough for a fast product.
constexpr Index kRowsAtOnce = 32;

Eigen::VectorXd lengths_of(const WideMatrix& table) { return table.rowwise().norm(); }

void check_grid(Index rows_found, int rows, int cols) {
    if (rows > 0 && cols > 0 && rows_found == static_cast<Index>(rows) * cols) return;
    throw AnalysisError("Expected a row for each of " + std::to_string(rows) + " × " +
                        std::to_string(cols) + " patches, found " + std::to_string(rows_found) +
                        ".");
}

// Calls body(patch, the patch `down` and `right` of it) for those that have one.
template <class Body>
void for_shifted(int rows, int cols, int down, int right, const Body& body) {
    for (int r = std::max(0, -down); r < std::min(rows, rows - down); ++r)
        for (int c = std::max(0, -right); c < std::min(cols, cols - right); ++c)
            body(static_cast<Index>(r) * cols + c, static_cast<Index>(r + down) * cols + c + right);
}

double mean_cosine(const MatrixView& cosines, int rows, int cols, int down, int right) {
    double sum = 0;
    Index count = 0;
    for_shifted(rows, cols, down, right, [&](Index from, Index to) {
        sum += cosines(from, to);
        ++count;
    });
    return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(count);
}

double root_of(double over, double of) { return of == 0 ? 0 : std::sqrt(over / of); }

// How a pair of channels is turned, and of the squares of the shifted rows what that leaves over.
struct Fit {
    double angle = 0, over = 0, of = 0;
};

// Of all pairs at once, as their channels lie side by side in a row.
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

// From row a to the nearest other one. The cosines tell in advance, to a millionth of the rows'
// squares, which rows can be that; only their distances are summed up.
double nearest_to(const MatrixView& table, const MatrixView& cosines,
                  const Eigen::VectorXd& lengths, Index a) {
    constexpr double kUnsure = 1e-6, kInfinity = std::numeric_limits<double>::infinity();
    std::vector<double> least(static_cast<std::size_t>(table.rows), kInfinity);
    double within = kInfinity;  // the nearest is no farther, squared
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
    parallel_rows(table.rows, kRowsAtOnce, [&](Index first, Index count) {
        for (Index a = first; a < first + count; ++a)
            nearest[static_cast<std::size_t>(a)] = nearest_to(table, cosines, lengths, a);
    });
    found.nearest = *std::ranges::min_element(nearest);
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

}  // namespace

Matrix cosine_matrix(const MatrixView& table) {
    const WideMatrix wide = table.eigen().cast<double>();
    const Eigen::VectorXd lengths = lengths_of(wide);
    Matrix cosines(table.rows, table.rows);
    parallel_rows(table.rows, kRowsAtOnce, [&](Index first, Index count) {
        WideMatrix products;
        multiply_transposed(wide.middleRows(first, count), wide, products);
        for (Index a = 0; a < count; ++a)
            for (Index b = 0; b < table.rows; ++b) {
                const double both = lengths[first + a] * lengths[b];
                const double cosine = both == 0 ? 0 : products(a, b) / both;
                cosines(first + a, b) =
                    static_cast<float>(std::isnan(cosine) ? cosine : std::clamp(cosine, -1.0, 1.0));
            }
    });
    return cosines;
}

Matrix sheet_of_maps(const MatrixView& cosines, int rows, int cols) {
    check_grid(cosines.rows, rows, cols);
    check_grid(cosines.cols, rows, cols);
    Matrix sheet(static_cast<Index>(rows) * rows, static_cast<Index>(cols) * cols);
    for (Index patch = 0; patch < cosines.rows; ++patch)
        for (Index other = 0; other < cosines.cols; ++other)
            sheet(patch / cols * rows + other / cols, patch % cols * cols + other % cols) =
                cosines(patch, other);
    return sheet;
}

OffsetProfile offset_profile(const MatrixView& cosines, int rows, int cols) {
    check_grid(cosines.rows, rows, cols);
    OffsetProfile profile;
    for (int k = 0; k < cols; ++k)
        profile.along_row.push_back(mean_cosine(cosines, rows, cols, 0, k));
    for (int k = 0; k < rows; ++k)
        profile.down_column.push_back(mean_cosine(cosines, rows, cols, k, 0));
    return profile;
}

std::vector<ChannelPair> channel_pairs(Pairing pairing, Index dim) {
    std::vector<ChannelPair> pairs;
    if (pairing == Pairing::neighbours)
        for (Index c = 0; c + 1 < dim; c += 2) pairs.push_back({c, c + 1});
    else
        for (const Index half : {Index{0}, dim / 2})
            for (Index c = 0; c < dim / 4; ++c) pairs.push_back({half + c, half + dim / 4 + c});
    return pairs;
}

Matrix without_waves(const MatrixView& table, Pairing pairing, double fast_off, double slow_off) {
    Matrix rest = table.eigen();
    const auto pairs = channel_pairs(pairing, table.cols);
    // How many follow each other from the fastest to the slowest.
    const auto run = static_cast<Index>(pairs.size()) / (pairing == Pairing::quarters ? 2 : 1);
    const auto part = [&](double off) {
        return static_cast<Index>(std::lround(off * static_cast<double>(run)));
    };
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const Index speed = static_cast<Index>(i) % run;
        if (speed >= part(fast_off) && speed < run - part(slow_off)) continue;
        rest.col(pairs[i].first).setZero();
        rest.col(pairs[i].second).setZero();
    }
    return rest;
}

std::vector<Turn> turns(const MatrixView& table, int rows, int cols,
                        const std::vector<ChannelPair>& pairs, int down, int right) {
    check_grid(table.rows, rows, cols);
    std::vector<Turn> all;
    for (const Fit& fit : fits(table, rows, cols, pairs, down, right))
        all.push_back({fit.angle, root_of(fit.over, fit.of)});
    return all;
}

PositionProperties position_properties(const MatrixView& table, const MatrixView& cosines, int rows,
                                       int cols, Pairing pairing) {
    check_grid(table.rows, rows, cols);
    PositionProperties found;
    measure_rows(table, found);
    measure_distances(table, cosines, found);
    double over = 0, of = 0;
    for (const Fit& fit : fits(table, rows, cols, channel_pairs(pairing, table.cols), 0, 1)) {
        over += fit.over;
        of += fit.of;
    }
    found.shift_residual = root_of(over, of);
    found.offset_spread = spread_of_offsets(cosines, rows, cols);
    found.left_neighbour = mean_cosine(cosines, rows, cols, 0, 1);
    found.upper_neighbour = mean_cosine(cosines, rows, cols, 1, 0);
    return found;
}

}  // namespace headlight
