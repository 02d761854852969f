#include "state/patching.h"

#include <algorithm>

#include "models.h"
#include "support.h"

// Tokens and layers of the baseline, patched into the current result.
namespace headlight {
namespace {

using testing::Desk;

// timm's model on two pictures: "a.ppm" is the baseline, "b.ppm" is current.
class TwoPictures : public ::testing::Test {
  protected:
    void SetUp() override {
        ASSERT_TRUE(desk.does("open-model timm/model.safetensors"));
        ASSERT_TRUE(desk.does("set image_height 48"));
        ASSERT_TRUE(desk.does("set image_width 48"));
        ASSERT_TRUE(desk.does("pin"));
        ASSERT_TRUE(desk.does("open b.ppm"));
        ASSERT_NE(desk->trace(), desk->pinned_trace());
    }
    [[nodiscard]] StreamPatchQuestion question() const {
        const Model& model = *desk.trace()->model;
        return {{{desk.trace(), counterfactual_of(desk.recipe(), model), 1},
                 desk.pinned(),
                 counterfactual_of(*desk.state().pinned, model)}};
    }

    struct Shown : Desk {
        using Desk::Desk;
        [[nodiscard]] const std::shared_ptr<const Trace>& trace() const {
            return const_cast<Shown&>(*this)->trace();
        }
        [[nodiscard]] const std::shared_ptr<const Trace>& pinned() const {
            return const_cast<Shown&>(*this)->pinned_trace();
        }
        [[nodiscard]] const Recipe& recipe() const {
            return const_cast<Shown&>(*this)->trace_recipe();
        }
    };
    Shown desk{testing::small_state(), testing::model_files()};
};

void wait_for(const Studies& studies) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (studies.busy() && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_FALSE(studies.busy());
}

TEST_F(TwoPictures, are_patched_token_by_token_and_layer_by_layer) {
    Studies studies;
    studies.ask(kTokenPatching, question());
    studies.ask(kLayerPatching, question());
    wait_for(studies);
    const auto tokens = studies.last(kTokenPatching);
    const auto layers = studies.last(kLayerPatching);
    ASSERT_TRUE(tokens && layers);
    EXPECT_EQ(tokens->error, "");
    EXPECT_TRUE(tokens->whole);
    const TokenEffects& found = tokens->answer;
    const TokenEffects expected = patch_tokens({*desk.trace(), {}}, {*desk.pinned(), {}}, 1);
    EXPECT_EQ(found.tokens, expected.tokens);
    EXPECT_EQ(found.all, expected.all);
    for (const HeadEffect& effect : found.all)
        EXPECT_NEAR(effect.logit, found.from.logit - found.now.logit, 1e-6);
    ASSERT_EQ(layers->error, "");
    EXPECT_EQ(layers->answer.layers.size(), desk.trace()->model->layers.size());
}

// Selecting another layer gives another trace of the same result.
TEST_F(TwoPictures, are_no_other_question_at_another_layer) {
    const StreamPatchQuestion before = question();
    const auto trace = desk.trace();
    ASSERT_TRUE(desk.does("layer 2"));
    ASSERT_NE(desk.trace(), trace);
    EXPECT_TRUE(before == question());
    ASSERT_TRUE(desk.does("switch-head 1 1"));
    EXPECT_FALSE(before == question());
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_TRUE(before == question());
    ASSERT_TRUE(desk.does("open c.ppm"));
    EXPECT_FALSE(before == question());
    StreamPatchQuestion other = question();
    other.of.now.of_class = 0;
    EXPECT_FALSE(other == question());
}

}  // namespace
}  // namespace headlight
