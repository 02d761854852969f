#include "analysis/principal.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <random>

#include "analysis/foreground.h"
#include "analysis/similarity.h"

namespace headlight::principal_test {
namespace {

Matrix random_rows(Index rows, Index cols, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    Matrix made(rows, cols);
    for (Index r = 0; r < rows; ++r)
        for (Index c = 0; c < cols; ++c)
            made(r, c) = normal(random) * static_cast<float>(cols - c) + static_cast<float>(c);
    return made;
}

// The covariance by definition.
double covariance(const std::vector<Matrix>& parts, const std::vector<double>& mean, Index i,
                  Index j) {
    double sum = 0, rows = 0;
    for (const Matrix& part : parts)
        for (Index r = 0; r < part.rows(); ++r) {
            sum += (part(r, i) - mean[static_cast<std::size_t>(i)]) *
                   (part(r, j) - mean[static_cast<std::size_t>(j)]);
            ++rows;
        }
    return sum / rows;
}

std::vector<double> mean_of(const std::vector<Matrix>& parts) {
    std::vector<double> mean;
    for (Index c = 0; c < parts.front().cols(); ++c) {
        double sum = 0, rows = 0;
        for (const Matrix& part : parts)
            for (Index r = 0; r < part.rows(); ++r) {
                sum += part(r, c);
                ++rows;
            }
        mean.push_back(sum / rows);
    }
    return mean;
}

// A direction d is a component if covariance · d = variance · d.
TEST(Principal, components_are_eigenvectors_of_the_covariance_of_all_parts) {
    const std::vector<Matrix> parts{random_rows(30, 6, 1), random_rows(17, 6, 2)};
    const std::vector<double> mean = mean_of(parts);
    double all = 0;
    for (Index c = 0; c < 6; ++c) all += covariance(parts, mean, c, c);
    const PrincipalComponents found = principal_components(parts, 3);
    ASSERT_EQ(found.directions.rows(), 3);
    double before = 1;
    for (Index k = 0; k < 3; ++k) {
        const double share = found.shares(k);
        EXPECT_LE(share, before);
        before = share;
        Index largest = 0;
        for (Index i = 0; i < 6; ++i) {
            double turned = 0;
            for (Index j = 0; j < 6; ++j)
                turned += covariance(parts, mean, i, j) * found.directions(k, j);
            EXPECT_NEAR(turned, share * all * found.directions(k, i), 1e-5 * all);
            if (std::abs(found.directions(k, i)) > std::abs(found.directions(k, largest)))
                largest = i;
        }
        EXPECT_GT(found.directions(k, largest), 0);
        EXPECT_NEAR(found.directions.row(k).norm(), 1, 1e-5);
    }
}

// Of many columns, only the leading eigenvectors are found. Spreads: those of features fall fast;
// with equal ones, the directions that vary most are hard to tell from the next.
TEST(Principal, many_columns_give_what_a_decomposition_gives) {
    for (const bool falling : {true, false}) {
        Matrix rows = random_rows(400, 200, 6);
        for (Index c = 0; c < rows.cols(); ++c) {
            const auto spread = static_cast<float>(rows.cols() - c);
            rows.col(c) *= falling ? 1 / (spread * static_cast<float>(c + 1)) : 1 / spread;
        }
        const Eigen::MatrixXd centered =
            rows.cast<double>().rowwise() - rows.cast<double>().colwise().mean().eval();
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(centered.transpose() *
                                                                    centered);
        const PrincipalComponents found = principal_components(std::span(&rows, 1), 4);
        for (Index k = 0; k < 4; ++k) {
            const double variance = solved.eigenvalues()(199 - k);
            EXPECT_NEAR(found.shares(k), variance / solved.eigenvalues().sum(), 1e-6);
            EXPECT_NEAR(std::abs(found.directions.row(k).cast<double>().dot(
                            solved.eigenvectors().col(199 - k))),
                        1, 1e-6);
        }
    }
}

TEST(Principal, projects_rows_less_the_mean) {
    const std::vector<Matrix> parts{random_rows(12, 4, 3)};
    const PrincipalComponents found = principal_components(parts, 2);
    const Matrix projected = found.project(MatrixView(parts.front()));
    const std::vector<double> mean = mean_of(parts);
    for (Index r = 0; r < 12; ++r)
        for (Index k = 0; k < 2; ++k) {
            double sum = 0;
            for (Index c = 0; c < 4; ++c)
                sum += (parts.front()(r, c) - mean[static_cast<std::size_t>(c)]) *
                       found.directions(k, c);
            EXPECT_NEAR(projected(r, k), sum, 1e-4);
        }
}

TEST(Foreground, is_read_from_text) {
    EXPECT_EQ(foreground_from_text("above:0.6"), (Foreground{true, 0.6F}));
    EXPECT_EQ(foreground_from_text("below:1"), (Foreground{false, 1}));
    for (const char* bad : {"", "above", "above:", "above:x", "above:0.5 ", "beside:0.5",
                            "above:1.5", "below:-0.1", "above:nan", "0.5"})
        EXPECT_EQ(foreground_from_text(bad), std::nullopt) << bad;
}

// The rows lie on a line, so their places on it are their first components.
TEST(Foreground, has_the_rows_beyond_the_bound_over_all_parts) {
    const std::vector<std::vector<float>> places{{0, 3, 5, 9}, {10, 2, 6}};
    std::vector<Matrix> parts;
    for (const auto& of_part : places) {
        Matrix& part = parts.emplace_back(static_cast<Index>(of_part.size()), 3);
        for (std::size_t r = 0; r < of_part.size(); ++r)
            part.row(static_cast<Index>(r)) << 1, 0.5F * of_part[r], 4 + of_part[r];
    }
    using Rows = std::vector<std::vector<Index>>;
    EXPECT_EQ(foreground_rows({true, 0.55F}, parts), (Rows{{3}, {0, 2}}));
    EXPECT_EQ(foreground_rows({false, 0.25F}, parts), (Rows{{0}, {1}}));
    EXPECT_EQ(foreground_rows({true, 1}, parts), (Rows{{}, {}}));
    const std::vector<Matrix> equal{Matrix::Ones(5, 3)};
    EXPECT_EQ(foreground_rows({true, 0}, equal), (Rows{{}}));
}

TEST(Principal, refuses_what_has_no_components) {
    const std::vector<Matrix> few{random_rows(3, 6, 1)}, widths{few.front(), random_rows(3, 5, 1)};
    EXPECT_NO_THROW(principal_components(few, 2));
    EXPECT_THROW(principal_components(few, 3), AnalysisError);
    EXPECT_THROW(principal_components(few, 0), AnalysisError);
    EXPECT_THROW(principal_components(widths, 1), AnalysisError);
    EXPECT_THROW(principal_components({}, 1), AnalysisError);
    std::vector<Matrix> nan = few;
    nan.front()(1, 1) = std::nanf("");
    EXPECT_THROW(principal_components(nan, 1), AnalysisError);
}

TEST(Similarity, cosines_between_two_matrices_are_those_of_each_pair_of_rows) {
    Matrix a = random_rows(5, 7, 4), b = random_rows(3, 7, 5);
    b.row(2).setZero();
    const Matrix cosines = cosines_between(MatrixView(a), MatrixView(b));
    for (Index i = 0; i < 5; ++i)
        for (Index j = 0; j < 3; ++j) {
            double product = 0, of_a = 0, of_b = 0;
            for (Index c = 0; c < 7; ++c) {
                product += double{a(i, c)} * b(j, c);
                of_a += double{a(i, c)} * a(i, c);
                of_b += double{b(j, c)} * b(j, c);
            }
            EXPECT_NEAR(cosines(i, j), of_b == 0 ? 0 : product / std::sqrt(of_a * of_b), 1e-6);
        }
    EXPECT_THROW(cosines_between(MatrixView(a), MatrixView(Matrix::Zero(2, 6).eval())),
                 AnalysisError);
}

}  // namespace
}  // namespace headlight::principal_test
