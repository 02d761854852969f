#include "trace/token_rows.h"

#include <gtest/gtest.h>

#include "encoder/runner.h"
#include "model_files.h"
#include "picture.h"

namespace headlight::token_rows_test {
namespace {

std::shared_ptr<const Trace> trace_of(const GoldenModel& model, int layer) {
    Recipe recipe;
    recipe.image = "a";
    recipe.weights = model.path();
    recipe.layer = layer;
    return Runner([&, read = reader_of(model)](const std::string& path) -> File {
               return path == "a" ? picture(50, 47) : read(path);
           })
        .run(recipe);
}

TEST(TokenRows, a_token_transformer_shares_no_tokens_with_the_end) {
    const auto trace = trace_of({"t2t"}, 0);
    ASSERT_NE(trace->layout.count(), trace->rows(Tensor::norm));
    for (const Tensor tensor : {Tensor::encoded, Tensor::norm_rows, Tensor::norm}) {
        EXPECT_FALSE(shares_tokens(*trace, tensor));
        EXPECT_EQ(token_of_row(*trace, tensor, 1), -1);
        EXPECT_EQ(row_of_token(*trace, tensor, 1), -1);
    }
    EXPECT_EQ(token_of_row(*trace, Tensor::output, 3), 3);
    EXPECT_EQ(row_of_token(*trace, Tensor::attention, 3), 3);
}

TEST(TokenRows, the_layers_share_theirs) {
    const auto last = trace_of({"t2t"}, 2);
    const auto vit = trace_of({"timm"}, 0);
    for (const auto& trace : {last, vit}) {
        EXPECT_EQ(token_of_row(*trace, Tensor::norm, 1), 1);
        EXPECT_EQ(token_of_row(*trace, Tensor::embedded, 1), 1 + trace->layout.prefix());
        EXPECT_EQ(token_of_row(*trace, Tensor::logits, 0), -1);  // of the whole image
    }
}

}  // namespace
}  // namespace headlight::token_rows_test
