#include "attention/performer.h"

#include <cmath>

#include "kernels/parallel.h"
#include "kernels/recycle.h"

namespace headlight {

Matrix random_features(const MatrixView& x, const MatrixView& w, const StopFlag& stop) {
    Matrix features = linear(x, w, {}, stop);
    const double root = std::sqrt(static_cast<double>(w.rows));
    parallel_cells(features.rows(), features.cols(), [&](Index first, Index rows) {
        for (Index r = first; r < first + rows; ++r) {
            const double half = x.eigen().row(r).cast<double>().squaredNorm() / 2;
            for (Index c = 0; c < features.cols(); ++c)
                features(r, c) = static_cast<float>(std::exp(features(r, c) - half) / root);
        }
    });
    return features;
}

Matrix row_shares(const MatrixView& x, float eps) {
    Matrix shares = new_matrix(x.rows, x.cols);
    parallel_cells(x.rows, x.cols, [&](Index first, Index rows) {
        for (Index r = first; r < first + rows; ++r) {
            const double sum = x.eigen().row(r).cast<double>().sum() + eps;
            shares.row(r) = (x.eigen().row(r).cast<double>() / sum).cast<float>();
        }
    });
    return shares;
}

}  // namespace headlight
