#include "analysis/leading_eigenvectors.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <random>

#include "kernels/parallel.h"

namespace headlight {

namespace {

using Eigen::MatrixXd;

constexpr double kTolerance = 1e-9;   // of residuals, relative to the largest eigenvalue
constexpr Index kExtra = 1;           // columns of a block besides those asked for
constexpr Index kBetweenChecks = 12;  // blocks

// Of the whole matrix.
Eigenpairs decomposed(const MatrixXd& symmetric, Index count) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solved(symmetric);
    return {solved.eigenvalues().tail(count).reverse(),
            solved.eigenvectors().rightCols(count).rowwise().reverse()};
}

MatrixXd product(const MatrixXd& a, const MatrixXd& b) {
    MatrixXd result(a.rows(), b.cols());
    parallel_rows(a.rows(), 128, [&](Index first, Index rows) {
        result.middleRows(first, rows).noalias() = a.middleRows(first, rows) * b;
    });
    return result;
}

MatrixXd orthonormal_columns(const MatrixXd& columns) {
    const Eigen::HouseholderQR<MatrixXd> qr(columns);
    return qr.householderQ() * MatrixXd::Identity(columns.rows(), columns.cols());
}

// A space spanned by blocks of orthonormal columns, and the matrix within it.
class KrylovSpace {
  public:
    KrylovSpace(const MatrixXd& symmetric, Index block)
        : symmetric_(symmetric),
          block_(block),
          most_(std::max<Index>(symmetric.cols() / 2 / block * block, block)),
          basis_(symmetric.rows(), most_),
          images_(symmetric.rows(), most_),
          within_(MatrixXd::Zero(most_, most_)) {
        std::mt19937 random(1);
        std::normal_distribution<double> normal;
        append(MatrixXd::NullaryExpr(symmetric.rows(), block, [&] { return normal(random); }));
    }
    [[nodiscard]] bool full() const { return size_ + block_ > most_; }
    void grow() { append(images_.middleCols(size_ - block_, block_)); }

    // The best approximations within the space (Rayleigh and Ritz).
    [[nodiscard]] Eigenpairs approximations(Index count) const {
        Eigenpairs found = decomposed(within_.topLeftCorner(size_, size_), count);
        const MatrixXd within = found.vectors;
        found.vectors = basis_.leftCols(size_) * within;
        return found;
    }
    [[nodiscard]] double largest_residual(const Eigenpairs& of) const {
        return (product(symmetric_, of.vectors) - of.vectors * of.values.asDiagonal())
            .colwise()
            .norm()
            .maxCoeff();
    }

  private:
    void append(MatrixXd columns) {
        const auto known = basis_.leftCols(size_);
        for (int twice = 0; twice < 2; ++twice) {  // once leaves rounding errors
            columns -= known * (known.transpose() * columns).eval();
            columns = orthonormal_columns(columns);
        }
        basis_.middleCols(size_, block_) = columns;
        images_.middleCols(size_, block_) = product(symmetric_, columns);
        size_ += block_;
        const MatrixXd added =
            basis_.leftCols(size_).transpose() * images_.middleCols(size_ - block_, block_);
        within_.block(0, size_ - block_, size_, block_) = added;
        within_.block(size_ - block_, 0, block_, size_) = added.transpose();
    }

    const MatrixXd& symmetric_;
    Index block_, most_, size_ = 0;
    MatrixXd basis_, images_, within_;  // [n, most], [n, most], [most, most]; `size_` are used
};

}  // namespace

Eigenpairs leading_eigenvectors(const MatrixXd& symmetric, Index count) {
    const Index block = count + kExtra;
    if (symmetric.cols() < 8 * block) return decomposed(symmetric, count);
    KrylovSpace space(symmetric, block);
    while (!space.full()) {
        for (Index i = 0; i < kBetweenChecks && !space.full(); ++i) space.grow();
        Eigenpairs found = space.approximations(count);
        if (space.largest_residual(found) <= kTolerance * found.values(0)) return found;
    }
    return decomposed(symmetric, count);
}

}  // namespace headlight
