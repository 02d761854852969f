#include "analysis/prediction.h"

#include <gtest/gtest.h>

#include "golden.h"
#include "naive.h"

namespace headlight::prediction_test {
namespace {

using naive::kInfinity;
using naive::kNaN;

Matrix of(std::initializer_list<float> row) { return Matrix({row}); }

Matrix ones(Index rows, Index cols) { return Matrix::Ones(rows, cols); }

std::vector<Index> order(const Matrix& logits, Index count) {
    std::vector<Index> indices;
    for (const Prediction& p : top_predictions(logits, count)) indices.push_back(p.index);
    return indices;
}

TEST(ClassProbabilities, are_a_softmax) {
    EXPECT_EQ(class_probabilities(of({5, 5, 5, 5})), (std::vector<double>(4, 0.25)));
    const std::vector<double> shares = class_probabilities(of({0, std::log(3.0F), -kInfinity}));
    EXPECT_NEAR(shares[0], 0.25, 1e-7);
    EXPECT_NEAR(shares[1], 0.75, 1e-7);
    EXPECT_EQ(shares[2], 0.0);
    EXPECT_EQ(class_probabilities(Matrix()), std::vector<double>{});
}

TEST(ClassProbabilities, survive_large_logits) {
    const std::vector<double> shares = class_probabilities(of({3e38F, 3e38F, -3e38F}));
    EXPECT_EQ(shares, (std::vector<double>{0.5, 0.5, 0}));
}

TEST(ClassProbabilities, are_not_a_number_where_there_is_no_distribution) {
    for (const Matrix& logits :
         {of({1, kNaN}), of({kNaN, 1}), of({kInfinity, 1}), of({-kInfinity, -kInfinity})})
        for (const double share : class_probabilities(logits)) EXPECT_TRUE(std::isnan(share));
}

TEST(TopPredictions, are_the_greatest_first) {
    const std::vector<Prediction> top = top_predictions(of({1, 4, -2, 3}), 2);
    ASSERT_EQ(top.size(), 2U);
    EXPECT_EQ(top[0].index, 1);
    EXPECT_EQ(top[0].logit, 4.0F);
    EXPECT_NEAR(top[0].probability,
                std::exp(4.0) / (std::exp(4.0) + std::exp(3.0) + std::exp(1.0) + std::exp(-2.0)),
                1e-15);
    EXPECT_EQ(top[1].index, 3);
}

TEST(TopPredictions, of_equal_logits_take_the_lower_index) {
    EXPECT_EQ(order(of({2, 7, 2, 7, 2}), 3), (std::vector<Index>{1, 3, 0}));
}

TEST(TopPredictions, put_nan_last) {
    EXPECT_EQ(order(of({kNaN, 1, kNaN, kInfinity, -kInfinity}), 9),
              (std::vector<Index>{3, 1, 4, 0, 2}));
    EXPECT_TRUE(std::isnan(top_predictions(of({kNaN, 1}), 1)[0].probability));
}

TEST(TopPredictions, are_no_more_than_there_are) {
    EXPECT_EQ(order(of({1, 2}), 5), (std::vector<Index>{1, 0}));
    EXPECT_EQ(order(of({1, 2}), 0), std::vector<Index>{});
    EXPECT_EQ(order(of({1, 2}), -1), std::vector<Index>{});
    EXPECT_EQ(order(Matrix(), 5), std::vector<Index>{});
}

TEST(TopPredictions, refuse_several_rows) {
    EXPECT_EQ(naive::sentence_of<AnalysisError>([] { top_predictions(ones(2, 3), 1); }),
              "Expected one row of logits, found 2.");
}

TEST(TopPredictions, equal_pytorchs) {
    const TensorMap golden = golden::read("analysis.safetensors");
    const Matrix logits = golden::stacked(golden.at("prediction.logits"));
    const std::vector<double> found = class_probabilities(logits);
    const std::vector<float>& expected = golden.at("prediction.probabilities").values;
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(found[i], expected[i], 1e-5 * expected[i]) << i;
    const std::vector<Prediction> top = top_predictions(logits, 5);
    ASSERT_EQ(top.size(), 5U);
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(static_cast<float>(top[i].index), golden.at("prediction.top.index").values[i]);
        EXPECT_EQ(top[i].logit, golden.at("prediction.top.logit").values[i]);
        EXPECT_EQ(top[i].probability, found[static_cast<std::size_t>(top[i].index)]);
    }
}

}  // namespace
}  // namespace headlight::prediction_test
