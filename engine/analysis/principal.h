#pragma once

#include <span>

#include "analysis/error.h"
#include "kernels/matrix.h"

// The directions in which rows of numbers differ most.
namespace headlight {

struct PrincipalComponents {
    Vector mean;        // [1, C] of all rows
    Matrix directions;  // [count, C], of length 1, at right angles to each other
    Vector shares;      // [1, count] of the variance, descending; 0 where nothing varies

    // How far rows [n, C] are from the mean along each direction: [n, count].
    [[nodiscard]] Matrix project(const MatrixView& rows) const;
};

// Of the rows of all parts [n, C] together, those that vary most first (Pearson, "On lines and
// planes of closest fit", 1901): eigenvectors of the covariance, in double. Either sign of a
// direction would do; the number of the largest size in it is made positive, the first of equal
// ones.
//
// Throws AnalysisError unless the parts have one width, and 1 <= count <= C and
// count < rows; and where a number is not finite.
PrincipalComponents principal_components(std::span<const Matrix> parts, Index count);

}  // namespace headlight
