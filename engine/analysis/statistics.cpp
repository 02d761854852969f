#include "analysis/statistics.h"

#include <algorithm>
#include <cmath>

namespace headlight {

namespace {

template <class Visit>
void for_cells(const MatrixView& matrix, const Visit& visit) {
    for (Index r = 0; r < matrix.rows; ++r) {
        const float* row = matrix.row(r);
        for (Index c = 0; c < matrix.cols; ++c) visit(row[c]);
    }
}

}  // namespace

Statistics statistics(const MatrixView& matrix) {
    Statistics s;
    double sum = 0;
    for_cells(matrix, [&](float v) {
        if (std::isnan(v)) {
            ++s.nan;
        } else if (std::isinf(v)) {
            ++s.infinite;
        } else {
            s.min = s.finite == 0 ? v : std::min(s.min, v);
            s.max = s.finite == 0 ? v : std::max(s.max, v);
            sum += v;
            ++s.finite;
        }
    });
    if (s.finite == 0) return s;
    s.mean = sum / static_cast<double>(s.finite);
    double squares = 0;  // a second pass: sums of squares minus the mean's square cancel badly
    for_cells(matrix, [&](float v) {
        if (std::isfinite(v)) squares += (v - s.mean) * (v - s.mean);
    });
    s.deviation = std::sqrt(squares / static_cast<double>(s.finite));
    return s;
}

std::vector<Index> histogram(const MatrixView& matrix, float low, float high, int bins) {
    std::vector<Index> counts(static_cast<std::size_t>(bins), 0);
    const double width = (static_cast<double>(high) - low) / bins;
    for_cells(matrix, [&](float v) {
        if (!(v >= low && v <= high)) return;  // also NaN
        const double at = width > 0 ? (v - static_cast<double>(low)) / width : 0;
        ++counts[static_cast<std::size_t>(std::min(static_cast<int>(at), bins - 1))];
    });
    return counts;
}

std::vector<double> row_entropies(const MatrixView& attention) {
    std::vector<double> bits(static_cast<std::size_t>(attention.rows), 0.0);
    for (Index r = 0; r < attention.rows; ++r)
        for (Index c = 0; c < attention.cols; ++c) {
            const double a = attention(r, c);
            if (a != 0) bits[static_cast<std::size_t>(r)] -= a * std::log2(a);
        }
    return bits;
}

double mean_entropy(const MatrixView& attention) {
    if (attention.empty()) return 0;
    double sum = 0;
    for (const double bits : row_entropies(attention)) sum += bits;
    return sum / static_cast<double>(attention.rows);
}

RowSums row_sums(const MatrixView& matrix) {
    RowSums sums;
    for (Index r = 0; r < matrix.rows; ++r) {
        double sum = 0;
        for (Index c = 0; c < matrix.cols; ++c) sum += matrix(r, c);
        const auto s = static_cast<float>(sum);
        if (std::isnan(s)) return {s, s};
        sums.min = r == 0 ? s : std::min(sums.min, s);
        sums.max = r == 0 ? s : std::max(sums.max, s);
    }
    return sums;
}

Matrix difference(const MatrixView& now, const MatrixView& before) {
    return now.eigen() - before.eigen();
}

Vector column_of(const MatrixView& matrix, Index col) {
    return matrix.eigen().col(col).transpose();
}

}  // namespace headlight
