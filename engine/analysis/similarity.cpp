#include "analysis/similarity.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace headlight {

namespace {

double product(const float* a, const float* b, Index count) {
    double sum = 0;
    for (Index i = 0; i < count; ++i) sum += static_cast<double>(a[i]) * b[i];
    return sum;
}

void check_shapes(const MatrixView& a, const MatrixView& b) {
    if (a.rows == b.rows && a.cols == b.cols) return;
    throw AnalysisError("Expected two matrices of one shape, found [" + std::to_string(a.rows) +
                        ", " + std::to_string(a.cols) + "] and [" + std::to_string(b.rows) + ", " +
                        std::to_string(b.cols) + "].");
}

double mean_of(const MatrixView& m) {
    return m.eigen().cast<double>().sum() / static_cast<double>(m.rows * m.cols);
}

}  // namespace

Vector cosines_to(const MatrixView& tokens, Index row) {
    if (row < 0 || row >= tokens.rows)
        throw AnalysisError("Expected one of " + std::to_string(tokens.rows) +
                            " rows, found number " + std::to_string(row) + ".");
    const float* one = tokens.row(row);
    const double own = std::sqrt(product(one, one, tokens.cols));
    Vector cosines(tokens.rows);
    for (Index r = 0; r < tokens.rows; ++r) {
        const float* other = tokens.row(r);
        const double lengths = own * std::sqrt(product(other, other, tokens.cols));
        const double cosine = lengths == 0 ? 0.0 : product(one, other, tokens.cols) / lengths;
        // Rounding may push it slightly out of range.
        cosines[r] =
            static_cast<float>(std::isnan(cosine) ? cosine : std::clamp(cosine, -1.0, 1.0));
    }
    return cosines;
}

Matrix cosines_between(const MatrixView& a, const MatrixView& b) {
    if (a.cols != b.cols)
        throw AnalysisError("Expected rows of one width, found " + std::to_string(a.cols) +
                            " and " + std::to_string(b.cols) + " numbers.");
    const auto units = [](const MatrixView& rows) {
        Eigen::MatrixXd unit = rows.eigen().cast<double>();
        for (Index r = 0; r < unit.rows(); ++r)
            if (const double length = unit.row(r).norm(); length != 0) unit.row(r) /= length;
        return unit;
    };
    const Eigen::MatrixXd cosines = units(a) * units(b).transpose();
    return cosines.unaryExpr([](double c) { return std::clamp(c, -1.0, 1.0); }).cast<float>();
}

std::vector<PatchPair> mutual_nearest(const Matrix& cosines) {
    std::vector<PatchPair> pairs;
    for (Index a = 0; a < cosines.rows(); ++a) {
        Index b = 0, back = 0;
        const float cosine = cosines.row(a).maxCoeff(&b);
        cosines.col(b).maxCoeff(&back);
        if (back == a) pairs.push_back({a, b, cosine});
    }
    return pairs;
}

double correlation(const MatrixView& a, const MatrixView& b) {
    check_shapes(a, b);
    const double mean_a = mean_of(a), mean_b = mean_of(b);
    double both = 0, of_a = 0, of_b = 0;
    for (Index r = 0; r < a.rows; ++r)
        for (Index c = 0; c < a.cols; ++c) {
            const double da = a(r, c) - mean_a, db = b(r, c) - mean_b;
            both += da * db;
            of_a += da * da;
            of_b += db * db;
        }
    return both / std::sqrt(of_a * of_b);
}

double total_variation(const MatrixView& a, const MatrixView& b) {
    check_shapes(a, b);
    return (a.eigen().cast<double>() - b.eigen().cast<double>()).cwiseAbs().sum() / 2;
}

}  // namespace headlight
