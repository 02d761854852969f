#include <gtest/gtest.h>

#include "state/fields.h"
#include "state/order_study.h"
#include "state/session.h"
#include "support.h"

// The order of the patches: choosing and studying it.
namespace headlight {
namespace {

using testing::Desk;

std::string order(const Desk& desk) { return find_field("order")->get(desk.state()); }

OrderQuestion question(Desk& desk, const std::vector<std::string>& orders) {
    OrderQuestion asked{desk->trace(), desk->trace_recipe(), {}};
    for (const std::string& text : orders) asked.orders.push_back(order_from_text(text));
    return asked;
}

TEST(Order, is_set_undone_and_kept_in_a_session) {
    Desk desk;
    EXPECT_EQ(order(desk), "none");
    ASSERT_TRUE(desk.does("set order \"mirrored + shifted 0 1\""));
    desk->end_gesture();
    ASSERT_TRUE(desk.does("set order \"seed 4 of 3\""));
    desk->end_gesture();
    ASSERT_TRUE(desk.does("set order \"seed 4 of 3 + exchanged 1-2\""));
    desk->end_gesture();
    const State kept = desk.state();
    EXPECT_EQ(from_json(to_json(kept), "s").look.order, kept.look.order);
    EXPECT_EQ(kept.look.order.exchanged.size(), 1U);
    for (const char* before : {"seed 4 of 3", "mirrored + shifted 0 1", "none"}) {
        ASSERT_TRUE(desk.does("undo"));
        EXPECT_EQ(order(desk), before);
    }
    ASSERT_TRUE(desk.does("redo"));
    EXPECT_EQ(order(desk), "mirrored + shifted 0 1");
}

TEST(Order, is_refused_in_one_sentence) {
    Desk desk;
    EXPECT_FALSE(desk.does("set order backwards"));
    desk.expect_notice("order: expected none, or changes such as");
    desk.expect_notice("found \"backwards\"");
    EXPECT_EQ(order(desk), "none");
}

// The syntax of older sessions and lessons.
TEST(Order, by_a_seed_alone_is_a_shuffle_of_all) {
    Desk desk;
    ASSERT_TRUE(desk.does("set shuffle_seed 5"));
    EXPECT_EQ(order(desk), "seed 5");
    ASSERT_TRUE(desk.does("set shuffle_seed 0"));
    EXPECT_EQ(order(desk), "none");
    EXPECT_EQ(to_text(from_json(R"({"look": {"shuffle_seed": 9}})", "s").look.order), "seed 9");
}

// Every valid order can be saved and read at the next start.
TEST(Order, of_every_kind_outlives_the_program) {
    Desk desk;
    for (const char* text :
         {"seed 20000", "seed 999999 of 999999", "mirrored", "shifted 999999 999999",
          "exchanged 0-999999", "mirrored + shifted 1 2 + seed 10000 of 3 + exchanged 3-7 4-1"}) {
        ASSERT_TRUE(desk.does("set order \"" + std::string(text) + "\"")) << text;
        EXPECT_EQ(to_text(from_json(to_json(desk.state()), "s").look.order), text);
    }
    EXPECT_EQ(to_json(desk.state()).find("shuffle_seed"), std::string::npos) << "the order says it";
    ASSERT_TRUE(desk.does("set shuffle_seed 999999"));
    EXPECT_FALSE(desk.does("set order \"seed 1000000\""));
    EXPECT_FALSE(desk.does("set shuffle_seed 1000000"));
    // A session that earlier versions wrote but could not read.
    const char* damaged = R"({"look": {"order": "seed 20000", "shuffle_seed": 20000}})";
    EXPECT_EQ(to_text(from_json(damaged, "s").look.order), "seed 20000");
}

TEST(OrderStudy, is_of_each_order_that_was_asked) {
    Desk desk;
    ASSERT_TRUE(desk.does("set positions sinusoidal"));
    std::shared_ptr<const PlainRuns> kept;
    const auto found = study_orders(question(desk, {"none", "mirrored", "exchanged 0-5"}), kept);
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0].with_positions.most, 0);
    for (std::size_t i = 1; i < found.size(); ++i) {
        EXPECT_TRUE(is_same(found[i], Positions::none)) << i;
        EXPECT_FALSE(is_same(found[i], Positions::as_they_are)) << i;
        EXPECT_EQ(found[i].with_positions.plain.output, kept->with_positions.output)
            << "it is run once";
    }
    EXPECT_EQ(found[2].order[0], 5);
    EXPECT_EQ(found[2].order[5], 0);
    EXPECT_EQ(found[2].order[1], 1);
    const auto before = kept;
    (void)study_orders(question(desk, {"shifted 0 1"}), kept);
    EXPECT_EQ(kept, before);
    ASSERT_TRUE(desk.does("set temperature 3"));
    (void)study_orders(question(desk, {"shifted 0 1"}), kept);
    EXPECT_NE(kept, before) << "another experiment has other plain runs";
}

