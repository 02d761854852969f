#pragma once

#include "analysis/error.h"
#include "kernels/matrix.h"
#include "kernels/stop.h"

// How well numbers that are known of each token can be read off it by a linear map.
namespace headlight {

// R² of each column of targets [P, T], read off tokens [P, D] by ridge regression with an
// intercept, each token by a map that was fitted to all the others (leave-one-out):
//   1 − Σ (y − ŷ)² / Σ (y − mean)².
// 1: exactly; 0: no better than the mean; below: worse. The penalty is kRidge of the mean squared
// length of a token, so that more channels than tokens can be read. A linear probe: Alain and
// Bengio, "Understanding intermediate layers using linear classifier probes", arXiv 1610.01644.
//
// In the dual form, O(P³): Hastie, Tibshirani and Friedman, "The Elements of Statistical Learning",
// section 7.10 (leave-one-out of a linear smoother). Tokens are centred first, over all of them;
// NaN where a target is the same for all tokens. Throws AnalysisError where rows do not match or
// are fewer than 3, Stopped when told to stop.
inline constexpr double kRidge = 1e-3;
Eigen::VectorXd linear_readout(const MatrixView& tokens, const MatrixView& targets,
                               const StopFlag& stop = {});

}  // namespace headlight
