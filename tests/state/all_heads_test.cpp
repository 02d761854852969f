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

}  // namespace
}  // namespace headlight
