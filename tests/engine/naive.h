#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "attention/layer.h"

// Naive implementations in double, which the engine's results are compared with.
namespace headlight::naive {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

struct Table {
    Index rows = 0, cols = 0;
    std::vector<double> cells;

    Table(Index r, Index c) : rows(r), cols(c), cells(static_cast<std::size_t>(r * c), 0.0) {}
    double& operator()(Index r, Index c) { return cells[static_cast<std::size_t>(r * cols + c)]; }
    double operator()(Index r, Index c) const {
        return cells[static_cast<std::size_t>(r * cols + c)];
    }
};

inline Matrix random_matrix(Index rows, Index cols, std::uint32_t seed, float size = 1.0F) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> uniform(-size, size);
    Matrix m(rows, cols);
    for (Index i = 0; i < m.size(); ++i) m.data()[i] = uniform(engine);
    return m;
}

// x·Wᵀ + b
inline Table linear(const MatrixView& x, const MatrixView& w, const Vector& bias) {
    Table out(x.rows, w.rows);
    for (Index r = 0; r < x.rows; ++r)
        for (Index c = 0; c < w.rows; ++c) {
            double sum = bias.size() != 0 ? static_cast<double>(bias(c)) : 0.0;
            for (Index i = 0; i < x.cols; ++i) sum += static_cast<double>(x(r, i)) * w(c, i);
            out(r, c) = sum;
        }
    return out;
}

// One row; a row of only −inf becomes zeros.
inline std::vector<double> softmax(const std::vector<double>& scores) {
    double top = -kInfinity;
    for (const double s : scores) top = s > top ? s : top;
    bool all_blocked = true;
    for (const double s : scores) all_blocked = all_blocked && s == -kInfinity;
    std::vector<double> out(scores.size(), 0.0);
    if (all_blocked) return out;
    double sum = 0;
    for (std::size_t i = 0; i < out.size(); ++i) sum += out[i] = std::exp(scores[i] - top);
    for (double& share : out) share /= sum;
    return out;
}

inline std::vector<double> row_of(const MatrixView& m, Index row) {
    return {m.row(row), m.row(row) + m.cols};
}

// For each cell |found − expected| <= relative · |expected| + absolute; non-finite cells must be
// equal. Names the first cell that differs.
inline ::testing::AssertionResult close(const MatrixView& found, const Table& expected,
                                        double absolute, double relative = 0) {
    if (found.rows != expected.rows || found.cols != expected.cols)
        return ::testing::AssertionFailure()
               << "shape [" << found.rows << ", " << found.cols << "], expected [" << expected.rows
               << ", " << expected.cols << "]";
    for (Index r = 0; r < found.rows; ++r)
        for (Index c = 0; c < found.cols; ++c) {
            const double f = found(r, c), e = expected(r, c);
            const bool same = (std::isnan(f) && std::isnan(e)) || f == e;
            if (same || std::abs(f - e) <= relative * std::abs(e) + absolute) continue;
            return ::testing::AssertionFailure()
                   << "cell (" << r << ", " << c << "): found " << f << ", expected " << e;
        }
    return ::testing::AssertionSuccess();
}

// Bit for bit, because a copy or a second run must give exactly the same.
inline ::testing::AssertionResult identical(const MatrixView& found, const MatrixView& expected) {
    if (found.rows != expected.rows || found.cols != expected.cols)
        return ::testing::AssertionFailure() << "other shapes";
    for (Index r = 0; r < found.rows; ++r)
        for (Index c = 0; c < found.cols; ++c)
            if (found(r, c) != expected(r, c))
                return ::testing::AssertionFailure()
                       << "cell (" << r << ", " << c << "): found " << found(r, c) << ", expected "
                       << expected(r, c);
    return ::testing::AssertionSuccess();
}

// The message of an exception of type E; empty if none is thrown.
template <class E>
std::string sentence_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const E& error) {
        return error.what();
    }
    return {};
}

}  // namespace headlight::naive
