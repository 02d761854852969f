#include "kernels/norm.h"

#include <cmath>

#include "kernels/parallel.h"
#include "kernels/recycle.h"
#include "kernels/sum.h"

namespace headlight {

namespace {

struct Moments {
    double mean, deviation;
};

Moments moments_of(const float* x, Index count, double eps) {
    const auto n = static_cast<double>(count);
    const double mean = sum_of(count, [x](Index i) { return x[i]; }) / n;
    const double variance = sum_of(count,
                                   [x, mean](Index i) {
                                       const double d = static_cast<double>(x[i]) - mean;
                                       return d * d;
                                   }) /
                            n;
    return {mean, std::sqrt(variance + eps)};
}

// γ and β as arrays; ones and zeros if they are empty.
struct Affine {
    Affine(const MatrixView& g, const MatrixView& b, Index width)
        : gamma(g.empty() ? Vector(Vector::Ones(width)) : Vector(g.eigen().row(0))),
          beta(b.empty() ? Vector(Vector::Zero(width)) : Vector(b.eigen().row(0))) {}

    Vector gamma, beta;
};

Moments normalise(const float* x, const Affine& affine, double eps, float* out) {
    const Index count = affine.gamma.size();
    const Moments moments = moments_of(x, count, eps);
    const double mean = moments.mean, inverse = 1 / moments.deviation;
    const float *gamma = affine.gamma.data(), *beta = affine.beta.data();
    for (Index i = 0; i < count; ++i)
        out[i] = static_cast<float>((static_cast<double>(x[i]) - mean) * inverse *
                                        static_cast<double>(gamma[i]) +
                                    static_cast<double>(beta[i]));
    return moments;
}

}  // namespace

NormResult layer_norm(const MatrixView& x, const MatrixView& gamma, const MatrixView& beta,
                      float eps) {
    const Affine affine(gamma, beta, x.cols);
    NormResult result{new_matrix(x.rows, x.cols), new_matrix(x.rows, 2)};
    parallel_cells(x.rows, x.cols, [&](Index first, Index rows) {
        for (Index r = first; r < first + rows; ++r) {
            const Moments moments = normalise(x.row(r), affine, static_cast<double>(eps),
                                              result.normalised.row(r).data());
            result.moments(r, 0) = static_cast<float>(moments.mean);
            result.moments(r, 1) = static_cast<float>(moments.deviation);
        }
    });
    return result;
}

Matrix layer_norm_heads(const MatrixView& x, Index head_dim, const MatrixView& gamma,
                        const MatrixView& beta, float eps) {
    const Affine affine(gamma, beta, head_dim);
    Matrix out = new_matrix(x.rows, x.cols);
    parallel_cells(x.rows, x.cols, [&](Index first, Index rows) {
        for (Index r = first; r < first + rows; ++r)
            for (Index c = 0; c + head_dim <= x.cols; c += head_dim)
                normalise(x.row(r) + c, affine, static_cast<double>(eps), out.row(r).data() + c);
    });
    return out;
}

NormResult batch_norm(const MatrixView& x, const MatrixView& running, const MatrixView& gamma,
                      const MatrixView& beta, float eps) {
    const Affine affine(gamma, beta, x.cols);
    NormResult result{new_matrix(x.rows, x.cols), Matrix(2, x.cols)};
    // One factor and one offset per column, in double.
    Eigen::ArrayXd factor(x.cols), summand(x.cols);
    for (Index c = 0; c < x.cols; ++c) {
        const double mean = running(0, c),
                     deviation = std::sqrt(static_cast<double>(running(1, c)) + eps);
        factor[c] = static_cast<double>(affine.gamma[c]) / deviation;
        summand[c] = static_cast<double>(affine.beta[c]) - mean * factor[c];
        result.moments(0, c) = running(0, c);
        result.moments(1, c) = static_cast<float>(deviation);
    }
    parallel_cells(x.rows, x.cols, [&](Index first, Index rows) {
        for (Index r = first; r < first + rows; ++r)
            for (Index c = 0; c < x.cols; ++c)
                result.normalised(r, c) =
                    static_cast<float>(static_cast<double>(x(r, c)) * factor[c] + summand[c]);
    });
    return result;
}

}  // namespace headlight
