#include "analysis/position_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/parallel.h"

namespace headlight {

namespace {

double product(const MatrixView& table, Index a, Index b) {
    double sum = 0;
    for (Index c = 0; c < table.cols; ++c) sum += static_cast<double>(table(a, c)) * table(b, c);
    return sum;
}

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

// Of the squares of the shifted rows, what the turned ones leave over.
struct Left {
    double over = 0, of = 0;
};
Left left_over(const MatrixView& table, int rows, int cols, const ChannelPair& pair, double angle,
               int down, int right) {
    Left left;
    const double cosine = std::cos(angle), sine = std::sin(angle);
    for_shifted(rows, cols, down, right, [&](Index from, Index to) {
        const double a = table(from, pair.first), b = table(from, pair.second);
        const double da = table(to, pair.first) - (cosine * a + sine * b),
                     db = table(to, pair.second) - (cosine * b - sine * a);
        left.over += da * da + db * db;
        left.of += static_cast<double>(table(to, pair.first)) * table(to, pair.first) +
                   static_cast<double>(table(to, pair.second)) * table(to, pair.second);
    });
    return left;
}

double angle_of(const MatrixView& table, int rows, int cols, const ChannelPair& pair, int down,
                int right) {
    double along = 0, across = 0;
    for_shifted(rows, cols, down, right, [&](Index from, Index to) {
        const double a = table(from, pair.first), b = table(from, pair.second);
        const double ta = table(to, pair.first), tb = table(to, pair.second);
        along += ta * a + tb * b;
        across += ta * b - tb * a;
    });
    return std::atan2(across, along);
}

double root_of(double over, double of) { return of == 0 ? 0 : std::sqrt(over / of); }

void measure_rows(const MatrixView& table, PositionProperties& found) {
    found.low = table.eigen().minCoeff();
    found.high = table.eigen().maxCoeff();
    std::vector<double> lengths;
    for (Index r = 0; r < table.rows; ++r) {
        lengths.push_back(std::sqrt(product(table, r, r)));
        found.length += lengths.back() / static_cast<double>(table.rows);
    }
    for (const double length : lengths)
        if (found.length > 0)
            found.length_deviation =
                std::max(found.length_deviation, std::abs(length / found.length - 1));
}

void measure_distances(const MatrixView& table, PositionProperties& found) {
    std::vector<double> nearest(static_cast<std::size_t>(table.rows),
                                std::numeric_limits<double>::infinity());
    parallel_for(table.rows, [&](Index a) {
        for (Index b = 0; b < table.rows; ++b) {
            if (a == b) continue;
            double sum = 0;
            for (Index c = 0; c < table.cols; ++c) {
                const double d = static_cast<double>(table(a, c)) - table(b, c);
                sum += d * d;
            }
            auto& least = nearest[static_cast<std::size_t>(a)];
            least = std::min(least, std::sqrt(sum));
        }
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
    Matrix cosines(table.rows, table.rows);
    std::vector<double> lengths;
    for (Index r = 0; r < table.rows; ++r) lengths.push_back(std::sqrt(product(table, r, r)));
    parallel_for(table.rows, [&](Index a) {
        for (Index b = 0; b < table.rows; ++b) {
            const double both =
                lengths[static_cast<std::size_t>(a)] * lengths[static_cast<std::size_t>(b)];
            const double cosine = both == 0 ? 0 : product(table, a, b) / both;
            cosines(a, b) =
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

std::vector<Turn> turns(const MatrixView& table, int rows, int cols,
                        const std::vector<ChannelPair>& pairs, int down, int right) {
    check_grid(table.rows, rows, cols);
    std::vector<Turn> all;
    for (const ChannelPair& pair : pairs) {
        const double angle = angle_of(table, rows, cols, pair, down, right);
        const Left left = left_over(table, rows, cols, pair, angle, down, right);
        all.push_back({angle, root_of(left.over, left.of)});
    }
    return all;
}

PositionProperties position_properties(const MatrixView& table, const MatrixView& cosines, int rows,
                                       int cols, Pairing pairing) {
    check_grid(table.rows, rows, cols);
    PositionProperties found;
    measure_rows(table, found);
    measure_distances(table, found);
    Left all;
    for (const ChannelPair& pair : channel_pairs(pairing, table.cols)) {
        const Left left =
            left_over(table, rows, cols, pair, angle_of(table, rows, cols, pair, 0, 1), 0, 1);
        all.over += left.over;
        all.of += left.of;
    }
    found.shift_residual = root_of(all.over, all.of);
    found.offset_spread = spread_of_offsets(cosines, rows, cols);
    found.left_neighbour = mean_cosine(cosines, rows, cols, 0, 1);
    found.upper_neighbour = mean_cosine(cosines, rows, cols, 1, 0);
    return found;
}

}  // namespace headlight
