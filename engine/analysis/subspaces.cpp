#include "analysis/subspaces.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "analysis/readout.h"

namespace headlight {

namespace {

using Doubles = Eigen::MatrixXd;

void expect_same_width(const MatrixView& a, const MatrixView& b) {
    if (a.cols != b.cols)
        throw AnalysisError("Expected directions of one width, found " + std::to_string(a.cols) +
                            " and " + std::to_string(b.cols) + " numbers.");
}

// The number of largest values needed to reach the fraction `part` of the sum; ignores values at
// the level of rounding errors.
Index count_of(const Eigen::VectorXd& ascending, double part) {
    const double all = ascending.cwiseMax(0).sum();
    double held = 0;
    Index count = 0;
    constexpr double kRounding = 1e-12;
    while (count < ascending.size() && held < part * all * (1 - kRounding)) {
        const double next = ascending[ascending.size() - 1 - count];
        if (next <= kRounding * all) break;
        held += next;
        ++count;
    }
    return count;
}

// In ascending order, from the eigenvalues of the matrix times its transpose. Accurate to 1e-8 of
// the largest value, as are float directions. (An SVD of the matrix itself takes a minute to
// compile.)
Eigen::VectorXd singular_values(const Doubles& wide) {
    const Doubles gram = wide * wide.transpose();
    const Eigen::SelfAdjointEigenSolver<Doubles> solved(gram, Eigen::EigenvaluesOnly);
    return solved.eigenvalues().cwiseMax(0).cwiseSqrt();
}

}  // namespace

// Uses the smaller of X·Xᵀ and Xᵀ·X, which have the same nonzero eigenvalues.
Directions main_directions(const MatrixView& rows, double part, const StopFlag& stop) {
    const Doubles x = centered(rows);
    Directions found;
    found.basis.resize(0, rows.cols);
    if (x.size() == 0 || x.squaredNorm() == 0) return found;
    const bool tall = x.rows() >= x.cols();
    const Doubles gram = tall ? Doubles(x.transpose() * x) : Doubles(x * x.transpose());
    throw_if_stopped(stop);
    const Eigen::SelfAdjointEigenSolver<Doubles> solved(gram);
    throw_if_stopped(stop);
    const Index count = count_of(solved.eigenvalues(), part);
    Doubles basis = solved.eigenvectors().rightCols(count).rowwise().reverse();
    if (!tall) {
        basis = (x.transpose() * basis).eval();
        // The directions are nearly orthogonal already; this removes rounding errors from the
        // weaker ones.
        for (Index k = 0; k < count; ++k) {
            for (Index before = 0; before < k; ++before)
                basis.col(k) -= basis.col(before).dot(basis.col(k)) * basis.col(before);
            basis.col(k).normalize();
        }
    }
    found.held = (x * basis).squaredNorm() / x.squaredNorm();
    found.basis = basis.transpose().cast<float>();
    return found;
}

std::vector<double> principal_angles(const MatrixView& a, const MatrixView& b) {
    expect_same_width(a, b);
    Doubles few = a.eigen().cast<double>(), many = b.eigen().cast<double>();
    if (few.rows() > many.rows()) std::swap(few, many);
    if (few.rows() == 0) return {};
    const Doubles cosines = few * many.transpose();
    const Eigen::VectorXd c = singular_values(cosines);
    // The part of the smaller set outside the larger one: its singular values are the sines.
    const Eigen::VectorXd s = singular_values(few - cosines * many);
    std::vector<double> angles;
    for (Index i = 0; i < c.size(); ++i) {
        const double cosine = std::clamp(c[i], 0.0, 1.0),
                     sine = std::clamp(s[s.size() - 1 - i], 0.0, 1.0);
        const double angle = cosine * cosine < 0.5 ? std::acos(cosine) : std::asin(sine);
        angles.push_back(angle * 180 / std::numbers::pi);
    }
    std::ranges::sort(angles);
    return angles;
}

double part_along(const MatrixView& rows, const MatrixView& basis) {
    expect_same_width(rows, basis);
    const Doubles x = centered(rows);
    const double all = x.squaredNorm();
    if (all == 0 || basis.rows == 0) return 0;
    return (x * basis.eigen().cast<double>().transpose()).squaredNorm() / all;
}

double part_read_off(const MatrixView& tokens, const MatrixView& rows, const StopFlag& stop) {
    const Eigen::VectorXd r = linear_readout(tokens, rows, stop);
    const Eigen::VectorXd squares = centered(rows).colwise().squaredNorm().transpose();
    double left = 0, all = 0;
    for (Index d = 0; d < r.size(); ++d) {
        if (squares[d] == 0) continue;
        left += (1 - r[d]) * squares[d];
        all += squares[d];
    }
    return all == 0 ? std::numeric_limits<double>::quiet_NaN() : 1 - left / all;
}

}  // namespace headlight