TEST(OrderStudy, refuses_a_place_that_there_is_not_before_anything_is_run) {
    Desk desk;
    std::shared_ptr<const PlainRuns> kept;
    EXPECT_THROW(study_orders(question(desk, {"exchanged 0-16"}), kept), OrderError);
    EXPECT_EQ(kept, nullptr);
    EXPECT_THROW(study_orders(question(desk, {"mirrored"}), kept, [] { return true; }), Stopped);
}

// 1e-5 of an output is not rounding error, which is about a thousandth of that.
TEST(OrderStudy, a_weak_bias_is_no_rounding) {
    Desk desk;
    ASSERT_TRUE(desk.does("set positions relative"));
    std::shared_ptr<const PlainRuns> kept;
    for (const char* strength : {"1", "0.001", "0.0001"}) {
        ASSERT_TRUE(desk.does("set position_strength " + std::string(strength)));
        const OrderStudy found = study_orders(question(desk, {"seed 3"}), kept)[0];
        EXPECT_TRUE(is_same(found, Positions::none)) << strength;
        EXPECT_FALSE(is_same(found, Positions::as_they_are))
            << strength << ": " << found.with_positions.most << " against "
            << found.without_positions.most << " of " << found.without_positions.largest;
    }
    ASSERT_TRUE(desk.does("set position_strength 0"));
    EXPECT_TRUE(is_same(study_orders(question(desk, {"seed 3"}), kept)[0], Positions::as_they_are));
}

TEST(OrderStudy, says_what_else_tells_the_order) {
    Desk desk;
    std::shared_ptr<const PlainRuns> kept;
    const auto found = [&] { return study_orders(question(desk, {"seed 3"}), kept)[0]; };
    ASSERT_TRUE(desk.does("set mask no_self"));
    EXPECT_EQ(found().told_by, "");
    EXPECT_TRUE(is_same(found(), Positions::none));
    ASSERT_TRUE(desk.does("set mask causal"));
    EXPECT_EQ(found().told_by, "a mask");
    EXPECT_FALSE(is_same(found(), Positions::none));
    ASSERT_TRUE(desk.does("set mask none"));
    ASSERT_TRUE(desk.does("set dropout_attention 0.5"));
    EXPECT_EQ(found().told_by, "dropout");
    EXPECT_FALSE(is_same(found(), Positions::none));
}

TEST(OrderStudy, of_a_row_of_words) {
    Desk desk;
    ASSERT_TRUE(desk.does("vectors hello"));
    std::shared_ptr<const PlainRuns> kept;
    EXPECT_TRUE(
        is_same(study_orders(question(desk, {"mirrored"}), kept)[0], Positions::as_they_are));
    ASSERT_TRUE(desk.does("set positions sinusoidal"));
    const OrderStudy placed = study_orders(question(desk, {"mirrored"}), kept)[0];
    EXPECT_EQ(placed.order, (std::vector<Index>{3, 2, 1, 0}));
    EXPECT_TRUE(is_same(placed, Positions::none));
    EXPECT_FALSE(is_same(placed, Positions::as_they_are));
}

}  // namespace
}  // namespace headlight
