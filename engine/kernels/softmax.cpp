#include "kernels/softmax.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/exp.h"

namespace headlight {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

using Row = Eigen::Map<Eigen::Array<float, 1, Eigen::Dynamic>>;

// maxCoeff may miss a NaN. That does no harm here, because exp and the sum propagate it.
float largest_of(const float* in, Index count) {
    return Eigen::Map<const Eigen::Array<float, 1, Eigen::Dynamic>>(in, count).maxCoeff();
}

void exponentiate(const float* in, float top, float* out, Index count) {
    for (Index i = 0; i < count; ++i) out[i] = exp_of_nonpositive(in[i] - top);
}

// A row without a number above −inf.
RowScale weigh_blocked(const float* in, float* out, Index count) {
    const bool nan = std::any_of(in, in + count, [](float s) { return std::isnan(s); });
    const float weight = nan ? kNaN : 0.0F;
    std::fill_n(out, count, weight);
    return {kInfinity, weight};  // weights_of then gives exp(−inf) · weight = weight
}

}  // namespace

RowScale softmax(const float* in, float* out, Index count) {
    const float top = largest_of(in, count);
    if (top == -kInfinity) return weigh_blocked(in, out, count);
    exponentiate(in, top, out, count);
    const float part = 1.0F / Row(out, count).sum();
    Row(out, count) *= part;
    return {top, part};
}

void softmax_rows(const MatrixSpan& x, RowScale* scales) {
    const Index count = x.cols;
    for (Index r = 0; r < x.rows; ++r) scales[r].top = largest_of(x.row(r), count);
    for (Index r = 0; r < x.rows; ++r)
        if (scales[r].top != -kInfinity) exponentiate(x.row(r), scales[r].top, x.row(r), count);
    for (Index r = 0; r < x.rows; ++r)
        if (scales[r].top != -kInfinity)
            scales[r].part = 1.0F / Row(x.row(r), count).sum();
        else
            scales[r] = weigh_blocked(x.row(r), x.row(r), count);
    // Blocked rows stay what they are: 0 · 0 = 0.
    for (Index r = 0; r < x.rows; ++r) Row(x.row(r), count) *= scales[r].part;
}

void weights_of(const float* in, const RowScale* rows, float* out, Index count) {
    for (Index i = 0; i < count; ++i)
        out[i] = exp_of_nonpositive(in[i] - rows[i].top) * rows[i].part;
}

void largest_alone(const float* in, float* out, Index count) {
    const Eigen::Map<const Eigen::ArrayXf> row(in, count);
    const bool nan = row.isNaN().any();
    // Two loops, one for the value and one for its index, because the compiler vectorizes both.
    const Index largest = nan ? 0 : std::find(in, in + count, row.maxCoeff()) - in;
    const bool blocked = in[largest] == -kInfinity;
    std::fill_n(out, count, nan ? kNaN : 0.0F);
    if (!nan && !blocked) out[largest] = 1;
}

}  // namespace headlight
