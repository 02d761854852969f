#include "kernels/softmax.h"

#include <Eigen/Dense>
#include <cmath>
#include <limits>

namespace headlight {

void softmax(const float* in, float* out, Index count) {
    using Row = Eigen::Array<float, 1, Eigen::Dynamic>;
    const Eigen::Map<const Row> scores(in, count);
    Eigen::Map<Row> weights(out, count);

    const float top = scores.maxCoeff<Eigen::PropagateNaN>();
    if (top == -std::numeric_limits<float>::infinity()) {
        weights.setZero();
        return;
    }
    if (!std::isfinite(top)) {
        weights.setConstant(std::numeric_limits<float>::quiet_NaN());
        return;
    }
    weights = (scores - top).exp();
    weights *= 1.0F / weights.sum();
}

}  // namespace headlight
