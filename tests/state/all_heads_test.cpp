#include "state/all_heads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/similarity.h"
#include "support.h"

// What the screen of all heads asks for, without a window.
namespace headlight {
namespace {

using testing::Desk;

std::shared_ptr<const TokenReader::Said> maps_of(Desk& desk, Index token) {
    auto said = std::make_shared<TokenReader::Said>();
    said->question = {desk->trace(), desk->summary(), token, Reading::from};
    said->answer = look_through_layers(said->question);
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
    // Two in one group are alike, as two groups as a whole are not.
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
                EXPECT_LT(sum / count, kAlike);
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
        const TokenInLayers found = look_through_layers(several);
        EXPECT_EQ(found.made, 3 * 4);
        std::size_t q = 0;
        for (const Index token : {5, 9, 2}) {
            TokenQuestion one = several;
            one.token = token;
            one.also.clear();
            expect_same(found.of(q++), look_through_layers(one).maps);
        }
    }
}

TEST(AllHeads, that_are_known_are_not_computed_again) {
    Desk desk;
    TokenReader::Said before;
    before.question = {desk->trace(), desk->summary(), 5, Reading::from, {9}};
    before.answer = look_through_layers(before.question);
    TokenQuestion more = before.question;
    more.token = 9;
    more.also = {2, 5};
    const TokenInLayers found = look_through_layers(more, {}, &before);
    EXPECT_EQ(found.made, 4);
    EXPECT_EQ(found.of(0), before.answer.of(1));
    EXPECT_EQ(found.of(2), before.answer.of(0));
    expect_same(found.of(1), look_through_layers(more).of(1));
    // Columns are not rows, nor another result's.
    more.reading = Reading::by;
    EXPECT_EQ(look_through_layers(more, {}, &before).made, 12);
    more.reading = Reading::from;
    ASSERT_TRUE(desk.does("set temperature 2"));
    more.trace = desk->trace();
    more.summary = desk->summary();
    EXPECT_EQ(look_through_layers(more, {}, &before).made, 12);
}

}  // namespace
}  // namespace headlight
