#include "analysis/bias_table.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "attention/mask.h"
#include "kernels/softmax.h"
#include "positions/relative.h"

namespace headlight {

namespace {

// Sums over pairs of numbers, for their correlation.
struct Moments {
    double count = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;

    void add(double x, double y) {
        ++count;
        a += x;
        b += y;
        aa += x * x;
        bb += y * y;
        ab += x * y;
    }
    [[nodiscard]] double correlation() const {
        const double va = aa - a * a / count, vb = bb - b * b / count;
        // Treats a variance at the level of rounding errors as zero.
        constexpr double kNothing = 1e-12;
        if (!(va > kNothing * aa) || !(vb > kNothing * bb))
            return std::numeric_limits<double>::quiet_NaN();
        return (ab - a * b / count) / std::sqrt(va * vb);
    }
};

// Mean over the pairs of patches with this offset.
double mean_at(const MatrixView& pairs, int rows, int cols, int down, int right) {
    double sum = 0;
    Index count = 0;
    for (int r = 0; r + down < rows; ++r)
        for (int c = 0; c + right < cols; ++c) {
            const Index one = Index{r} * cols + c, other = Index{r + down} * cols + c + right;
            sum += static_cast<double>(pairs(one, other)) + pairs(other, one);
            count += 2;
        }
    return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(count);
}

// Smallest and largest value per offset.
struct Ranges {
    std::vector<float> low, high;

    explicit Ranges(Index offsets)
        : low(static_cast<std::size_t>(offsets), std::numeric_limits<float>::infinity()),
          high(static_cast<std::size_t>(offsets), -std::numeric_limits<float>::infinity()) {}
    void add(Index offset, float number) {
        const auto i = static_cast<std::size_t>(offset);
        low[i] = std::min(low[i], number);
        high[i] = std::max(high[i], number);
    }
    [[nodiscard]] double widest() const {
        double most = 0;
        for (std::size_t i = 0; i < low.size(); ++i)
            most = std::max(most, static_cast<double>(high[i]) - low[i]);
        return most;
    }
};

}  // namespace

Matrix bias_picture(const MatrixView& table, int rows, int cols, Index head) {
    const Index offsets = relative_offsets(rows, cols), across = 2 * Index{cols} - 1;
    const bool fits = table.rows == offsets || table.rows == offsets + 3;
    if (!fits || head < 0 || head >= table.cols)
        throw AnalysisError("Expected a relative bias of " + std::to_string(offsets) +
                            " offsets, found " + std::to_string(table.rows) + ".");
    Matrix picture(2 * Index{rows} - 1, across);
    // The table's offsets run in the opposite direction: query minus key.
    for (Index offset = 0; offset < offsets; ++offset)
        picture.data()[offset] = table(offsets - 1 - offset, head);
    return picture;
}

BiasProfile bias_profile(const MatrixView& picture) {
    BiasProfile profile;
    for (Index c = 0; c < picture.cols; ++c)
        profile.along_row.push_back(picture(picture.rows / 2, c));
    for (Index r = 0; r < picture.rows; ++r)
        profile.down_column.push_back(picture(r, picture.cols / 2));
    return profile;
}

double deviation_of(const MatrixView& pairs) {
    const double count = static_cast<double>(pairs.rows) * static_cast<double>(pairs.cols);
    if (count == 0) return 0;
    const double mean = pairs.eigen().cast<double>().sum() / count;
    return std::sqrt((pairs.eigen().cast<double>().array() - mean).square().sum() / count);
}

BiasProperties bias_properties(const MatrixView& pairs, int rows, int cols) {
    const Index patches = Index{rows} * cols, across = 2 * Index{cols} - 1;
    if (patches < 1 || pairs.rows != patches || pairs.cols != patches)
        throw AnalysisError("Expected a bias for all pairs of " + std::to_string(patches) +
                            " patches, found " + std::to_string(pairs.rows) + " × " +
                            std::to_string(pairs.cols) + ".");
    BiasProperties found;
    found.low = pairs.eigen().minCoeff();
    found.high = pairs.eigen().maxCoeff();
    found.deviation = deviation_of(pairs);
    Ranges ranges(relative_offsets(rows, cols));
    Moments moments;
    for (Index query = 0; query < patches; ++query)
        for (Index key = 0; key < patches; ++key) {
            const Index down = key / cols - query / cols, right = key % cols - query % cols;
            const float number = pairs(query, key);
            ranges.add((down + rows - 1) * across + right + cols - 1, number);
            moments.add(number, std::hypot(static_cast<double>(down), static_cast<double>(right)));
            found.asymmetry = std::max(found.asymmetry,
                                       std::abs(static_cast<double>(number) - pairs(key, query)));
        }
    found.offset_spread = ranges.widest();
    found.with_distance = moments.correlation();
    found.beside = mean_at(pairs, rows, cols, 0, 1);
    found.above = mean_at(pairs, rows, cols, 1, 0);
    return found;
}

Matrix attention_without_bias(const Trace& trace, Index head, Index query) {
    const MatrixView scaled = trace.view(Tensor::scaled, 0, head);
    const Node* weights = trace.node(Step::softmax);
    if (!trace.has(Step::relative_bias) || scaled.empty() || weights == nullptr ||
        weights->op != Op::softmax)
        return {};
    Matrix row = scaled.eigen().row(query);
    if (const auto mask = mask_of(trace, nullptr, trace.node(Step::mask)))
        mask->apply(0, head, query, row.data());
    softmax(row.data(), row.data(), row.cols());
    return row;
}

}  // namespace headlight
