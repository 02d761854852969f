#pragma once

#include <Eigen/Core>

#include "analysis/error.h"
#include "kernels/matrix.h"
#include "kernels/stop.h"

// How well numbers that are known of each token can be read off it by a linear map.
namespace headlight {

// Less the mean of each column.
Eigen::MatrixXd centered(const MatrixView& matrix);

// R² of each column of targets [P, T], read off tokens [P, D] by ridge regression with an
// intercept, each token by a map that was fitted to all the others (leave-one-out):
//   1 − Σ (y − ŷ)² / Σ (y − mean)².
// 1: exactly; 0: no better than the mean; below: worse. The penalty is kRidge of the mean squared
// length of a token, so that more channels than tokens can be read. A linear probe: Alain and
// Bengio, "Understanding intermediate layers using linear classifier probes", arXiv 1610.01644.
//
// In the dual form, O(P³): Hastie, Tibshirani and Friedman, "The Elements of Statistical Learning",
// section 7.10 (leave-one-out of a linear smoother). Tokens are centered first, over all of them;
// NaN where a target is the same for all tokens. Throws AnalysisError where rows do not match or
// are fewer than 3, Stopped when told to stop.
inline constexpr double kRidge = 1e-3;
Eigen::VectorXd linear_readout(const MatrixView& tokens, const MatrixView& targets,
                               const StopFlag& stop = {});

// The same with a map that some pictures teach and others test. In the primal form, O(P·D²) for
// each picture and O(D³) for the fit, so that many can be taught one after the other.
class TaughtReadout {
  public:
    // Tokens [P, D] of one picture and what is to be read off them [P, T]. Throws AnalysisError
    // where these do not match, or are of other widths than those before.
    void teach(const MatrixView& tokens, const MatrixView& targets);
    // When all are taught: the map, by ridge regression with an intercept and kRidge of the mean
    // squared length of a token from the mean of all. Throws AnalysisError where nothing was
    // taught.
    void fit(const StopFlag& stop = {});
    void test(const MatrixView& tokens, const MatrixView& targets);
    // R² of each target over all that was tested: 1 − Σ (y − ŷ)² / Σ (y − mean of the tested)².
    [[nodiscard]] Eigen::VectorXd r_squared() const;

  private:
    void expect(const MatrixView& tokens, const MatrixView& targets) const;

    Eigen::MatrixXd squares_, crossed_;  // Xᵀ·X, of which the lower half counts; Xᵀ·Y
    Eigen::VectorXd tokens_, targets_;   // sums
    double taught_ = 0;
    Eigen::MatrixXd weight_;  // [D, T]
    Eigen::VectorXd offset_;
    Eigen::VectorXd missed_, tested_, tested_squares_;
    double tests_ = 0;
};

}  // namespace headlight
