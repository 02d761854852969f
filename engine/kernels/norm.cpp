#include "kernels/norm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "kernels/parallel.h"
#include "kernels/recycle.h"
#include "kernels/sum.h"

namespace headlight {

namespace {

struct Moments {
    double mean, deviation;
};

constexpr Index kFewRows = 8;
using FewMoments = std::array<Moments, kFewRows>;

// Mean and deviation of at most kFewRows rows. The processor works on one row's sum while it waits
// for another's.
FewMoments moments_of(const MatrixView& x, double eps) {
    const auto n = static_cast<double>(x.cols);
    FewMoments moments;
    for (Index r = 0; r < x.rows; ++r) {
        const float* row = x.row(r);
        moments[static_cast<std::size_t>(r)].mean =
            sum_of(x.cols, [row](Index i) { return row[i]; }) / n;
    }
    for (Index r = 0; r < x.rows; ++r) {
        auto& [mean, deviation] = moments[static_cast<std::size_t>(r)];
        const float* row = x.row(r);
        const double squares = sum_of(x.cols, [row, middle = mean](Index i) {
            const double d = static_cast<double>(row[i]) - middle;
            return d * d;
        });
        deviation = std::sqrt(squares / n + eps);
    }
    return moments;
}

// γ and β as arrays; ones and zeros if they are empty.
struct Affine {
    Affine(const MatrixView& g, const MatrixView& b, Index width)
        : gamma(g.empty() ? Vector(Vector::Ones(width)) : Vector(g.eigen().row(0))),
          beta(b.empty() ? Vector(Vector::Zero(width)) : Vector(b.eigen().row(0))) {}

    Vector gamma, beta;
};

void normalise(const float* x, const Moments& moments, const Affine& affine, float* out) {
    const double mean = moments.mean, inverse = 1 / moments.deviation;
    const float *gamma = affine.gamma.data(), *beta = affine.beta.data();
    for (Index i = 0; i < affine.gamma.size(); ++i)
        out[i] = static_cast<float>((static_cast<double>(x[i]) - mean) * inverse *
                                        static_cast<double>(gamma[i]) +
                                    static_cast<double>(beta[i]));
}

// Normalizes each row of x and calls take(row, its Moments).
template <class Take>
void normalise_rows(const MatrixView& x, const Affine& affine, double eps, const MatrixSpan& out,
                    const Take& take) {
    for (Index first = 0; first < x.rows; first += kFewRows) {
        const Index count = std::min(kFewRows, x.rows - first);
        const FewMoments moments = moments_of(x.block(first, 0, count, x.cols), eps);
        for (Index r = 0; r < count; ++r) {
            const Moments& own = moments[static_cast<std::size_t>(r)];
            normalise(x.row(first + r), own, affine, out.row(first + r));
            take(first + r, own);
        }
    }
}

}  // namespace

NormResult layer_norm(const MatrixView& x, const MatrixView& gamma, const MatrixView& beta,
                      float eps) {
    const Affine affine(gamma, beta, x.cols);
    NormResult result{new_matrix(x.rows, x.cols), new_matrix(x.rows, 2)};
    parallel_cells(x.rows, x.cols, [&](Index first, Index rows) {
        normalise_rows(x.block(first, 0, rows, x.cols), affine, static_cast<double>(eps),
                       MatrixSpan(result.normalised).block(first, 0, rows, x.cols),
                       [&](Index r, const Moments& moments) {
                           result.moments(first + r, 0) = static_cast<float>(moments.mean);
                           result.moments(first + r, 1) = static_cast<float>(moments.deviation);
                       });
    });
    return result;
}

Matrix layer_norm_heads(const MatrixView& x, Index head_dim, const MatrixView& gamma,
                        const MatrixView& beta, float eps) {
    const Affine affine(gamma, beta, head_dim);
    Matrix out = new_matrix(x.rows, x.cols);
    parallel_cells(x.rows, x.cols, [&](Index first, Index rows) {
        for (Index c = 0; c + head_dim <= x.cols; c += head_dim)
            normalise_rows(x.block(first, c, rows, head_dim), affine, static_cast<double>(eps),
                           MatrixSpan(out).block(first, c, rows, head_dim),
                           [](Index, const Moments&) {});
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
