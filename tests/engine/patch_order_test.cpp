#include "patches/patch_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace headlight::patch_order_test {
namespace {

std::vector<Index> identity(Index count) {
    std::vector<Index> order;
    for (Index i = 0; i < count; ++i) order.push_back(i);
    return order;
}

std::string complaint(const std::string& text) {
    try {
        (void)order_from_text(text);
    } catch (const OrderError& error) {
        return error.what();
    }
    return "none";
}

TEST(DrawnOrder, has_every_number_once_and_is_the_same_for_a_seed) {
    const std::vector<Index> order = drawn_order(100, 7);
    EXPECT_EQ(std::set<Index>(order.begin(), order.end()).size(), 100);
    EXPECT_EQ(*std::ranges::max_element(order), 99);
    EXPECT_EQ(order, drawn_order(100, 7));
    EXPECT_NE(order, drawn_order(100, 8));
    EXPECT_EQ(drawn_order(1, 0), std::vector<Index>{0});
}

TEST(PatchOrder, in_order_is_as_it_is) {
    EXPECT_TRUE(PatchOrder().in_order());
    EXPECT_EQ(order_of({}, 3, 4), identity(12));
    PatchOrder shuffled;
    shuffled.seed = 7;
    EXPECT_FALSE(shuffled.in_order());
    EXPECT_EQ(order_of(shuffled, 10, 10), drawn_order(100, 7));
}

// Place by place, by definition.
TEST(PatchOrder, mirrors_and_shifts_what_goes_out_comes_in_again) {
    PatchOrder how;
    how.mirrored = true;
    const std::vector<Index> mirrored = order_of(how, 3, 4);
    how.down = 1;
    how.right = 6;
    const std::vector<Index> both = order_of(how, 3, 4);
    how.mirrored = false;
    const std::vector<Index> shifted = order_of(how, 3, 4);
    for (int row = 0; row < 3; ++row)
        for (int col = 0; col < 4; ++col) {
            const auto from = static_cast<std::size_t>(row * 4 + col);
            EXPECT_EQ(mirrored[from], row * 4 + 3 - col);
            const auto to = static_cast<std::size_t>((row + 1) % 3 * 4 + (col + 6) % 4);
            EXPECT_EQ(shifted[to], row * 4 + col);
            EXPECT_EQ(both[to], mirrored[from]) << "the mirror comes first";
        }
}

TEST(PatchOrder, a_few_change_places_among_themselves) {
    PatchOrder how;
    how.seed = 3;
    how.few = 6;
    const std::vector<Index> order = order_of(how, 10, 10);
    EXPECT_EQ(std::set<Index>(order.begin(), order.end()).size(), 100);
    int moved = 0;
    for (Index i = 0; i < 100; ++i) moved += order[static_cast<std::size_t>(i)] != i ? 1 : 0;
    EXPECT_GE(moved, 2);
    EXPECT_LE(moved, 6);
    how.few = 500;
    EXPECT_EQ(order_of(how, 10, 10), drawn_order(100, 3));
}

TEST(PatchOrder, exchanges_one_pair_after_the_other) {
    PatchOrder how;
    how.exchanged = {{0, 2}, {2, 5}};
    EXPECT_EQ(order_of(how, 2, 3), (std::vector<Index>{2, 1, 5, 3, 4, 0}));
    how.exchanged.emplace_back(1, 6);
    EXPECT_THROW(static_cast<void>(order_of(how, 2, 3)), OrderError);
}

TEST(PatchOrder, is_said_and_read_back) {
    EXPECT_EQ(to_text({}), "none");
    EXPECT_EQ(order_from_text("none"), PatchOrder());
    const std::string text = "mirrored + shifted 2 1 + seed 3 of 5 + exchanged 3-7 4-1";
    const PatchOrder order = order_from_text(text);
    EXPECT_EQ(order, (PatchOrder{true, 2, 1, 3, 5, {{3, 7}, {4, 1}}}));
    EXPECT_EQ(to_text(order), text);
    EXPECT_EQ(to_text(order_from_text("seed 3")), "seed 3");
    for (const std::string wrong :
         {"", "seed", "seed 0", "seed 3 of", "seed 3 of 1", "shifted 1", "shifted -1 0",
          "mirrored shifted 0 1", "mirrored +", "exchanged", "exchanged 3", "exchanged 3-x",
          "exchanged 3-", "seed 99999999999999999999", "left", "none + mirrored",
          // Syntax that would be reordered, is given twice, or is unknown.
          "seed 3 + mirrored", "shifted 0 1 + mirrored", "exchanged 0-1 + seed 3",
          "mirrored + mirrored", "shifted 0 1 + shifted 0 2", "seed 3 + seed 4",
          "exchanged 0-1 + exchanged 1-2", "exchanged 3-3", "exchanged 0-1 4-4"})
        EXPECT_NE(complaint(wrong).find("Expected " + std::string(kOrderForm)), std::string::npos)
            << wrong;
    EXPECT_NE(complaint("left").find("found \"left\""), std::string::npos);
}

}  // namespace
}  // namespace headlight::patch_order_test
