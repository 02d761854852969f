#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models.h"
#include "state/session.h"
#include "support.h"

// Several query tokens, each in its own hue.
namespace headlight {
namespace {

using testing::Desk;
using testing::model_files;
using Tokens = std::vector<int>;

TEST(Queries, come_and_go_one_by_one) {
    Desk desk;
    ASSERT_TRUE(desk.say("focus 5"));
    EXPECT_TRUE(desk.say("query 9"));
    EXPECT_TRUE(desk.say("query 2"));
    EXPECT_EQ(desk.selection().token, 5);
    EXPECT_EQ(desk.selection().also, (Tokens{9, 2}));
    EXPECT_TRUE(desk.say("query 9"));
    EXPECT_EQ(desk.selection().also, (Tokens{2}));
    // Without the first, the second becomes the main query.
    EXPECT_TRUE(desk.say("query 5"));
    EXPECT_EQ(desk.selection().token, 2);
    EXPECT_EQ(desk.selection().also, Tokens{});
    EXPECT_TRUE(desk.say("query 2"));
    EXPECT_EQ(desk.selection().token, 2);
}

TEST(Queries, are_pinned_by_those_who_choose_them_and_not_by_a_first_look) {
    const auto back = [](Desk& desk) {
        return from_json(to_json(desk.state()), "session").selection.token_chosen;
    };
    for (const char* says : {"focus 10", "query 9", "queries 10", "cell 10 3"}) {
        Desk desk;
        ASSERT_TRUE(desk.say("step softmax"));
        EXPECT_EQ(desk.selection().token, 10);  // the middle of 4 × 4
        EXPECT_FALSE(desk.selection().token_chosen);
        EXPECT_FALSE(back(desk));
        ASSERT_TRUE(desk.say(says)) << says;
        EXPECT_TRUE(desk.selection().token_chosen) << says;
        EXPECT_TRUE(back(desk)) << says;
        ASSERT_TRUE(desk.does("undo"));
        EXPECT_EQ(desk.selection().token, 10) << says;
        EXPECT_FALSE(desk.selection().token_chosen) << says;
    }
}

TEST(Queries, are_taken_back_each_by_itself) {
    Desk desk;
    desk.say("focus 5");
    desk.say("query 9");
    desk.say("query 2");
    EXPECT_TRUE(desk.does("undo"));
    EXPECT_EQ(desk.selection().also, (Tokens{9}));
    EXPECT_TRUE(desk.does("undo"));
    EXPECT_EQ(desk.selection().also, Tokens{});
    EXPECT_EQ(desk.selection().token, 5);
    EXPECT_TRUE(desk.does("redo"));
    EXPECT_EQ(desk.selection().also, (Tokens{9}));
}

TEST(Queries, are_said_all_at_once_and_let_go_by_a_focus_or_escape) {
    Desk desk;
    for (const char* ends : {"focus 3", "focus 4", "release", "queries"}) {
        ASSERT_TRUE(desk.say("queries 3 12 7"));
        EXPECT_EQ(desk.selection().token, 3);
        EXPECT_EQ(desk.selection().also, (Tokens{12, 7}));
        EXPECT_TRUE(desk.say(ends));
        EXPECT_EQ(desk.selection().also, Tokens{}) << ends;
        EXPECT_TRUE(desk.selection().token) << ends;
    }
}

TEST(Queries, that_cannot_be_are_refused_and_change_nothing) {
    Desk desk;
    ASSERT_TRUE(desk.say("queries 0 1 2 3 4 5"));
    const State before = desk.state();
    for (const auto& [line, why] : {std::pair{"query 6", "Remove one first"},
                                    {"query 16", "0 to 15"},
                                    {"query x", "query"},
                                    {"queries 1 1", "twice"},
                                    {"queries 0 1 2 3 4 5 6", "found 7"},
                                    {"queries 1 16", "0 to 15"}}) {
        EXPECT_FALSE(desk.say(line)) << line;
        desk.expect_notice(why);
        EXPECT_EQ(desk.state(), before) << line;
    }
    EXPECT_TRUE(desk.say("query 3"));
    EXPECT_TRUE(desk.say("query 6"));
}

TEST(Queries, without_a_token_in_focus_begin_with_the_usual_one) {
    Desk desk;
    desk.say("release");
    desk.say("release");
    ASSERT_FALSE(desk.selection().token);
    EXPECT_TRUE(desk.say("query 3"));
    EXPECT_EQ(desk.selection().token, 10);  // the middle of 4 × 4
    EXPECT_EQ(desk.selection().also, (Tokens{3}));
}

TEST(Queries, lie_at_the_same_places_for_another_model) {
    Desk desk(testing::small_state(), model_files());
    ASSERT_TRUE(desk.say("queries 0 15 12"));  // corners of 4 × 4
    ASSERT_TRUE(desk.does("open-model timm/model.safetensors"));
    const PatchGrid& grid = desk->trace()->grid;
    const auto prefix = static_cast<int>(desk->trace()->layout.prefix());
    EXPECT_EQ(desk.selection().token, prefix);
    EXPECT_EQ(desk.selection().also,
              (Tokens{prefix + grid.count() - 1, prefix + (grid.rows - 1) * grid.cols}));
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(desk.selection().token, 0);
    EXPECT_EQ(desk.selection().also, (Tokens{15, 12}));
}

// With fewer tokens, some queries coincide or do not exist; they come back with the larger grid.
TEST(Queries, that_fall_together_are_one_until_they_are_apart_again) {
    Desk desk;
    ASSERT_TRUE(desk.say("queries 3 15 14"));
    ASSERT_TRUE(desk.does("set patch_size 32"));  // 2 × 2
    for (const int token : desk.selection().also) {
        EXPECT_LT(token, 4);
        EXPECT_NE(token, desk.selection().token);
    }
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(desk.selection().also, (Tokens{15, 14}));
}

TEST(Queries, are_kept_in_a_session) {
    Desk desk;
    ASSERT_TRUE(desk.say("queries 3 15 14"));
    EXPECT_EQ(from_json(to_json(desk->chosen()), "s").selection, desk.selection());
    const auto read = [](const std::string& selection) {
        return from_json("{\"selection\": " + selection + "}", "s").selection.also;
    };
    EXPECT_EQ(read(R"({"token": 3, "also": [5, 3, 5, 1]})"), (Tokens{5, 1}));
    EXPECT_EQ(read(R"({"also": [5]})"), Tokens{});
    EXPECT_EQ(read(R"({"token": 0, "also": [1, 2, 3, 4, 5, 6, 7]})"), (Tokens{1, 2, 3, 4, 5}));
    for (const char* wrong : {"5", "\"a\"", "[\"a\"]", "[-1]", "[1.5]", "[null]", "{\"a\": 1}"})
        EXPECT_THROW(read("{\"token\": 3, \"also\": " + std::string(wrong) + "}"), SessionError)
            << wrong;
}

}  // namespace
}  // namespace headlight
