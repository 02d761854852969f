#include "state/product_timing.h"

#include <gtest/gtest.h>

#include "encoder/runner.h"
#include "models.h"

// Timing of one stacked product and of three.
namespace headlight {
namespace {

std::shared_ptr<const Trace> timed_trace() {
    Recipe recipe;
    recipe.image = "a.ppm";
    recipe.weights = "timm/model.safetensors";
    Runner runner(::headlight::testing::model_files());
    return runner.run(recipe);
}

TEST(ProductTiming, times_both_ways_and_both_give_the_same_numbers) {
    const auto trace = timed_trace();
    const ProductTiming timing = time_products({trace, 0});
    EXPECT_EQ(timing.rows, trace->rows(Tensor::qkv));
    EXPECT_EQ(timing.cols, trace->cols(Tensor::qkv));
    EXPECT_GE(timing.repetitions, 9);
    EXPECT_LT(timing.difference, 1e-5);
    for (const TimeSpread& time : {timing.stacked, timing.apart}) {
        EXPECT_GT(time.lower, 0);
        EXPECT_LE(time.lower, time.median);
        EXPECT_LE(time.median, time.upper);
    }
}

}  // namespace
}  // namespace headlight
