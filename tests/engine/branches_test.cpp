#include "encoder/branches.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "encoder/layers.h"
#include "encoder/runner.h"
#include "model_files.h"
#include "ops/limits.h"
#include "picture.h"

// The size of what a layer adds, relative to the residual stream. (Against PyTorch:
// heads_golden_test.cpp.)
namespace headlight::branches_test {
namespace {

std::shared_ptr<const Trace> run(const GoldenModel& model) {
    Recipe recipe;
    recipe.image = "a";
    recipe.weights = model.path();
    const FileReader read = reader_of(model);
    return Runner([read](const std::string& path) -> File {
               return path == "a" ? FileBytes(picture(50, 47)) : read(path);
           })
        .run(recipe);
}

// What a layer adds is its output minus its input.
TEST(Branches, are_what_the_stream_gains) {
    for (const char* name : {"timm", "timm_registers", "dinov2", "clip_openai", "beit"}) {
        const auto trace = run({name});
        const auto found = branch_sizes(*trace, {});
        ASSERT_EQ(found.size(), trace->model->layers.size()) << name;
        for (std::size_t b = 0; b < found.size(); ++b) {
            constexpr std::array keep{Tensor::residual1};
            const Trace own = compute_layer(*trace, static_cast<int>(b), {}, {}, {keep, {}});
            const Matrix input = trace->stream[b]->view().eigen(),
                         middle = own.view(Tensor::residual1).eigen(),
                         output = trace->stream[b + 1]->view().eigen();
            ASSERT_EQ(found[b].attention.size(), static_cast<std::size_t>(input.rows())) << name;
            ASSERT_EQ(found[b].mlp.size(), found[b].attention.size()) << name;
            for (Index t = 0; t < input.rows(); ++t) {
                const auto at = static_cast<std::size_t>(t);
                EXPECT_NEAR(found[b].attention[at],
                            (middle.row(t) - input.row(t)).norm() / input.row(t).norm(), 1e-5)
                    << name;
                EXPECT_NEAR(found[b].mlp[at],
                            (output.row(t) - middle.row(t)).norm() / middle.row(t).norm(), 1e-5)
                    << name;
            }
        }
    }
}

TEST(Branches, of_a_head_that_is_off_are_smaller_by_what_it_wrote) {
    const auto trace = run({"timm"});
    Counterfactual off;
    for (int h = 0; h < 3; ++h) off.switched_off.push_back({1, h});
    const auto with = branch_sizes(*trace, {}), without = branch_sizes(*trace, off);
    EXPECT_EQ(with[0].attention, without[0].attention);
    EXPECT_NE(with[1].attention, without[1].attention);  // the projection's bias remains
}

TEST(Branches, say_how_far_they_are_and_can_be_stopped) {
    const auto trace = run({"timm"});
    std::vector<float> parts;
    static_cast<void>(branch_sizes(*trace, {}, [&](float part) { parts.push_back(part); }));
    EXPECT_EQ(parts.back(), 1);
    EXPECT_THROW(static_cast<void>(branch_sizes(*trace, {}, {}, [] { return true; })), Stopped);
    EXPECT_THROW(static_cast<void>(branch_sizes(Trace{}, {})), RecipeError);
}

TEST(Branches, have_a_mean_over_the_tokens) {
    EXPECT_EQ(mean_of({1, 2, 6}), 3);
    EXPECT_TRUE(std::isnan(mean_of({})));
}

}  // namespace
}  // namespace headlight::branches_test
