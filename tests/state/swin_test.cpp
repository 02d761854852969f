#include <gtest/gtest.h>

#include <cmath>

#include "models.h"
#include "state/all_heads.h"
#include "state/figure_maps.h"
#include "state/position_study.h"
#include "support.h"

// A model whose stages have tokens of their own: analyses of one token in all layers.
namespace headlight {
namespace {

using testing::Desk;
using testing::model_files;
using testing::small_state;

// Two stages; its pictures are 16 × 16, which gives 8 × 8 and then 4 × 4 tokens.
Desk opened(int layer) {
    State state = small_state();
    state.recipe.image_height = state.recipe.image_width = 16;
    state.recipe.weights = "swin/model.safetensors";
    state.recipe.layer = layer - 1;
    return Desk(std::move(state), model_files());
}

TokenQuestion question_of(Desk& desk, Index token) {
    return {desk->trace(), desk->summary(), token, Reading::from};
}

TEST(SwinDesk, a_token_is_read_where_it_lies_in_every_stage) {
    Desk desk = opened(3);
    ASSERT_NE(desk->trace(), nullptr) << desk->notice().text;
    const Trace& trace = *desk->trace();
    ASSERT_EQ(trace.grid.cols, 4);
    const TokenQuestion question = question_of(desk, 6);  // row 1, column 2: of pixels 4–8, 8–12
    const TokenInLayers found = compute_across_layers(question);
    ASSERT_EQ(found.maps.size(), 4U);
    for (int b = 0; b < 4; ++b) {
        const auto there = token_in_layer(question, b, 6);
        ASSERT_TRUE(there);
        const int across = b < 2 ? 8 : 4, row = static_cast<int>(*there) / across,
                  col = static_cast<int>(*there) % across;
        if (b < 2) {
            EXPECT_EQ(row / 2, 1);
            EXPECT_EQ(col / 2, 2);
        } else {
            EXPECT_EQ(*there, 6);
        }
        const MatrixView map = found.maps[static_cast<std::size_t>(b)]->view();
        EXPECT_EQ(map.rows, b < 2 ? 2 : 4);
        EXPECT_EQ(map.cols, across * across);
        for (Index h = 0; h < map.rows; ++h) EXPECT_NEAR(map.eigen().row(h).sum(), 1, 1e-5);
    }
    // Equals the layer's own attention, bit for bit.
    for (Index h = 0; h < 4; ++h)
        EXPECT_EQ(Matrix(found.maps[2]->view().eigen().row(h)),
                  Matrix(trace.view(Tensor::attention, 0, h).eigen().row(6)));
}

TEST(SwinDesk, a_token_is_followed_to_the_end_in_the_last_stage_alone) {
    Desk late = opened(4), early = opened(1);
    EXPECT_TRUE(has_last_tokens(*late->trace()));
    EXPECT_FALSE(has_last_tokens(*early->trace()));
    const TokenInLayers of_late = compute_across_layers(question_of(late, 5)),
                        of_early = compute_across_layers(question_of(early, 5));
    const TokenInStream &followed = of_late.stream.at(0), &lost = of_early.stream.at(0);
    ASSERT_NE(followed.likeness, nullptr);
    EXPECT_EQ(followed.likeness->view().rows, 2);
    EXPECT_EQ(followed.likeness->view().cols, 16);
    EXPECT_EQ(followed.lens.rows(), 2);
    EXPECT_EQ(lost.likeness, nullptr);
    EXPECT_EQ(lost.lens.size(), 0);
    EXPECT_NE(of_early.maps[3], nullptr);
}

TEST(SwinDesk, maps_over_other_tokens_are_in_no_group) {
    Desk desk = opened(3);
    auto said = std::make_shared<TokenFinder::Said>();
    said->question = question_of(desk, 3);
    said->answer = compute_across_layers(said->question);
    const HeadGroups found = group_heads({said});
    EXPECT_EQ(found.order.size(), 8U);  // those of layers 3 and 4
    for (const HeadPlace& place : found.order) EXPECT_GE(place.layer, 2);
}

TEST(SwinDesk, the_token_in_focus_stays_at_its_place_from_stage_to_stage) {
    Desk desk = opened(3);
    ASSERT_TRUE(desk.does("focus 6"));
    ASSERT_TRUE(desk.does("layer 1"));
    ASSERT_TRUE(desk.selection().token);
    EXPECT_EQ(*desk.selection().token / 8 / 2, 1);
    EXPECT_EQ(*desk.selection().token % 8 / 2, 2);
    ASSERT_TRUE(desk.does("layer 4"));
    EXPECT_EQ(desk.selection().token, 6);
}

TEST(SwinDesk, a_figure_of_all_layers_is_refused) {
    Desk desk = opened(1);
    try {
        (void)figure_maps(figure_question(*desk.operator->()));
        FAIL() << "expected a refusal";
    } catch (const std::exception& error) {
        EXPECT_EQ(std::string(error.what()),
                  "figure: expected layers with the same number of heads and patches, found layers "
                  "1 to 2 with 2 heads, layers 3 to 4 with 4, and each stage has a quarter of the "
                  "tokens of the one before.");
    }
}

// The bias depends on offsets within a window, in any layer.
TEST(SwinDesk, positions_are_those_within_a_window) {
    for (const int layer : {1, 4}) {
        Desk desk = opened(layer);
        PositionQuestion question{
            desk->trace(), desk.state().recipe.position, desk.state().recipe.position, {}};
        question.beside.kind = PositionKind::sinusoidal;
        const PositionStudy study = study_positions(question);
        ASSERT_TRUE(study.bias);
        const int size = desk->trace()->model_layer().window.size;
        EXPECT_EQ(study.bias->rows, size);
        ASSERT_EQ(study.bias->heads.size(), layer == 1 ? 2U : 4U);
        const MatrixView picture = study.bias->heads[1].picture->view(),
                         table = desk->trace()->view(Tensor::relative_table);
        EXPECT_EQ(picture.rows, 2 * size - 1);
        EXPECT_EQ(picture(size - 1, size - 1), table(table.rows / 2, 1));
        EXPECT_NEAR(study.bias->heads[1].properties.offset_spread, 0, 1e-7);
    }
}

TEST(SwinDesk, a_rollout_is_refused_and_what_was_there_stays) {
    Desk desk = opened(1);
    const auto before = desk->trace();
    ASSERT_TRUE(desk.does("set rollout mean"));
    desk.expect_notice("Rollout multiplies the attention of all layers");
    EXPECT_EQ(desk->trace(), before);
}

}  // namespace
}  // namespace headlight
