#include "state/all_heads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/prediction.h"
#include "analysis/similarity.h"
#include "encoder/run_scene.h"
#include "models.h"
#include "support.h"

// The background computations of the Heads screen, without a window.
namespace headlight {
namespace {

using testing::Desk;

std::shared_ptr<const TokenFinder::Said> maps_of(Desk& desk, Index token) {
    auto said = std::make_shared<TokenFinder::Said>();
    said->question = {desk->trace(), desk->summary(), token, Reading::from};
    said->answer = compute_across_layers(said->question);
    return said;
}

double alike(const TokenInLayers& all, const HeadPlace& a, const HeadPlace& b) {
    const auto row = [&](const HeadPlace& at) {
        const MatrixView maps = all.maps[static_cast<std::size_t>(at.layer)]->view();
        return maps.block(at.head, 0, 1, maps.cols);
    };
    return correlation(row(a), row(b));
}

int group_of(const HeadGroups& groups, const HeadPlace& place) {
    const auto found = std::ranges::find(groups.order, place);
    return groups.group.at(static_cast<std::size_t>(found - groups.order.begin()));
}

TEST(AllHeads, are_grouped_by_how_alike_their_maps_are) {
    Desk desk;
    ASSERT_TRUE(desk.does("set heads 8"));
    const auto said = maps_of(desk, 5);
    const HeadGroups found = group_heads({said});
    ASSERT_EQ(found.order.size(), 8U);
    EXPECT_TRUE(std::ranges::is_sorted(found.group));
    EXPECT_EQ(found.groups, found.group.back() + 1);
    // Heads within a group are similar; different groups as a whole are not.
    for (int group = 0; group < found.groups; ++group) {
        std::vector<HeadPlace> inside, outside;
        for (const HeadPlace& place : found.order)
            (group_of(found, place) == group ? inside : outside).push_back(place);
        for (int other = 0; other < found.groups; ++other) {
            double sum = 0;
            int count = 0;
            for (const HeadPlace& a : inside)
                for (const HeadPlace& b : outside)
                    if (group_of(found, b) == other) {
                        sum += alike(said->answer, a, b);
                        ++count;
                    }
            if (count > 0) {
                EXPECT_LT(sum / count, 0.5);
            }
        }
    }
    EXPECT_EQ(std::ranges::find(found.order, HeadPlace{0, 8}), found.order.end());
}

// ---- several queries

void expect_same(const MapsOfToken& found, const MapsOfToken& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t b = 0; b < found.size(); ++b)
        EXPECT_EQ(found[b]->view().eigen(), expected[b]->view().eigen());
}

TEST(AllHeads, of_several_queries_are_those_of_each) {
    Desk desk;
    for (const Reading reading : {Reading::from, Reading::by}) {
        const TokenQuestion several{desk->trace(), desk->summary(), 5, reading, {9, 2}};
        const TokenInLayers found = compute_across_layers(several);
        EXPECT_EQ(found.made, 3 * 4);
        std::size_t q = 0;
        for (const Index token : {5, 9, 2}) {
            TokenQuestion one = several;
            one.token = token;
            one.also.clear();
            expect_same(found.of(q++), compute_across_layers(one).maps);
        }
    }
}

TEST(AllHeads, that_are_known_are_not_computed_again) {
    Desk desk;
    TokenFinder::Said before;
    before.question = {desk->trace(), desk->summary(), 5, Reading::from, {9}};
    before.answer = compute_across_layers(before.question);
    TokenQuestion more = before.question;
    more.token = 9;
    more.also = {2, 5};
    const TokenInLayers found = compute_across_layers(more, {}, &before);
    EXPECT_EQ(found.made, 4);
    EXPECT_EQ(found.of(0), before.answer.of(1));
    EXPECT_EQ(found.of(2), before.answer.of(0));
    expect_same(found.of(1), compute_across_layers(more).of(1));
    // Columns differ from rows, and from another result's.
    more.reading = Reading::by;
    EXPECT_EQ(compute_across_layers(more, {}, &before).made, 12);
    more.reading = Reading::from;
    ASSERT_TRUE(desk.does("set temperature 2"));
    more.trace = desk->trace();
    more.summary = desk->summary();
    EXPECT_EQ(compute_across_layers(more, {}, &before).made, 12);
}

TEST(AllHeads, are_grouped_from_a_correlation_on_that_is_chosen) {
    Desk desk;
    ASSERT_TRUE(desk.does("set heads 8"));
    GroupQuestion question{maps_of(desk, 5)};
    question.alike = -1;
    EXPECT_EQ(group_heads(question).groups, 1);
    question.alike = 1;
    EXPECT_EQ(group_heads(question).groups, 8);
    EXPECT_FALSE(desk.does("set heads_alike 1.5"));
    ASSERT_TRUE(desk.does("set heads_alike 0.25"));
    question.alike = desk.state().look.heads_alike;
    const HeadGroups found = group_heads(question);
    ASSERT_EQ(found.joined.size(), 8U);
    EXPECT_TRUE(std::isnan(found.joined[0]));
    // Heads within a group were merged below the distance at which groups end.
    for (std::size_t i = 1; i < 8; ++i)
        EXPECT_EQ(found.joined[i] < 0.25, found.group[i] != found.group[i - 1]) << i;
}

// ---- the class in question

struct WithClasses : Desk {
    WithClasses() : Desk(testing::small_state(), testing::model_files()) {
        EXPECT_TRUE(does("open-model timm/model.safetensors"));
        EXPECT_TRUE(does("set image_height 48"));
        EXPECT_TRUE(does("set image_width 48"));
    }
    std::optional<Index> asked() {
        return class_in_question(state().look, *(*this)->trace()->model, (*this)->summary()->top);
    }
    Index answer() { return (*this)->summary()->top.front().index; }
    Matrix logits() { return (*this)->trace()->view(Tensor::logits).eigen(); }
};

TEST(ChosenClass, is_the_answer_until_one_is_chosen) {
    WithClasses desk;
    EXPECT_EQ(desk.asked(), desk.answer());
    const Index other = desk.answer() == 0 ? 1 : 0;
    const std::string name = class_name(*desk->trace()->model, other);
    ASSERT_TRUE(desk.does("heads-class \"" + name + "\""));
    EXPECT_EQ(desk.asked(), other);
    EXPECT_EQ(desk.state().look.heads_class, other);
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(desk.asked(), desk.answer());
    ASSERT_TRUE(desk.does("heads-class " + std::to_string(other)));
    EXPECT_EQ(desk.asked(), other);
    ASSERT_TRUE(desk.does("heads-class"));
    EXPECT_EQ(desk.asked(), desk.answer());
    // Also by the field; a number without a class means the predicted one.
    ASSERT_TRUE(desk.does("set heads_class " + std::to_string(other)));
    EXPECT_EQ(desk.asked(), other);
    ASSERT_TRUE(desk.does("set heads_class 9999"));
    EXPECT_EQ(desk.asked(), desk.answer());
    ASSERT_TRUE(desk.does("set heads_class answer"));
    EXPECT_EQ(desk.state().look.heads_class, std::nullopt);
}

TEST(ChosenClass, that_there_is_not_is_refused_in_one_sentence) {
    WithClasses desk;
    EXPECT_FALSE(desk.does("heads-class \"no such thing\""));
    desk.expect_notice("classes is called \"no such thing\".");
    EXPECT_FALSE(desk.does("heads-class 9999"));
    EXPECT_FALSE(desk.does("heads-class -1"));
    EXPECT_EQ(desk.state().look.heads_class, std::nullopt);
    Desk bare;
    EXPECT_FALSE(bare.does("heads-class 0"));
    bare.expect_notice("has no classes");
}

// Compared with runs of the whole model with each head switched off: the change of a class that is
// not the predicted one.
TEST(ChosenClass, is_what_importance_and_contributions_are_of) {
    WithClasses desk;
    const Index other = desk.answer() == 0 ? 1 : 0;
    ASSERT_TRUE(desk.does("heads-class " + std::to_string(other)));
    const EffectQuestion question{desk->trace(), {}, *desk.asked()};
    Studies studies;
    studies.ask(kImportance, question);
    studies.ask(kContributions, question);
    while (studies.busy()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const auto effects = studies.last(kImportance);
    ASSERT_EQ(effects->error, "");
    const Matrix before = desk.logits();
    EXPECT_NEAR(studies.last(kContributions)->answer.sum(), before(0, other), 1e-4);
    const double share = class_probabilities(before)[static_cast<std::size_t>(other)];
    const HeadEffects& off = effects->answer.off;
    ASSERT_EQ(off.size(), 2U);
    for (std::size_t b = 0; b < off.size(); ++b)
        for (std::size_t h = 0; h < off[b].size(); ++h) {
            const std::string said =
                "switch-head " + std::to_string(b + 1) + " " + std::to_string(h + 1);
            ASSERT_TRUE(desk.does(said));
            const Matrix without = desk.logits();
            ASSERT_TRUE(desk.does(said));
            EXPECT_NEAR(off[b][h].logit, without(0, other) - before(0, other), 1e-5);
            EXPECT_NEAR(off[b][h].probability,
                        class_probabilities(without)[static_cast<std::size_t>(other)] - share,
                        1e-6);
        }
}

}  // namespace
}  // namespace headlight
