#include "analysis/rollout.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "kernels/parallel.h"
#include "kernels/product.h"

namespace headlight {

namespace {

using std::to_string;

constexpr Index kMapRows = 128;

void check_ratio(double ratio) {
    if (!(ratio >= 0 && ratio <= 1))
        throw AnalysisError("Expected a discard ratio between 0 and 1, found " + to_string(ratio) +
                            ".");
}

// Combines `value` with the row's cell so far. NaN stays NaN, because comparisons with it are
// false.
float fused(HeadFusion fusion, float so_far, float value) {
    if (fusion == HeadFusion::mean) return so_far + value;
    const bool better = fusion == HeadFusion::max ? value > so_far : value < so_far;
    return better || std::isnan(value) ? value : so_far;
}

void add_skip(Matrix& map) {
    map *= 0.5F;
    map.diagonal().array() += 0.5F;
}

void normalise(Matrix& map, RolloutNormalisation normalisation) {
    const Eigen::VectorXd sums = map.cast<double>().rowwise().sum();
    parallel_rows(map.rows(), kMapRows, [&](Index first, Index rows) {
        auto block = map.middleRows(first, rows).array();
        if (normalisation == RolloutNormalisation::rows)
            block.colwise() /= sums.segment(first, rows).cast<float>().array();
        else
            block.rowwise() /= sums.transpose().cast<float>().array();
    });
}

Matrix product(const Matrix& left, const Matrix& right, const StopFlag& stop) {
    Matrix out(left.rows(), right.cols());
    parallel_rows(left.rows(), kMapRows, [&](Index first, Index rows) {
        throw_if_stopped(stop);
        multiply(MatrixView(left).block(first, 0, rows, left.cols()), right,
                 MatrixSpan(out).block(first, 0, rows, right.cols()));
    });
    return out;
}

}  // namespace

Matrix fuse_heads(const MatrixView& attention, Index heads, HeadFusion fusion) {
    if (heads < 1 || attention.rows % heads != 0)
        throw AnalysisError("Expected the rows of one map per head, found " +
                            to_string(attention.rows) + " rows for " + to_string(heads) +
                            " heads.");
    const Index queries = attention.rows / heads, keys = attention.cols;
    Matrix map(queries, keys);
    parallel_rows(queries, kMapRows, [&](Index first, Index rows) {
        for (Index row = first; row < first + rows; ++row) {
            float* out = map.row(row).data();
            std::copy_n(attention.row(row), keys, out);
            for (Index head = 1; head < heads; ++head) {
                const float* in = attention.row(head * queries + row);
                for (Index key = 0; key < keys; ++key) out[key] = fused(fusion, out[key], in[key]);
            }
        }
    });
    if (fusion == HeadFusion::mean) map /= static_cast<float>(heads);
    return map;
}

void discard_lowest(Matrix& map, double ratio) {
    check_ratio(ratio);
    std::vector<float> values;
    values.reserve(static_cast<std::size_t>(map.size()));
    std::copy_if(map.data(), map.data() + map.size(), std::back_inserter(values),
                 [](float value) { return !std::isnan(value); });
    const auto count =
        std::min(static_cast<std::size_t>(static_cast<double>(map.size()) * ratio), values.size());
    if (count == 0) return;
    // Only the bound is needed, not a full sort.
    const auto last = values.begin() + static_cast<std::ptrdiff_t>(count) - 1;
    std::nth_element(values.begin(), last, values.end());
    const float bound = *last;
    // The first `count` values are at most the bound. Those equal to it tell how many equal cells
    // of the map to discard.
    auto equal = std::count(values.begin(), last + 1, bound);
    const float kept = map(0, 0);
    std::for_each(map.data(), map.data() + map.size(), [&](float& cell) {
        if (cell < bound || (cell == bound && equal-- > 0)) cell = 0;
    });
    map(0, 0) = kept;
}

Rollout::Rollout(const RolloutSettings& settings) : settings_(settings) {
    check_ratio(settings.discard_ratio);
}

void Rollout::add(const MatrixView& attention, Index heads, const StopFlag& stop) {
    Matrix map = fuse_heads(attention, heads, settings_.fusion);
    if (map.rows() != map.cols())
        throw AnalysisError(
            "Rollout needs tokens that attend to each other: expected square maps, found [" +
            to_string(map.rows()) + ", " + to_string(map.cols()) + "].");
    if (layers_ > 0 && map.rows() != result_.rows())
        throw AnalysisError("Rollout needs the same tokens in every layer: expected " +
                            to_string(result_.rows()) + ", found " + to_string(map.rows()) + ".");
    throw_if_stopped(stop);
    discard_lowest(map, settings_.discard_ratio);
    throw_if_stopped(stop);
    add_skip(map);
    normalise(map, settings_.normalisation);
    result_ = layers_ == 0 ? std::move(map) : product(map, result_, stop);
    ++layers_;
}

}  // namespace headlight
