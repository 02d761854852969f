#include "encoder/nearest.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "encoder/runner.h"
#include "model_files.h"
#include "naive.h"
#include "ops/limits.h"
#include "picture.h"

// The output tokens that a model's token is most similar to, layer by layer, compared with plain
// loops.
namespace headlight::nearest_test {
namespace {

std::shared_ptr<const Trace> run(const GoldenModel& model) {
    Recipe recipe;
    recipe.image = "a";
    recipe.weights = model.path();
    return Runner([read = reader_of(model)](const std::string& path) -> File {
               return path == "a" ? FileBytes(picture(50, 47)) : read(path);
           })
        .run(recipe);
}

// A row as the model's end sees it: layer norm in double, or unchanged.
std::vector<double> read(const Model& model, const MatrixView& tokens, Index row) {
    std::vector<double> numbers;
    for (Index c = 0; c < tokens.cols; ++c) numbers.push_back(tokens(row, c));
    if (!model.norm.exists()) return numbers;
    double mean = 0, variance = 0;
    const auto width = static_cast<double>(tokens.cols);
    for (const double x : numbers) mean += x / width;
    for (const double x : numbers) variance += (x - mean) * (x - mean) / width;
    const MatrixView gamma = model.norm.gamma->view(), beta = model.norm.beta->view();
    for (Index c = 0; c < tokens.cols; ++c)
        numbers[static_cast<std::size_t>(c)] = (numbers[static_cast<std::size_t>(c)] - mean) /
                                                   std::sqrt(variance + model.norm.eps) *
                                                   gamma(0, c) +
                                               beta(0, c);
    return numbers;
}

double cosine(const std::vector<double>& a, const std::vector<double>& b) {
    double product = 0, of_a = 0, of_b = 0;
    for (std::size_t c = 0; c < a.size(); ++c) {
        product += a[c] * b[c];
        of_a += a[c] * a[c];
        of_b += b[c] * b[c];
    }
    return product / std::sqrt(of_a * of_b);
}

TEST(NearestTokens, are_cosines_with_what_the_tokens_are_in_the_end) {
    int with_norm = 0, without = 0;
    for (const char* name : {"dino", "dinov2", "hf_dinov2", "hf_dinov3", "clip_openai", "timm",
                             "timm_pooled", "timm_registers"}) {
        const auto trace = run({name});
        if (!has_one_width(*trace)) continue;
        (trace->model->norm.exists() ? with_norm : without) += 1;
        const MatrixView end = trace->stream.back()->view();
        for (const Index token : {Index{0}, end.rows - 1}) {
            const Matrix found = cosines_to_outputs(*trace, token);
            ASSERT_EQ(found.rows(), static_cast<Index>(trace->model->layers.size()) + 1);
            ASSERT_EQ(found.cols(), end.rows);
            for (Index l = 0; l < found.rows(); ++l) {
                const auto at =
                    read(*trace->model, trace->stream[static_cast<std::size_t>(l)]->view(), token);
                for (Index j = 0; j < end.rows; ++j)
                    EXPECT_NEAR(found(l, j), cosine(at, read(*trace->model, end, j)), 1e-5)
                        << name << ", layer " << l << ", token " << j;
            }
            EXPECT_NEAR(found(found.rows() - 1, token), 1, 1e-6);
        }
    }
    EXPECT_GE(with_norm, 3);
    EXPECT_GE(without, 1);
}

TEST(NearestTokens, stand_in_the_order_of_their_cosines_without_the_token_itself) {
    Matrix cosines(2, 6);
    cosines << 0, 0, 0, 0, 0, 0,  //
        0.25F, 1, 0.5F, std::numeric_limits<float>::quiet_NaN(), 0.5F, -1;
    using List = std::vector<Index>;
    EXPECT_EQ(nearest_tokens(cosines, 1, 1, 3), (List{2, 4, 0}));
    EXPECT_EQ(nearest_tokens(cosines, 1, 1, 99), (List{2, 4, 0, 5}));
    EXPECT_EQ(nearest_tokens(cosines, 1, 5, 1), (List{1}));
    EXPECT_EQ(nearest_tokens(cosines, 0, 0, 2), (List{1, 2}));
    EXPECT_TRUE(nearest_tokens(cosines, 0, 0, 0).empty());
}

TEST(NearestTokens, refuse_what_there_is_not) {
    const auto trace = run({"timm"});
    const Index tokens = trace->stream.back()->view().rows;
    EXPECT_EQ(naive::sentence_of<RecipeError>([&] { cosines_to_outputs(*trace, tokens); }),
              "Nearest tokens of token " + std::to_string(tokens) + ": this model has " +
                  std::to_string(tokens) + " tokens.");
    EXPECT_THROW(cosines_to_outputs(*trace, -1), RecipeError);
    EXPECT_THROW(cosines_to_outputs(*trace, 0, [] { return true; }), Stopped);
    Trace unfinished = *trace;
    unfinished.stream.pop_back();
    EXPECT_FALSE(has_one_width(unfinished));
    EXPECT_THROW(cosines_to_outputs(unfinished, 0), RecipeError);
}

}  // namespace
}  // namespace headlight::nearest_test
