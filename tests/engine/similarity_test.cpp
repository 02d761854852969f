#include "analysis/similarity.h"

#include <gtest/gtest.h>

#include "naive.h"

namespace headlight::similarity_test {
namespace {

using naive::random_matrix;

TEST(Cosines, are_those_of_the_slow_way) {
    const Matrix tokens = random_matrix(9, 31, 5);
    for (Index row = 0; row < tokens.rows(); ++row) {
        const Vector cosines = cosines_to(tokens, row);
        for (Index other = 0; other < tokens.rows(); ++other) {
            double product = 0, one = 0, two = 0;
            for (Index c = 0; c < tokens.cols(); ++c) {
                product += static_cast<double>(tokens(row, c)) * tokens(other, c);
                one += static_cast<double>(tokens(row, c)) * tokens(row, c);
                two += static_cast<double>(tokens(other, c)) * tokens(other, c);
            }
            EXPECT_NEAR(cosines[other], product / std::sqrt(one * two), 1e-6);
        }
        EXPECT_FLOAT_EQ(cosines[row], 1);
    }
}

TEST(Cosines, of_nothing_are_zero_and_of_no_number_none) {
    Matrix tokens = Matrix::Zero(3, 2);
    tokens.row(1) << 1, 2;
    tokens.row(2) << naive::kNaN, 0;
    const Vector cosines = cosines_to(tokens, 1);
    EXPECT_EQ(cosines[0], 0);
    EXPECT_TRUE(std::isnan(cosines[2]));
    EXPECT_THROW(static_cast<void>(cosines_to(tokens, 3)), AnalysisError);
}

TEST(Correlation, is_one_of_what_is_scaled_and_minus_one_of_its_opposite) {
    const Matrix map = random_matrix(4, 6, 7);
    EXPECT_NEAR(correlation(map, Matrix(3 * map.array() + 2)), 1, 1e-6);
    EXPECT_NEAR(correlation(map, Matrix(-map)), -1, 1e-6);
    EXPECT_TRUE(std::isnan(correlation(map, Matrix(Matrix::Ones(4, 6)))));
    EXPECT_THROW(static_cast<void>(correlation(map, Matrix(Matrix::Ones(6, 4)))), AnalysisError);
}

TEST(TotalVariation, is_the_share_that_goes_elsewhere) {
    const Matrix a = Matrix({{0.5F, 0.5F, 0}}), b = Matrix({{0.25F, 0.5F, 0.25F}});
    EXPECT_NEAR(total_variation(a, b), 0.25, 1e-7);
    EXPECT_EQ(total_variation(a, a), 0);
}

}  // namespace
}  // namespace headlight::similarity_test
