#include "analysis/score_spread.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace headlight {

namespace {

using Wide = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

double deviation_of(const Wide& scores) {
    const double mean = scores.mean();
    return std::sqrt((scores.array() - mean).square().mean());
}

// ‖diag(a) − a aᵀ‖², summed cell by cell: Σ a² − 2 Σ a³ + (Σ a²)².
double gradient_of(const Eigen::RowVectorXd& a) {
    const double squares = a.squaredNorm(), cubes = a.array().cube().sum();
    return std::sqrt(std::max(0.0, squares - 2 * cubes + squares * squares));
}

// std::mt19937_64 is the same everywhere, but the standard distributions are not. So this class
// uses the method of Box and Muller.
class Normal {
  public:
    explicit Normal(std::uint64_t seed) : engine_(seed) {}
    float draw() {
        const double radius = std::sqrt(-2 * std::log(unit())),
                     angle = 2 * std::numbers::pi * unit();
        return static_cast<float>(radius * std::cos(angle));
    }

  private:
    // In (0, 1].
    double unit() { return (static_cast<double>(engine_() >> 11U) + 1) * 0x1p-53; }
    std::mt19937_64 engine_;
};

Matrix drawn(Index rows, Index cols, Normal& normal) {
    Matrix numbers(rows, cols);
    for (Index i = 0; i < numbers.size(); ++i) numbers.data()[i] = normal.draw();
    return numbers;
}

}  // namespace

ScoreSpread spread_of_scores(const MatrixView& queries, const MatrixView& keys, double scale) {
    const Wide scores =
        scale * (queries.eigen().cast<double>() * keys.eigen().cast<double>().transpose());
    ScoreSpread spread{.deviation = deviation_of(scores)};
    for (Index row = 0; row < scores.rows(); ++row) {
        Eigen::RowVectorXd a = (scores.row(row).array() - scores.row(row).maxCoeff()).exp();
        a /= a.sum();
        spread.largest += a.maxCoeff();
        spread.gradient += gradient_of(a);
    }
    spread.largest /= static_cast<double>(scores.rows());
    spread.gradient /= static_cast<double>(scores.rows());
    return spread;
}

std::vector<WidthSpread> spreads_by_width(Index tokens, std::uint64_t seed, const StopFlag& stop) {
    std::vector<WidthSpread> widths;
    Normal normal(seed);
    for (int width = 2; width <= kWidestSpread; width *= 2) {
        throw_if_stopped(stop);
        const Matrix queries = drawn(tokens, width, normal), keys = drawn(tokens, width, normal);
        widths.push_back({width, spread_of_scores(queries, keys, 1),
                          spread_of_scores(queries, keys, 1 / std::sqrt(width))});
    }
    return widths;
}

}  // namespace headlight
