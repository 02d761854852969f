#include "analysis/principal.h"

#include <string>

#include "analysis/leading_eigenvectors.h"
#include "kernels/parallel.h"

namespace headlight {

namespace {

void check_parts(std::span<const Matrix> parts, Index count) {
    Index rows = 0;
    for (const Matrix& part : parts) {
        rows += part.rows();
        if (part.cols() != parts.front().cols())
            throw AnalysisError("Expected rows of one width, found " +
                                std::to_string(parts.front().cols()) + " and " +
                                std::to_string(part.cols()) + " numbers.");
        if (!part.allFinite())
            throw AnalysisError(
                "Principal components need finite numbers, but some are infinite or NaN.");
    }
    const Index cols = parts.empty() ? 0 : parts.front().cols(), most = std::min(cols, rows - 1);
    if (count < 1 || count > most)
        throw AnalysisError("Expected 1 to " + std::to_string(std::max<Index>(most, 0)) +
                            " components of " + std::to_string(rows) + " rows of " +
                            std::to_string(cols) + " numbers, found " + std::to_string(count) +
                            ".");
}

// [C, C], the covariance times the number of rows.
Eigen::MatrixXd scatter(std::span<const Matrix> parts, const Eigen::RowVectorXd& mean) {
    constexpr Index kCols = 96;
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(mean.size(), mean.size());
    for (const Matrix& part : parts) {
        const Eigen::MatrixXd centered = part.cast<double>().rowwise() - mean;
        parallel_rows(mean.size(), kCols, [&](Index first, Index cols) {
            const Index below = mean.size() - first;
            sum.block(first, first, below, cols).noalias() +=
                centered.rightCols(below).transpose() * centered.middleCols(first, cols);
        });
    }
    return sum.selfadjointView<Eigen::Lower>();
}

}  // namespace

Matrix PrincipalComponents::project(const MatrixView& rows) const {
    const Eigen::RowVectorXd middle = mean.cast<double>();
    const Eigen::MatrixXd onto = directions.cast<double>().transpose();
    Matrix projected(rows.rows, onto.cols());
    parallel_rows(rows.rows, 128, [&](Index first, Index count) {
        Eigen::RowVectorXd centered(middle.size());
        for (Index r = first; r < first + count; ++r) {
            centered = rows.eigen().row(r).cast<double>() - middle;
            projected.row(r) = (centered * onto).cast<float>();
        }
    });
    return projected;
}

PrincipalComponents principal_components(std::span<const Matrix> parts, Index count) {
    check_parts(parts, count);
    const Index cols = parts.front().cols();
    Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(cols);
    Index rows = 0;
    for (const Matrix& part : parts) {
        for (Index r = 0; r < part.rows(); ++r) mean += part.row(r).cast<double>();
        rows += part.rows();
    }
    mean /= static_cast<double>(rows);
    const Eigen::MatrixXd scattered = scatter(parts, mean);
    const double all = scattered.trace();
    const Eigenpairs pairs = leading_eigenvectors(scattered, count);
    PrincipalComponents found{mean.cast<float>(), Matrix(count, cols), Vector(count)};
    for (Index k = 0; k < count; ++k) {
        Eigen::VectorXd direction = pairs.vectors.col(k);
        Index largest = 0;
        direction.cwiseAbs().maxCoeff(&largest);
        if (direction(largest) < 0) direction = -direction;
        found.directions.row(k) = direction.transpose().cast<float>();
        const double variance = std::max(pairs.values(k), 0.0);
        found.shares(k) = all > 0 ? static_cast<float>(variance / all) : 0;
    }
    return found;
}

}  // namespace headlight
