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

}  // namespace

RowScale softmax(const float* in, float* out, Index count) {
    using Row = Eigen::Array<float, 1, Eigen::Dynamic>;
    Eigen::Map<Row> weights(out, count);

    // maxCoeff may miss a NaN. That does no harm here, because exp and the sum propagate it.
    const float top = Eigen::Map<const Row>(in, count).maxCoeff();
    if (top == -kInfinity) {
        const bool nan = std::any_of(in, in + count, [](float s) { return std::isnan(s); });
        const float weight = nan ? kNaN : 0.0F;
        weights.setConstant(weight);
        return {kInfinity, weight};  // weights_of then gives exp(−inf) · weight = weight
    }
    for (Index i = 0; i < count; ++i) out[i] = exp_of_nonpositive(in[i] - top);
    const float part = 1.0F / weights.sum();
    weights *= part;
    return {top, part};
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
