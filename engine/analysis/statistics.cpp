#include "analysis/statistics.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "kernels/log.h"
#include "kernels/sum.h"

namespace headlight {

namespace {

using Row = Eigen::Map<const Eigen::Array<float, 1, Eigen::Dynamic>>;

// Compares the bits without the sign: larger than those of the largest float means not finite.
// Integer comparisons are vectorized, float comparisons would not be.
bool all_finite(const float* cells, Index count) {
    constexpr std::uint32_t kSign = 0x80000000U, kInfinity = 0x7f800000U;
    std::uint32_t largest = 0;
    for (Index i = 0; i < count; ++i)
        largest = std::max(largest, std::bit_cast<std::uint32_t>(cells[i]) & ~kSign);
    return largest < kInfinity;
}

// The row without cells that are not finite; counts those.
Vector finite_part(const float* cells, Index count, Statistics& s) {
    Vector finite(count);
    Index found = 0;
    for (Index i = 0; i < count; ++i) {
        if (std::isnan(cells[i]))
            ++s.nan;
        else if (std::isinf(cells[i]))
            ++s.infinite;
        else
            finite[found++] = cells[i];
    }
    finite.conservativeResize(found);
    return finite;
}

// Calls visit(cells, count) with the finite cells of each row; counts the others.
template <class Visit>
void for_rows(const MatrixView& matrix, Statistics& others, const Visit& visit) {
    for (Index r = 0; r < matrix.rows; ++r) {
        if (all_finite(matrix.row(r), matrix.cols)) {
            visit(matrix.row(r), matrix.cols);
        } else {
            const Vector finite = finite_part(matrix.row(r), matrix.cols, others);
            if (finite.size() > 0) visit(finite.data(), finite.size());
        }
    }
}

}  // namespace

Statistics statistics(const MatrixView& matrix) {
    Statistics s;
    if (matrix.cols == 0) return s;
    double sum = 0;
    for_rows(matrix, s, [&](const float* cells, Index count) {
        const float low = Row(cells, count).minCoeff(), high = Row(cells, count).maxCoeff();
        s.min = s.finite == 0 ? low : std::min(s.min, low);
        s.max = s.finite == 0 ? high : std::max(s.max, high);
        sum += sum_of(count, [=](Index i) { return cells[i]; });
        s.finite += count;
    });
    if (s.finite == 0) return s;
    s.mean = sum / static_cast<double>(s.finite);
    double squares = 0;  // a second pass, because mean of squares minus square of the mean cancels
                         // badly
    Statistics counted;
    for_rows(matrix, counted, [&](const float* cells, Index count) {
        squares += sum_of(count, [cells, mean = s.mean](Index i) {
            const double d = cells[i] - mean;
            return d * d;
        });
    });
    s.deviation = std::sqrt(squares / static_cast<double>(s.finite));
    return s;
}

std::vector<Index> histogram(const MatrixView& matrix, float low, float high, int bins) {
    // The last bin is for cells outside, including NaN. Four copies of each count are used in turn.
    // Often most cells fall into one interval, and each increment would wait for the one before.
    constexpr std::size_t kTurns = 4;
    const std::size_t size = static_cast<std::size_t>(bins) + 1;
    std::vector<Index> counts(kTurns * size, 0);
    const double first = low, last = bins - 1, width = static_cast<double>(high) - low;
    const double per_unit = width > 0 ? bins / width : 1;
    constexpr Index kAtOnce = 256;
    std::array<std::int32_t, kAtOnce> at{};
    for (Index r = 0; r < matrix.rows; ++r)
        for (Index begin = 0; begin < matrix.cols; begin += kAtOnce) {
            const float* cells = matrix.row(r) + begin;
            const Index count = std::min(kAtOnce, matrix.cols - begin);
            // Plain comparisons and no branches, so that the compiler can vectorize the loop.
            for (Index i = 0; i < count; ++i) {
                const double place = (cells[i] - first) * per_unit;
                const double below = place < last ? place : last;
                const std::int32_t bin = static_cast<std::int32_t>(below > 0 ? below : 0.0);
                const bool outside = !(cells[i] >= low) | !(cells[i] <= high);
                at[static_cast<std::size_t>(i)] = outside ? bins : bin;
            }
            for (Index i = 0; i < count; ++i) {
                const auto k = static_cast<std::size_t>(i);
                ++counts[k % kTurns * size + static_cast<std::size_t>(at[k])];
            }
        }
    for (std::size_t turn = 1; turn < kTurns; ++turn)
        for (std::size_t bin = 0; bin < size; ++bin) counts[bin] += counts[turn * size + bin];
    counts.resize(size - 1);
    return counts;
}

double entropy(const float* row, Index count) {
    const auto nats = [row](Index i) { return -row[i] * log_of_normal(row[i]); };
    return sum_of(count, nats) / std::numbers::ln2;
}

double mean_entropy(const MatrixView& attention) {
    if (attention.empty()) return 0;
    double sum = 0;
    for (Index r = 0; r < attention.rows; ++r) sum += entropy(attention.row(r), attention.cols);
    return sum / static_cast<double>(attention.rows);
}

double effective_tokens(const MatrixView& attention) { return std::exp2(mean_entropy(attention)); }

RowSums row_sums(const MatrixView& matrix) {
    RowSums sums;
    for (Index r = 0; r < matrix.rows; ++r) {
        const float* row = matrix.row(r);
        const auto s = static_cast<float>(sum_of(matrix.cols, [row](Index i) { return row[i]; }));
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
