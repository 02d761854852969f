#pragma once

#include <vector>

#include "analysis/error.h"
#include "kernels/matrix.h"
#include "kernels/stop.h"

// The geometry of two sets of rows in one space: how far one set can be separated from the other.
namespace headlight {

// Orthonormal directions [k, D], in descending order of variance.
struct Directions {
    Matrix basis;
    double held = 0;  // fraction of the rows' squared distances from their mean that is along these
                      // directions
};

// The fewest principal components that hold at least the fraction `part` (0..1] of the squares of
// the centered rows [P, D]. None if all rows are equal. Sums in double. Throws Stopped on a stop
// request.
Directions main_directions(const MatrixView& rows, double part, const StopFlag& stop = {});

// The min(k, m) principal angles in degrees, ascending, between the spaces spanned by orthonormal
// directions [k, D] and [m, D]. 0: a common direction; 90: a direction orthogonal to the whole
// other space. Björck and Golub, "Numerical methods for computing angles between linear subspaces",
// Mathematics of Computation 27 (1973): from cosines, and below 45° from sines, which are more
// accurate for small angles. Throws AnalysisError if the widths differ.
std::vector<double> principal_angles(const MatrixView& a, const MatrixView& b);

// The fraction of the squares of the centered rows that is along the directions; 0 if all rows are
// equal. Throws AnalysisError if the widths differ.
double part_along(const MatrixView& rows, const MatrixView& basis);

// The fraction of the squares of the centered rows that a linear map predicts from the tokens, each
// row by a map fitted to all others (linear_readout, columns weighted by their squares). NaN if all
// rows are equal.
double part_read_off(const MatrixView& tokens, const MatrixView& rows, const StopFlag& stop = {});

}  // namespace headlight
