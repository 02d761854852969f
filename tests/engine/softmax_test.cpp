#include "kernels/softmax.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "naive.h"

namespace headlight::softmax_test {
namespace {

using naive::kInfinity;
using naive::kNaN;

std::vector<float> softmax_of(const std::vector<float>& scores) {
    std::vector<float> out(scores.size(), -1.0F);
    softmax(scores.data(), out.data(), static_cast<Index>(scores.size()));
    return out;
}

void expect_like_naive(const std::vector<float>& scores) {
    const std::vector<double> expected =
        naive::softmax(std::vector<double>(scores.begin(), scores.end()));
    const std::vector<float> found = softmax_of(scores);
    for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_NEAR(found[i], expected[i], 4e-6 * expected[i] + 1e-37)
            << "cell " << i << " of " << found.size() << ", score " << scores[i];
}

// Lengths around the width of every instruction set, so that each remainder occurs.
TEST(Softmax, equals_the_naive_one_for_every_length) {
    for (Index length = 1; length <= 130; ++length) {
        const Matrix row = naive::random_matrix(1, length, static_cast<std::uint32_t>(length), 8);
        expect_like_naive({row.data(), row.data() + length});
    }
}

TEST(Softmax, stays_true_for_scores_of_every_size) {
    for (const float size : {1e-6F, 1e-2F, 1.0F, 50.0F, 1e2F, 1e4F, 1e30F}) {
        SCOPED_TRACE(size);
        const Matrix row = naive::random_matrix(1, 777, 3, size);
        expect_like_naive({row.data(), row.data() + row.size()});
    }
    expect_like_naive({1e4F, -1e4F, 1e4F});
    expect_like_naive({3.4e38F, -3.4e38F, 0.0F});  // their difference overflows float
}

bool has_same_bits(const float* a, const float* b, Index count) {
    return std::memcmp(a, b, static_cast<std::size_t>(count) * sizeof(float)) == 0;
}

TEST(Softmax, several_rows_at_once_have_the_bits_of_single_rows) {
    for (const Index length : {1, 5, 16, 33, 197, 300}) {
        SCOPED_TRACE(length);
        Matrix rows = naive::random_matrix(kRowsAtOnce, length, 4, 8);
        rows.row(1).setConstant(-kInfinity);
        rows(2, length / 2) = kNaN;
        rows(3, length - 1) = kInfinity;
        rows.row(4).head(length / 2).setConstant(-kInfinity);
        Matrix alone = rows;
        std::array<RowScale, kRowsAtOnce> scales;
        softmax_rows(rows, scales.data());
        for (Index r = 0; r < kRowsAtOnce; ++r) {
            SCOPED_TRACE(r);
            float* row = alone.row(r).data();
            const RowScale scale = softmax(row, row, length);
            EXPECT_TRUE(has_same_bits(rows.row(r).data(), row, length));
            EXPECT_TRUE(has_same_bits(&scales[static_cast<std::size_t>(r)].top, &scale.top, 1));
            EXPECT_TRUE(has_same_bits(&scales[static_cast<std::size_t>(r)].part, &scale.part, 1));
        }
    }
}

// From 1 down to the smallest float, in steps that avoid powers of two.
TEST(Softmax, exp_is_true_over_its_whole_range) {
    std::vector<float> scores;
    for (float s = 0; s > -87.0F; s -= 0.0137F) scores.push_back(s);
    expect_like_naive(scores);
}

TEST(Softmax, a_blocked_key_gets_exactly_nothing) {
    for (Index length = 2; length <= 70; ++length) {
        Matrix row = naive::random_matrix(1, length, 5, 4);
        for (Index i = 1; i < length; i += 2) row(0, i) = -kInfinity;
        const std::vector<float> scores(row.data(), row.data() + length);
        expect_like_naive(scores);
        const std::vector<float> shares = softmax_of(scores);
        for (std::size_t i = 1; i < shares.size(); i += 2)
            ASSERT_EQ(shares[i], 0.0F) << "cell " << i << " of " << length;
    }
}

TEST(Softmax, scores_far_below_the_top_get_exactly_nothing) {
    const std::vector<float> shares = softmax_of({0.0F, -88.0F, -104.0F, -1e4F, -3e38F});
    EXPECT_EQ(shares, (std::vector<float>{1, 0, 0, 0, 0}));
}

TEST(Softmax, all_blocked_is_zero) {
    for (const std::size_t length : {1U, 5U, 16U, 33U})
        EXPECT_EQ(softmax_of(std::vector<float>(length, -kInfinity)),
                  std::vector<float>(length, 0.0F));
}

TEST(Softmax, equal_scores_share_alike) {
    for (const float score : {-1e4F, 0.0F, 1e4F}) {
        const std::vector<float> shares = softmax_of(std::vector<float>(64, score));
        EXPECT_EQ(shares, std::vector<float>(64, 1.0F / 64));
    }
    EXPECT_EQ(softmax_of({-7.0F}), std::vector<float>{1.0F});
}

// One NaN or +∞ score makes its whole row NaN, wherever it is.
TEST(Softmax, nan_and_positive_infinity_make_the_whole_row_nan) {
    for (const float bad : {kNaN, -kNaN, kInfinity})
        for (const float other : {0.5F, -1e4F, -kInfinity})
            for (const std::size_t length : {1U, 7U, 16U, 37U, 100U})
                for (std::size_t place = 0; place < length; ++place) {
                    std::vector<float> scores(length, other);
                    scores[place] = bad;
                    const std::vector<float> shares = softmax_of(scores);
                    for (std::size_t i = 0; i < length; ++i)
                        ASSERT_TRUE(std::isnan(shares[i]))
                            << "cell " << i << " of " << length << ": " << shares[i] << " for "
                            << bad << " at " << place << " beside " << other;
                }
}

TEST(Softmax, may_write_over_its_input) {
    Matrix row = naive::random_matrix(1, 53, 7, 5);
    const std::vector<float> expected = softmax_of({row.data(), row.data() + row.size()});
    softmax(row.data(), row.data(), row.size());
    for (Index i = 0; i < row.size(); ++i)
        EXPECT_NEAR(row(0, i), expected[static_cast<std::size_t>(i)], 1e-7F);
}

}  // namespace
}  // namespace headlight::softmax_test
