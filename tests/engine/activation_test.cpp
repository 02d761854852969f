#include "kernels/activation.h"

#include <gtest/gtest.h>

#include <numbers>

#include "naive.h"

namespace headlight::activation_test {
namespace {

using naive::kInfinity;
using naive::kNaN;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// The paper's formulas, in double.
double naive_activation(Activation activation, double x) {
    switch (activation) {
        case Activation::gelu:
            return x * 0.5 * std::erfc(-x / std::numbers::sqrt2);
        case Activation::gelu_tanh:
            return x * sigmoid(2 * std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x));
        case Activation::quick_gelu:
            return x * sigmoid(1.702 * x);
        case Activation::silu:
            return x * sigmoid(x);
        case Activation::relu:
            return std::max(x, 0.0);
        default:
            break;
    }
    throw std::logic_error("a gate takes two numbers");
}

constexpr Activation kOfOneNumber[] = {Activation::gelu, Activation::gelu_tanh,
                                       Activation::quick_gelu, Activation::silu, Activation::relu};

Matrix row_of(const std::vector<float>& numbers) {
    return Eigen::Map<const Matrix>(numbers.data(), 1, static_cast<Index>(numbers.size()));
}

// Relative to the result itself, so that small results for negative inputs are checked too.
// Rounding of the exponent costs digits as it grows.
void expect_like_naive(Activation activation, const std::vector<float>& numbers) {
    const Matrix found = activate(row_of(numbers), activation);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const double x = numbers[i];
        const double expected = naive_activation(activation, x);
        const double exponent =
            x < 0 && expected != 0 ? std::abs(std::log(std::abs(expected / x))) : 0;
        const double tolerance = (4e-7 + 2e-7 * exponent) * std::abs(expected) + 1e-37;
        ASSERT_NEAR(found(0, static_cast<Index>(i)), expected, tolerance) << "of " << x;
    }
}

TEST(Activation, equals_the_formula_on_a_dense_grid) {
    std::vector<float> grid;
    for (int i = -400000; i <= 400000; ++i) grid.push_back(static_cast<float>(i) * 2.5e-5F);
    for (const Activation activation : kOfOneNumber) {
        SCOPED_TRACE(static_cast<int>(activation));
        expect_like_naive(activation, grid);
    }
}

TEST(Activation, equals_the_formula_for_numbers_of_every_size) {
    std::vector<float> numbers;
    for (int exponent = -126; exponent < 128; ++exponent)
        for (const float digits : {1.0F, 1.4142135F, 1.9999999F})
            for (const float sign : {1.0F, -1.0F})
                numbers.push_back(sign * std::ldexp(digits, exponent));
    for (const Activation activation : kOfOneNumber) {
        SCOPED_TRACE(static_cast<int>(activation));
        expect_like_naive(activation, numbers);
    }
}

TEST(Activation, subnormal_numbers_stay_small) {
    for (const Activation activation : kOfOneNumber)
        for (const float x : {1e-45F, -1e-45F, 1e-40F, -1e-40F, 0.0F, -0.0F}) {
            const float y = activate(row_of({x}), activation)(0, 0);
            EXPECT_LE(std::abs(y), std::abs(x));
        }
}

TEST(Activation, far_from_zero_it_is_the_number_or_nothing) {
    for (const Activation activation : kOfOneNumber)
        for (const float x : {30.0F, 1e10F, 3e38F, kInfinity}) {
            EXPECT_EQ(activate(row_of({x}), activation)(0, 0), x);
            if (x >= 1e10F && x < kInfinity) {
                EXPECT_EQ(activate(row_of({-x}), activation)(0, 0), 0.0F);
            }
        }
}

TEST(Activation, nan_stays_nan) {
    for (const Activation activation : kOfOneNumber)
        for (const float bad : {kNaN, -kNaN}) {
            std::vector<float> row(37, 1.0F);
            row[20] = bad;
            const Matrix out = activate(row_of(row), activation);
            for (Index i = 0; i < 37; ++i) EXPECT_EQ(std::isnan(out(0, i)), i == 20) << i;
        }
}

TEST(Activation, gates_the_right_half_by_the_left) {
    const Matrix hidden = naive::random_matrix(9, 74, 1, 6);
    constexpr Activation kGates[] = {Activation::geglu, Activation::geglu_tanh,
                                     Activation::quick_geglu, Activation::swiglu,
                                     Activation::reglu};
    for (std::size_t i = 0; i < std::size(kGates); ++i) {
        const Activation curve = kOfOneNumber[i];
        EXPECT_EQ(gated_by(curve), kGates[i]);
        EXPECT_EQ(curve_of(kGates[i]), curve);
        const Matrix out = activate(hidden, kGates[i]);
        ASSERT_EQ(out.rows(), 9);
        ASSERT_EQ(out.cols(), 37);
        for (Index r = 0; r < 9; ++r)
            for (Index c = 0; c < 37; ++c) {
                const double left = hidden(r, c), right = hidden(r, c + 37),
                             expected = naive_activation(curve, left) * right;
                // Near 0, an exact GELU in float has an error of a few times 1e-7 of its input.
                ASSERT_NEAR(out(r, c), expected, 1e-6 * std::abs(left * right) + 1e-12)
                    << r << ", " << c;
            }
    }
}

TEST(Activation, takes_rows_of_a_wider_matrix) {
    const Matrix wide = naive::random_matrix(50, 40, 2, 4);
    const MatrixView inner = MatrixView(wide).block(3, 5, 41, 23);
    EXPECT_EQ(activate(inner, Activation::gelu), activate(Matrix(inner.eigen()), Activation::gelu));
}

TEST(Activation, nothing_gives_nothing) {
    EXPECT_EQ(activate(Matrix(0, 8), Activation::swiglu).cols(), 4);
    EXPECT_EQ(activate(Matrix(3, 0), Activation::gelu).rows(), 3);
}

}  // namespace
}  // namespace headlight::activation_test
