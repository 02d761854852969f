#include "frame/tensor_text.h"

#include <gtest/gtest.h>

#include "../engine/model_files.h"
#include "../engine/picture.h"
#include "encoder/runner.h"

namespace headlight::screens {
namespace {

std::string columns_of(const GoldenModel& model, Tensor tensor) {
    Recipe recipe;
    recipe.image = "a";
    recipe.weights = model.path();
    const auto read = reader_of(model);
    const auto trace = Runner([&](const std::string& path) -> File {
                           return path == "a" ? picture(50, 47) : read(path);
                       }).run(recipe);
    return axis_text(*trace, tensor, info(tensor).cols, trace->cols(tensor));
}

TEST(TensorText, two_rows_that_speak_for_the_image_are_twice_as_wide) {
    for (const Tensor tensor : {Tensor::pooled, Tensor::classifier_weight}) {
        EXPECT_EQ(columns_of({"deit_distilled"}, tensor), "2D = 48");
        EXPECT_EQ(columns_of({"timm"}, tensor), "D = 24");
    }
}

}  // namespace
}  // namespace headlight::screens
