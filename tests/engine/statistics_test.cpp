#include "analysis/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/summary.h"
#include "naive.h"

namespace headlight::statistics_test {
namespace {

using naive::kInfinity;
using naive::kNaN;
using naive::random_matrix;

Matrix of(std::initializer_list<std::initializer_list<float>> rows) { return Matrix(rows); }

TEST(Statistics, equal_the_naive_ones) {
    const Matrix m = random_matrix(37, 53, 1, 9);
    double sum = 0, squares = 0;
    for (Index i = 0; i < m.size(); ++i) sum += m.data()[i];
    const double mean = sum / static_cast<double>(m.size());
    for (Index i = 0; i < m.size(); ++i) squares += std::pow(m.data()[i] - mean, 2);
    const Statistics s = statistics(m);
    EXPECT_EQ(s.min, *std::min_element(m.data(), m.data() + m.size()));
    EXPECT_EQ(s.max, *std::max_element(m.data(), m.data() + m.size()));
    EXPECT_NEAR(s.mean, mean, 1e-12);
    EXPECT_NEAR(s.deviation, std::sqrt(squares / static_cast<double>(m.size())), 1e-12);
    EXPECT_EQ(s.finite, m.size());
    EXPECT_EQ(s.nan + s.infinite, 0);
}

TEST(Statistics, read_their_window_only) {
    Matrix m = Matrix::Constant(6, 7, 100);
    m.block(2, 3, 2, 2) = of({{1, 2}, {3, 4}});
    const Statistics s = statistics(MatrixView(m).block(2, 3, 2, 2));
    EXPECT_EQ(s.max, 4.0F);
    EXPECT_EQ(s.mean, 2.5);
}

TEST(Statistics, count_what_is_not_finite_aside) {
    const Statistics s = statistics(of({{kNaN, 2, kInfinity}, {-kInfinity, -4, kNaN}}));
    EXPECT_EQ(s.min, -4.0F);
    EXPECT_EQ(s.max, 2.0F);
    EXPECT_EQ(s.mean, -1.0);
    EXPECT_EQ(s.deviation, 3.0);
    EXPECT_EQ(s.finite, 2);
    EXPECT_EQ(s.nan, 2);
    EXPECT_EQ(s.infinite, 2);
}

TEST(Statistics, of_nothing_finite_are_unknown) {
    for (const Matrix& m : {Matrix(), of({{kNaN}}), of({{kInfinity, -kInfinity}})}) {
        const Statistics s = statistics(m);
        EXPECT_EQ(s.finite, 0);
        for (const double unknown : {double{s.min}, double{s.max}, s.mean, s.deviation})
            EXPECT_TRUE(std::isnan(unknown));
        EXPECT_EQ(histogram(m, s.min, s.max, 3), (std::vector<Index>{0, 0, 0}));
    }
}

TEST(Summary, range_over_heads_leaves_out_those_without_numbers) {
    const auto scores = static_cast<std::size_t>(Tensor::scores);
    Summary summary;
    for (const Matrix& m : {of({{kNaN}}), of({{-2, kInfinity}}), of({{kNaN}}), of({{5}})})
        summary.matrices[scores].push_back({statistics(m), {}, 0, {}, {}});
    EXPECT_EQ(summary.range(Tensor::scores).min, -2.0F);
    EXPECT_EQ(summary.range(Tensor::scores).max, 5.0F);
    summary.matrices[scores].resize(1);
    EXPECT_TRUE(std::isnan(summary.range(Tensor::scores).min));
    EXPECT_TRUE(std::isnan(summary.range(Tensor::scores).max));
}

// Where the mean of squares minus the squared mean would be only rounding error.
TEST(Statistics, deviation_survives_a_large_mean) {
    EXPECT_NEAR(statistics(of({{10000.0F, 10000.5F, 9999.5F, 10000.0F}})).deviation,
                std::sqrt(0.125), 1e-9);
}

TEST(Histogram, counts_each_cell_in_its_interval) {
    const Matrix m = random_matrix(50, 40, 2, 3);
    const std::vector<Index> counts = histogram(m, -2, 2, 13);
    std::vector<Index> expected(13, 0);
    for (Index i = 0; i < m.size(); ++i) {
        const double at = (m.data()[i] + 2.0) * 13 / 4;
        if (at >= 0 && at < 13) ++expected[static_cast<std::size_t>(at)];
    }
    EXPECT_EQ(counts, expected);
}

TEST(Histogram, includes_both_ends_and_nothing_beyond) {
    EXPECT_EQ(histogram(of({{0, 1, 2, 3, 4, -0.1F, 4.1F, kNaN, kInfinity, -kInfinity}}), 0, 4, 4),
              (std::vector<Index>{1, 1, 1, 2}));
}

TEST(Histogram, of_equal_cells_has_all_in_one_bin) {
    const std::vector<Index> counts = histogram(Matrix(Matrix::Constant(3, 3, 5)), 5, 5, 4);
    EXPECT_EQ(counts, (std::vector<Index>{9, 0, 0, 0}));
}

TEST(Entropy, is_zero_for_one_token_and_log_m_for_all_alike) {
    const Matrix rows = of({{0, 1, 0, 0}, {0.25F, 0.25F, 0.25F, 0.25F}, {0.5F, 0.5F, 0, 0}});
    EXPECT_EQ(entropy(&rows(0, 0), 4), 0.0);
    EXPECT_NEAR(entropy(&rows(1, 0), 4), 2.0, 1e-6);
    EXPECT_NEAR(entropy(&rows(2, 0), 4), 1.0, 1e-6);
    EXPECT_NEAR(mean_entropy(rows), 1.0, 1e-6);
    EXPECT_EQ(mean_entropy(Matrix()), 0.0);
}

TEST(Entropy, equals_the_naive_one) {
    Matrix m = random_matrix(20, 33, 3).cwiseAbs();
    for (Index r = 0; r < 20; ++r) m.row(r) /= m.row(r).sum();
    for (Index r = 0; r < 20; ++r) {
        double expected = 0;
        for (Index c = 0; c < 33; ++c)
            expected -= static_cast<double>(m(r, c)) * std::log(static_cast<double>(m(r, c)));
        EXPECT_NEAR(entropy(&m(r, 0), 33), expected / std::log(2.0), 1e-6) << r;
    }
}

TEST(Entropy, of_a_bad_row_is_not_a_number) {
    EXPECT_TRUE(std::isnan(mean_entropy(of({{kNaN, kNaN}, {1, 0}}))));
}

TEST(RowSums, are_the_least_and_the_greatest) {
    const RowSums sums = row_sums(of({{1, 2}, {-5, 1}, {3, 3}}));
    EXPECT_EQ(sums.min, -4.0F);
    EXPECT_EQ(sums.max, 6.0F);
    EXPECT_EQ(row_sums(Matrix()).max, 0.0F);
    const RowSums thirds = row_sums(Matrix(Matrix::Constant(1, 3'000'000, 1.0F / 3'000'000)));
    EXPECT_NEAR(thirds.min, 1.0F, 1e-6F);  // a sum in float would be off by far more
}

TEST(RowSums, show_a_bad_row_wherever_it_stands) {
    for (Index bad = 0; bad < 3; ++bad) {
        Matrix m = Matrix::Ones(3, 2);
        m(bad, 1) = kNaN;
        EXPECT_TRUE(std::isnan(row_sums(m).min)) << bad;
        EXPECT_TRUE(std::isnan(row_sums(m).max)) << bad;
    }
}

TEST(Difference, is_now_minus_before) {
    EXPECT_TRUE(naive::identical(difference(of({{5, 1}}), of({{2, 4}})), of({{3, -3}})));
}

TEST(ColumnOf, is_one_column_as_a_row) {
    EXPECT_EQ(column_of(of({{1, 2}, {3, 4}, {5, 6}}), 1), Vector(of({{2, 4, 6}})));
}

}  // namespace
}  // namespace headlight::statistics_test
