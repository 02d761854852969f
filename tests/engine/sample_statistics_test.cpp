#include "analysis/sample_statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace headlight::among_test {
namespace {

TEST(SampleStatistics, gives_mean_and_deviation_of_a_sample) {
    // By hand: mean 5; squares 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32, over 7.
    const std::vector<double> values{2, 4, 4, 4, 5, 5, 7, 9};
    const SampleStatistics found = sample_statistics(values);
    EXPECT_EQ(found.count, 8);
    EXPECT_DOUBLE_EQ(found.mean, 5);
    EXPECT_DOUBLE_EQ(found.deviation, std::sqrt(32.0 / 7));
    EXPECT_EQ(found.least, 2);
    EXPECT_EQ(found.most, 9);
}

TEST(SampleStatistics, of_one_and_of_none) {
    const std::vector<double> one{3}, none;
    EXPECT_EQ(sample_statistics(one).deviation, 0);
    EXPECT_EQ(sample_statistics(one).mean, 3);
    EXPECT_EQ(sample_statistics(none).count, 0);
    EXPECT_EQ(sample_statistics(none).most, 0);
}

TEST(SampleStatistics, leaves_out_what_is_no_number) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> values{1, nan, 3, std::numeric_limits<double>::infinity()};
    EXPECT_EQ(sample_statistics(values).count, 2);
    EXPECT_EQ(sample_statistics(values).mean, 2);
    EXPECT_EQ(sample_statistics(values).most, 3);
}

}  // namespace
}  // namespace headlight::among_test
