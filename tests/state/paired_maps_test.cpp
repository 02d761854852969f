#include "state/paired_maps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models.h"
#include "support.h"

// The maps of two results, head by head.
namespace headlight {
namespace {

using testing::Desk;

std::shared_ptr<const TokenFinder::Said> answer_to(TokenQuestion question) {
    auto said = std::make_shared<TokenFinder::Said>();
    said->question = std::move(question);
    said->answer = compute_across_layers(said->question);
    return said;
}

// The question of the Heads screen: the current tokens, and those at the same positions in the
// baseline.
PairQuestion pair_of(Desk& desk, Index token, std::vector<Index> also = {},
                     Reading reading = Reading::from) {
    const TokenQuestion now{desk->trace(), desk->summary(), token, reading, std::move(also)};
    return {answer_to(now), answer_to(asked_of(desk->pinned_trace(), desk->pinned_summary(), now))};
}

struct Naive {
    double correlation = 0, variation = 0;
};
Naive naive(const MatrixView& a, const MatrixView& b) {
    double mean_a = 0, mean_b = 0, n = 0;
    for (Index r = 0; r < a.rows; ++r)
        for (Index c = 0; c < a.cols; ++c) mean_a += a(r, c), mean_b += b(r, c), n += 1;
    mean_a /= n, mean_b /= n;
    double ab = 0, aa = 0, bb = 0, apart = 0;
    for (Index r = 0; r < a.rows; ++r)
        for (Index c = 0; c < a.cols; ++c) {
            const double x = a(r, c) - mean_a, y = b(r, c) - mean_b;
            ab += x * y, aa += x * x, bb += y * y;
            apart += std::abs(static_cast<double>(a(r, c)) - b(r, c));
        }
    return {ab / std::sqrt(aa * bb), apart / 2};
}

void expect_pairs(const PairQuestion& question, const PairedMaps& found, std::size_t heads) {
    EXPECT_EQ(found.why_not, "");
    ASSERT_EQ(found.pairs.size(), question.now->question.also.size() + 1);
    for (std::size_t q = 0; q < found.pairs.size(); ++q) {
        float reach = 0;
        ASSERT_EQ(found.pairs[q].size(), heads);
        for (const auto& [place, pair] : found.pairs[q]) {
            const auto other =
                same_head(*question.now->question.trace, *question.before->question.trace, place);
            ASSERT_TRUE(other);
            const MatrixView a = patches_in(*question.now, place, q),
                             b = patches_in(*question.before, *other, q);
            ASSERT_EQ(a.rows * a.cols, question.now->question.trace->grid.count());
            const MatrixView less = pair.difference->view();
            for (Index r = 0; r < a.rows; ++r)
                for (Index c = 0; c < a.cols; ++c) {
                    EXPECT_EQ(less(r, c), a(r, c) - b(r, c));
                    reach = std::max(reach, std::abs(less(r, c)));
                }
            EXPECT_NEAR(pair.correlation, naive(a, b).correlation, 1e-6);
            const MatrixView all = tokens_in(*question.now, place, q),
                             others = tokens_in(*question.before, *other, q);
            ASSERT_EQ(all.cols, question.now->question.trace->layout.count());
            EXPECT_NEAR(pair.variation, naive(all, others).variation, 1e-6);
        }
        EXPECT_EQ(found.reach[q], reach);
        EXPECT_GT(reach, 0);
    }
}

TEST(PairedMaps, are_subtracted_and_measured_for_every_head_and_query) {
    Desk desk(testing::small_state(), testing::model_files());
    ASSERT_TRUE(desk.does("open-model timm/model.safetensors"));
    ASSERT_TRUE(desk.say("pin"));
    ASSERT_TRUE(desk.does("open b.ppm"));
    for (const Reading reading : {Reading::from, Reading::by}) {
        const PairQuestion question = pair_of(desk, 3, {0, 5}, reading);
        const PairedMaps found = pair_all(question);
        EXPECT_EQ(found.unpaired, "");
        expect_pairs(question, found, desk->trace()->model->layers.size() * 3);
    }
}

// The map itself, as in the trace.
TEST(PairedMaps, are_rows_of_the_two_traces_attention) {
    Desk desk;
    ASSERT_TRUE(desk.say("pin"));
    ASSERT_TRUE(desk.does("set temperature 3"));
    const PairedMaps found = pair_all(pair_of(desk, 6));
    for (int head = 0; head < 4; ++head) {
        const MatrixView now = desk->trace()->view(Tensor::attention, 0, head),
                         before = desk->pinned_trace()->view(Tensor::attention, 0, head);
        const MatrixView less = found.pairs[0].at({0, head}).difference->view();
        for (Index j = 0; j < 16; ++j)
            EXPECT_NEAR(less(j / 4, j % 4), now(6, j) - before(6, j), 1e-6) << head << " " << j;
    }
}

// For a row, the part on patches; for a column, the part from patches; relative to all tokens.
TEST(PatchShare, is_what_a_map_shows_of_its_row_or_column) {
    Desk desk(testing::small_state(), testing::model_files());
    ASSERT_TRUE(desk.does("open-model timm/model.safetensors"));
    const Trace& trace = *desk->trace();
    const Index prefix = trace.layout.prefix(), tokens = trace.layout.count();
    ASSERT_GT(prefix, 0);
    for (const Reading reading : {Reading::from, Reading::by}) {
        const auto said = answer_to({desk->trace(), desk->summary(), 3, reading, {0}});
        for (std::size_t q = 0; q < 2; ++q) {
            const Index token = q == 0 ? 3 : 0;
            double patches_of_all = 0, of_all = 0;
            for (int head = 0; head < 3; ++head) {
                const MatrixView a = trace.view(Tensor::attention, 0, head);
                double patches = 0, all = 0;
                for (Index j = 0; j < tokens; ++j) {
                    const double cell = reading == Reading::from ? a(token, j) : a(j, token);
                    all += cell;
                    if (j >= prefix) patches += cell;
                }
                const auto share = patch_share(*said, HeadPlace{trace.layer, head}, q);
                ASSERT_TRUE(share);
                EXPECT_NEAR(*share, patches / all, 1e-6);
                EXPECT_LT(*share, 1);
                patches_of_all += patches;
                of_all += all;
            }
            const std::vector<HeadPlace> together{
                {trace.layer, 0}, {trace.layer, 1}, {trace.layer, 2}};
            EXPECT_NEAR(patch_share(*said, together, q).value_or(-1), patches_of_all / of_all,
                        1e-6);
        }
        EXPECT_FALSE(patch_share(*said, HeadPlace{99, 0}, 0));
    }
}

TEST(PairedMaps, of_another_grid_stand_beside_each_other_only) {
    Desk desk;
    ASSERT_TRUE(desk.say("focus 15"));
    ASSERT_TRUE(desk.say("pin"));
    ASSERT_TRUE(desk.does("set patch_size 8"));
    const PairQuestion question = pair_of(desk, 63);
    EXPECT_EQ(question.before->question.token, 15);
    const PairedMaps found = pair_all(question);
    EXPECT_EQ(found.why_not,
              "There is no difference map, because this result has 8 × 8 patches and the baseline "
              "has 4 × 4.");
    EXPECT_TRUE(found.pairs.empty());
}

TEST(PairedMaps, of_models_with_other_heads_are_those_that_both_have) {
    Desk desk;
    ASSERT_TRUE(desk.say("pin"));
    ASSERT_TRUE(desk.does("set heads 2"));
    const PairQuestion fewer = pair_of(desk, 5);
    const PairedMaps found = pair_all(fewer);
    expect_pairs(fewer, found, 2);
    EXPECT_EQ(found.unpaired, "Comparing the same layers and heads: 2 heads are only in “before”.");
    ASSERT_TRUE(desk.say("swap"));
    const PairQuestion more = pair_of(desk, 5);
    const PairedMaps turned = pair_all(more);
    expect_pairs(more, turned, 2);
    EXPECT_EQ(turned.unpaired, "Comparing the same layers and heads: 2 heads are only in “after”.");
    // Swapped, the sign changes.
    const HeadPlace first{0, 0};
    EXPECT_EQ(turned.pairs[0].at(first).difference->view().eigen(),
              -found.pairs[0].at(first).difference->view().eigen());
    EXPECT_DOUBLE_EQ(turned.pairs[0].at(first).variation, found.pairs[0].at(first).variation);
}

// T2T's first blocks do not count as layers of other models.
TEST(PairedMaps, count_layers_behind_the_token_transformers) {
    Desk desk(testing::small_state(), testing::model_files());
    ASSERT_TRUE(desk.does("open-model timm/model.safetensors"));
    ASSERT_TRUE(desk.say("pin"));
    ASSERT_TRUE(desk.does("open-model t2t/model.safetensors"));
    const Trace &t2t = *desk->trace(), &timm = *desk->pinned_trace();
    const int first = t2t.model->token_transformers();
    ASSERT_GT(first, 0);
    EXPECT_EQ(same_head(timm, t2t, {0, 1}), (HeadPlace{first, 1}));
    EXPECT_EQ(same_head(t2t, timm, {first, 1}), (HeadPlace{0, 1}));
    EXPECT_EQ(same_head(t2t, timm, {0, 0}), std::nullopt);
    const int last = static_cast<int>(timm.model->layers.size());
    EXPECT_EQ(same_head(timm, timm, {last, 0}), std::nullopt);
}

// ---- each query's own residual stream

TEST(PairedMaps, know_what_every_query_is_in_the_stream) {
    Desk desk(testing::small_state(), testing::model_files());
    ASSERT_TRUE(desk.does("open-model timm/model.safetensors"));
    const TokenQuestion several{desk->trace(), desk->summary(), 4, Reading::from, {0, 7}};
    const TokenInLayers found = compute_across_layers(several);
    ASSERT_EQ(found.stream.size(), 3U);
    std::size_t q = 0;
    for (const Index token : {4, 0, 7}) {
        TokenQuestion one = several;
        one.token = token;
        one.also.clear();
        const TokenInLayers alone = compute_across_layers(one);
        EXPECT_EQ(found.stream[q].lens, alone.stream[0].lens);
        EXPECT_EQ(found.stream[q].likeness->view().eigen(),
                  alone.stream[0].likeness->view().eigen());
        ++q;
    }
    EXPECT_NE(found.stream[0].lens, found.stream[1].lens);
    // Asked again in another order: nothing is recomputed or mixed up.
    TokenFinder::Said before{several, found, {}};
    TokenQuestion turned = several;
    turned.token = 7;
    turned.also = {4};
    const TokenInLayers again = compute_across_layers(turned, {}, &before);
    EXPECT_EQ(again.made, 0);
    EXPECT_EQ(again.stream[0].likeness, found.stream[2].likeness);
    EXPECT_EQ(again.stream[1].likeness, found.stream[0].likeness);
}

TEST(PairedMaps, groups_are_those_of_the_query_that_is_asked_for) {
    Desk desk;
    ASSERT_TRUE(desk.does("set heads 8"));
    const auto several = answer_to({desk->trace(), desk->summary(), 5, Reading::from, {9}});
    const auto alone = answer_to({desk->trace(), desk->summary(), 9, Reading::from, {}});
    const HeadGroups found = group_heads({several, 1}), expected = group_heads({alone});
    EXPECT_EQ(found.order, expected.order);
    EXPECT_EQ(found.group, expected.group);
}

}  // namespace
}  // namespace headlight
