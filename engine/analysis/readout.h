#pragma once

#include <Eigen/Core>

#include "analysis/error.h"
#include "kernels/matrix.h"
#include "kernels/stop.h"

// How well known values of each token can be predicted from it by a linear map.
namespace headlight {

// Subtracts the mean of each column.
Eigen::MatrixXd centered(const MatrixView& matrix);

// R² of each column of targets [P, T], predicted from tokens [P, D] by ridge regression with an
// intercept. Each token is predicted by a map fitted to all others (leave-one-out):
//   1 − Σ (y − ŷ)² / Σ (y − mean)².
// 1: exact; 0: no better than the mean; negative: worse. The penalty is kRidge times the mean
// squared length of a token, so there may be more channels than tokens. A linear probe: Alain and
// Bengio, "Understanding intermediate layers using linear classifier probes", arXiv 1610.01644.
//
// Computed in the dual form, O(P³): Hastie, Tibshirani and Friedman, "The Elements of Statistical
// Learning", section 7.10 (leave-one-out of a linear smoother). Tokens are first centered over all
// of them. NaN if a target is constant. Throws AnalysisError if the rows do not match or are fewer
// than 3, Stopped on a stop request.
inline constexpr double kRidge = 1e-3;
Eigen::VectorXd linear_readout(const MatrixView& tokens, const MatrixView& targets,
                               const StopFlag& stop = {});

// The same, trained on some pictures and tested on others. Computed in the primal form: O(P·D²) per
// picture and O(D³) for the fit, so pictures can be added one at a time.
class TaughtReadout {
  public:
    // Adds a training picture: tokens [P, D] and targets [P, T]. Throws AnalysisError if these do
    // not match or differ in width from earlier ones.
    void teach(const MatrixView& tokens, const MatrixView& targets);
    // Call after all teach() calls. Fits the map by ridge regression with an intercept. The penalty
    // is kRidge times the mean squared distance of a token from the mean token. Throws
    // AnalysisError if there is no training picture.
    void fit(const StopFlag& stop = {});
    void test(const MatrixView& tokens, const MatrixView& targets);
    // R² of each target over all test pictures: 1 − Σ (y − ŷ)² / Σ (y − mean of the tested)².
    [[nodiscard]] Eigen::VectorXd r_squared() const;

  private:
    void expect(const MatrixView& tokens, const MatrixView& targets) const;

    Eigen::MatrixXd squares_, crossed_;  // Xᵀ·X, lower half only; Xᵀ·Y
    Eigen::VectorXd tokens_, targets_;   // sums
    double taught_ = 0;
    Eigen::MatrixXd weight_;  // [D, T]
    Eigen::VectorXd offset_;
    Eigen::VectorXd missed_, tested_, tested_squares_;
    double tests_ = 0;
};

}  // namespace headlight
