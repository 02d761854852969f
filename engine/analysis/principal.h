#pragma once

#include <span>

#include "analysis/error.h"
#include "kernels/matrix.h"

// Principal component analysis.
namespace headlight {

struct PrincipalComponents {
    Vector mean;        // [1, C], over all rows
    Matrix directions;  // [count, C], orthonormal
    Vector shares;      // [1, count], fractions of the variance, descending; 0 if nothing varies

    // Coordinates of rows [n, C] along each direction, relative to the mean: [n, count].
    [[nodiscard]] Matrix project(const MatrixView& rows) const;
};

// The first `count` principal components of the rows of all parts [n, C] together (Pearson, "On
// lines and planes of closest fit", 1901). They are eigenvectors of the covariance, computed in
// double. The sign of each is chosen so that its entry of largest absolute value, the first of
// equal ones, is positive.
//
// Throws AnalysisError unless the parts have equal width, 1 <= count <= C and count < rows, and all
// numbers are finite.
PrincipalComponents principal_components(std::span<const Matrix> parts, Index count);

}  // namespace headlight
