#include "analysis/subspaces.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "golden.h"
#include "naive.h"

// Principal angles between row spaces, compared with numpy.
namespace headlight::subspaces_test {
namespace {

TEST(Subspaces, angles_and_parts_are_those_of_numpy) {
    const TensorMap file = golden::read("subspaces.safetensors");
    for (const std::string name : {"waves", "noise", "wide", "few", "same"}) {
        const Matrix a = golden::stacked(file.at(name + ".a")),
                     b = golden::stacked(file.at(name + ".b"));
        const std::vector<float>& numbers = file.at(name + ".numbers").values;
        const std::vector<float>& angles = file.at(name + ".angles").values;
        const Directions of_a = main_directions(a, 0.95), of_b = main_directions(b, 0.95);
        ASSERT_EQ(of_a.basis.rows(), static_cast<Index>(numbers[0])) << name;
        ASSERT_EQ(of_b.basis.rows(), static_cast<Index>(numbers[1])) << name;
        EXPECT_NEAR(of_a.held, numbers[2], 1e-6) << name;
        EXPECT_NEAR(of_b.held, numbers[3], 1e-6) << name;
        EXPECT_NEAR(part_along(b, of_a.basis), numbers[4], 1e-5) << name;
        EXPECT_NEAR(part_along(a, of_b.basis), numbers[5], 1e-5) << name;
        const std::vector<double> found = principal_angles(of_a.basis, of_b.basis);
        ASSERT_EQ(found.size(), angles.size()) << name;
        for (std::size_t i = 0; i < found.size(); ++i)
            EXPECT_NEAR(found[i], angles[i], 1e-3) << name << " " << i;
        const Matrix square = of_a.basis * of_a.basis.transpose();
        EXPECT_TRUE(square.isApprox(Matrix::Identity(square.rows(), square.cols()), 1e-5F)) << name;
    }
}

// Two planes in space that share a line, rotated around it by an angle; also tiny angles.
TEST(Subspaces, a_plane_turned_around_a_line_is_found) {
    for (const double degrees : {0.0, 0.001, 1.0, 44.9, 45.1, 60.0, 90.0}) {
        const double angle = degrees * std::numbers::pi / 180;
        Matrix one(2, 3), other(2, 3);
        one << 1, 0, 0, 0, 1, 0;
        other << 1, 0, 0, 0, static_cast<float>(std::cos(angle)),
            static_cast<float>(std::sin(angle));
        const std::vector<double> found = principal_angles(one, other);
        ASSERT_EQ(found.size(), 2U);
        EXPECT_NEAR(found[0], 0, 1e-4);
        EXPECT_NEAR(found[1], degrees, 1e-4);
    }
}

TEST(Subspaces, what_lies_side_by_side_is_at_right_angles) {
    const Matrix tokens = naive::random_matrix(20, 6, 1), table = naive::random_matrix(20, 4, 2);
    Matrix left = Matrix::Zero(20, 10), right = left;
    left.leftCols(6) = tokens;
    right.rightCols(4) = table;
    const Directions a = main_directions(left, 1), b = main_directions(right, 1);
    EXPECT_EQ(a.basis.rows(), 6);
    EXPECT_EQ(b.basis.rows(), 4);
    for (const double angle : principal_angles(a.basis, b.basis)) EXPECT_NEAR(angle, 90, 1e-5);
    EXPECT_NEAR(part_along(right, a.basis), 0, 1e-10);
}

TEST(Subspaces, of_rows_that_are_all_alike_there_is_none) {
    const Matrix alike = Matrix::Constant(5, 3, 2.5F);
    EXPECT_EQ(main_directions(alike, 0.95).basis.rows(), 0);
    EXPECT_EQ(main_directions(alike, 0.95).held, 0);
    EXPECT_EQ(part_along(alike, Matrix(Matrix::Identity(3, 3))), 0);
    EXPECT_TRUE(principal_angles(Matrix(0, 3), Matrix(Matrix::Identity(3, 3))).empty());
    EXPECT_TRUE(std::isnan(part_read_off(naive::random_matrix(5, 4, 1), alike)));
    EXPECT_THROW(principal_angles(Matrix(Matrix::Identity(2, 2)), Matrix(Matrix::Identity(3, 3))),
                 AnalysisError);
}

// Parts with directions of their own can be predicted from a sum; others cannot.
TEST(Subspaces, a_sum_is_taken_apart_where_its_parts_lie_apart) {
    Matrix left = Matrix::Zero(80, 12), right = left;
    left.leftCols(6) = naive::random_matrix(80, 6, 1);
    right.rightCols(6) = naive::random_matrix(80, 6, 2);
    EXPECT_GT(part_read_off(Matrix(left + right), right), 0.99);
    Matrix same = Matrix::Zero(80, 12);
    same.leftCols(6) = naive::random_matrix(80, 6, 3);
    EXPECT_LT(part_read_off(Matrix(left + same), same), 0.7);
}

}  // namespace
}  // namespace headlight::subspaces_test
