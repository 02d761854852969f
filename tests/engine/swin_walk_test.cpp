#include <gtest/gtest.h>

#include "encoder/contributions.h"
#include "encoder/lens.h"
#include "encoder/nearest.h"
#include "encoder/reorder.h"
#include "encoder/runner.h"
#include "encoder/token_maps.h"
#include "model_files.h"
#include "naive.h"
#include "ops/limits.h"
#include "patches/patches.h"
#include "picture.h"
#include "trace/token_rows.h"

// A model of two stages, walked through layer by layer: 8 × 8 tokens, then 4 × 4.
namespace headlight::swin_walk_test {
namespace {

FileReader with_picture() {
    return [read = reader_of(GoldenModel{"swin"})](const std::string& path) -> File {
        return path == "a" ? FileBytes(picture(50, 47)) : read(path);
    };
}

Recipe recipe_of(int layer) {
    Recipe recipe;
    recipe.image = "a";
    recipe.weights = GoldenModel{"swin"}.path();
    recipe.layer = layer;
    return recipe;
}

std::shared_ptr<const Trace> walk(const Recipe& recipe) {
    return Runner(with_picture()).run(recipe);
}

// Moving between layers, over a merge and back, leaves nothing from previous layers.
TEST(SwinWalk, is_the_same_whichever_layer_was_looked_at_before) {
    Runner runner(with_picture());
    for (const int layer : {0, 2, 3, 2, 1, 3, 0}) {
        const auto now = runner.run(recipe_of(layer)), alone = walk(recipe_of(layer));
        EXPECT_EQ(now->steps(), alone->steps());
        EXPECT_EQ(now->grid.rows, layer < 2 ? 8 : 4);
        EXPECT_EQ(now->layout.count(), layer < 2 ? 64 : 16);
        for (const TensorInfo& tensor : all_tensors()) {
            ASSERT_EQ(now->has(tensor.id), alone->has(tensor.id)) << layer << " " << tensor.name;
            EXPECT_TRUE(naive::identical(now->all(tensor.id), alone->all(tensor.id)))
                << layer << " " << tensor.name;
        }
    }
}

TEST(SwinWalk, changes_of_one_head_reach_the_end_through_the_merge) {
    Runner runner(with_picture());
    Recipe recipe = recipe_of(1);
    const auto before = runner.run(recipe);
    recipe.switched_off = {{1, 0}};
    const auto off = runner.run(recipe);
    EXPECT_NE(before->version(Tensor::logits), off->version(Tensor::logits));
    EXPECT_TRUE(naive::identical(off->all(Tensor::logits), walk(recipe)->all(Tensor::logits)));
    EXPECT_EQ(before->stream[1]->version(), off->stream[1]->version());
}

TEST(SwinWalk, a_mask_of_ones_own_is_joined_to_the_windows) {
    Recipe recipe = recipe_of(0);
    recipe.mask = {{MaskKind::no_self}};
    const auto plain = walk(recipe_of(0)), masked = walk(recipe);
    for (Index q = 0; q < 64; ++q)
        for (Index k = 0; k < 64; ++k) {
            const float before = plain->view(Tensor::scores, 0, 0)(q, k),
                        now = masked->view(Tensor::scores, 0, 0)(q, k);
            EXPECT_EQ(now, q == k ? -naive::kInfinity : before);
        }
}

// With other positions than the model's: no bias, but the windows stay.
TEST(SwinWalk, without_its_bias_the_windows_stay) {
    Recipe recipe = recipe_of(1);
    recipe.position.kind = PositionKind::none;
    const auto trace = walk(recipe), own = walk(recipe_of(1));
    EXPECT_FALSE(trace->has(Step::relative_bias));
    for (Index q = 0; q < 64; ++q)
        for (Index k = 0; k < 64; ++k)
            EXPECT_EQ(std::isinf(trace->view(Tensor::scores, 0, 1)(q, k)),
                      std::isinf(own->view(Tensor::scores, 0, 1)(q, k)));
}

TEST(SwinWalk, a_row_stands_for_a_token_of_its_own_grid_alone) {
    const auto early = walk(recipe_of(0)), late = walk(recipe_of(2));
    EXPECT_TRUE(shares_tokens(*early, Tensor::patches));
    EXPECT_FALSE(shares_tokens(*early, Tensor::norm));
    EXPECT_FALSE(shares_tokens(*late, Tensor::patches));
    EXPECT_TRUE(shares_tokens(*late, Tensor::norm));
    EXPECT_EQ(token_of_row(*late, Tensor::merge_input, 3), -1);
    EXPECT_EQ(token_of_row(*late, Tensor::merge_gathered, 3), 3);
}

// Analyses through the layers start where the tokens are those of the last layer.
TEST(SwinWalk, is_followed_to_the_end_from_the_last_merge_on) {
    const auto trace = walk(recipe_of(3));
    const Matrix lens = logit_lens(*trace, std::nullopt);
    ASSERT_EQ(lens.rows(), 2);  // after the third layer, and after the last
    EXPECT_TRUE(naive::close(
        Matrix(lens.bottomRows(1)),
        [&] {
            naive::Table table(1, lens.cols());
            for (Index c = 0; c < lens.cols(); ++c) table(0, c) = trace->view(Tensor::logits)(0, c);
            return table;
        }(),
        1e-5));
    const Matrix cosines = cosines_to_outputs(*trace, 5);
    EXPECT_EQ(cosines.rows(), 2);
    EXPECT_EQ(cosines.cols(), 16);
    const Contributions parts = contributions_to(*trace, {}, 1);
    EXPECT_NEAR(parts.sum(), trace->view(Tensor::logits)(0, 1), 1e-4);
    EXPECT_TRUE(parts.heads[2].empty());
    EXPECT_EQ(parts.heads[3].size(), 4U);
}

TEST(SwinWalk, refuses_in_words_what_needs_the_same_tokens_everywhere) {
    Recipe rolled = recipe_of(0);
    rolled.rollout.emplace();
    EXPECT_EQ(naive::sentence_of<RecipeError>([&] { (void)walk(rolled); }),
              "Rollout multiplies the attention of all layers, so all of them need the same "
              "tokens. This model has layers 1 to 2 with 2 heads, layers 3 to 4 with 4, and each "
              "stage has a quarter of the tokens of the one before. Switch rollout off.");
    const auto trace = walk(recipe_of(0));
    EXPECT_NE(
        naive::sentence_of<RecipeError>([&] { (void)tokens_to_order(*trace); }).find("windows"),
        std::string::npos);
    EXPECT_EQ(naive::sentence_of<AnalysisError>([&] { expect_alike_layers(*trace->model); }),
              "expected layers with the same number of heads and patches, found layers 1 to 2 with "
              "2 heads, layers 3 to 4 with 4, and each stage has a quarter of the tokens of the "
              "one before.");
}

TEST(SwinWalk, reads_pictures_of_other_sizes_that_its_windows_divide) {
    Recipe recipe = recipe_of(3);
    recipe.image_height = 32;
    recipe.image_width = 16;
    const auto trace = walk(recipe);
    EXPECT_EQ(trace->grid.rows, 8);
    EXPECT_EQ(trace->grid.cols, 4);
    recipe.image_height = 20;
    EXPECT_NE(naive::sentence_of<PatchError>([&] { (void)walk(recipe); })
                  .find("multiples of 8 pixels, so that every layer's tokens fill its windows, "
                        "found 20 × 16"),
              std::string::npos);
}

}  // namespace
}  // namespace headlight::swin_walk_test
