#pragma once

#include <vector>

#include "analysis/error.h"
#include "kernels/matrix.h"
#include "kernels/stop.h"

// How two sets of rows in one space lie to each other: whether what one adds can be told from what
// the other has.
namespace headlight {

// Orthonormal directions [k, D], the one in which the rows differ most first.
struct Directions {
    Matrix basis;
    double held = 0;  // of the rows' squared distances from their mean, the part along them
};

// The fewest directions along which the rows [P, D], less their mean, have at least `part` (0..1]
// of their squares: principal components. None where all rows are alike. Sums in double. Throws
// Stopped when told to stop.
Directions main_directions(const MatrixView& rows, double part, const StopFlag& stop = {});

// Angles in degrees, from the smallest on, between the spaces of two sets of orthonormal directions
// [k, D] and [m, D]: min(k, m) of them. 0: a direction that both have; 90: what one has is
// at right angles to all of the other. Björck and Golub, "Numerical methods for computing angles
// between linear subspaces", Mathematics of Computation 27 (1973): from cosines, and below 45° from
// sines, which small angles need. Throws AnalysisError where the widths differ.
std::vector<double> principal_angles(const MatrixView& a, const MatrixView& b);

// Of the squares of these rows less their mean, the part that lies along the directions; 0 where
// all rows are alike. Throws AnalysisError where the widths differ.
double part_along(const MatrixView& rows, const MatrixView& basis);

// Of all squares of the rows less their mean, the part that a linear map reads off the tokens,
// each row by a map fitted to all others (linear_readout, its columns weighted by their squares).
// NaN where all rows are alike.
double part_read_off(const MatrixView& tokens, const MatrixView& rows, const StopFlag& stop = {});

}  // namespace headlight
