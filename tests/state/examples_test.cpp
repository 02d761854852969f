#include "state/examples.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "state/command.h"
#include "support.h"
#include "tests/scratch_folder.h"

namespace headlight {
namespace {

using testing::Desk;

class Examples : public ::testing::Test {
  protected:
    std::filesystem::path write(const std::string& name, const std::string& text) const {
        return folder_.write(name, text);
    }
    [[nodiscard]] std::string refusal(const std::string& name) const {
        try {
            find_example(name, folder_.path());
        } catch (const CommandError& error) {
            return error.what();
        }
        return "";
    }

    ScratchFolder folder_;
};

TEST_F(Examples, say_what_they_show_in_their_first_two_lines) {
    const auto path =
        write("03-causal-mask.txt", "# Causal mask\n# None reads on.\nset mask causal\n");
    const Example example = read_example(path);
    EXPECT_EQ(example.trouble, "");
    EXPECT_EQ(example.name, "causal-mask");
    EXPECT_EQ(example.title, "Causal mask");
    EXPECT_EQ(example.words, "None reads on.");
    EXPECT_EQ(example.picture.filename(), "03-causal-mask.jpg");
}

TEST_F(Examples, may_say_what_to_try_and_ask_a_question) {
    const Example asks = read_example(
        write("a.txt", "# Does order matter?\n# It does.\n# Try: Shuffle.\nset mask causal\n"));
    EXPECT_EQ(asks.trouble, "");
    EXPECT_TRUE(is_question(asks));
    EXPECT_EQ(asks.tried, "Shuffle.");
    const Example shows = read_example(write("b.txt", "# Keras\n# A layer.\n# no task\n"));
    EXPECT_FALSE(is_question(shows));
    EXPECT_EQ(shows.tried, "");
}

TEST_F(Examples, without_those_lines_say_which_is_missing) {
    EXPECT_NE(
        read_example(write("a.txt", "set mask causal\n"))
            .trouble.find(
                "a.txt:1: expected a comment with the example's title, found \"set mask causal\"."),
        std::string::npos);
    EXPECT_NE(read_example(write("b.txt", "# Title\n\nstep mask\n"))
                  .trouble.find("b.txt:2: expected a comment with the example's description, found "
                                "nothing."),
              std::string::npos);
    EXPECT_NE(read_example(folder_.path() / "none.txt").trouble.find("none.txt"),
              std::string::npos);
}

TEST_F(Examples, come_in_the_order_of_their_numbers) {
    write("10-last.txt", "# L\n# l\n");
    write("2-second.txt", "# S\n# s\n");
    write("1-first.txt", "no title\n");
    write("1-first.jpg", "no picture");
    std::string names;
    for (const Example& example : examples_in(folder_.path())) names += example.name + " ";
    EXPECT_EQ(names, "first second last ");
    EXPECT_TRUE(examples_in(folder_.path() / "nowhere").empty());
}

TEST_F(Examples, are_found_by_name_or_file_or_refused_in_one_sentence) {
    const auto path = write("1-one.txt", "# One\n# There is one.\n");
    write("2-bad.txt", "step mask\n");
    EXPECT_EQ(find_example("one", folder_.path()).title, "One");
    EXPECT_EQ(find_example(path.string(), "/nowhere").title, "One");
    EXPECT_EQ(refusal("two"),
              "example: expected one, bad, or the path of an example's file, found \"two\".");
    EXPECT_NE(refusal("bad").find("2-bad.txt:1: expected a comment"), std::string::npos);
}

TEST(Group, of_changes_is_one_step_back) {
    Desk desk;
    ASSERT_TRUE(desk.does("set temperature 3"));
    const State before = desk.state();
    desk->begin_group();
    ASSERT_TRUE(desk.does("set mask causal"));
    ASSERT_TRUE(desk.does("set heads 2"));
    desk->end_gesture();
    ASSERT_TRUE(desk.does("step mask"));
    desk->end_group();
    ASSERT_TRUE(desk.does("set temperature 4"));
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(desk.state().recipe.heads, 2);
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_TRUE(same_choices(desk.state(), before));
}

TEST(Group, that_is_taken_back_leaves_nothing) {
    Desk desk;
    ASSERT_TRUE(desk.does("set temperature 3"));
    const State before = desk.state();
    desk->begin_group();
    ASSERT_TRUE(desk.does("set mask causal"));
    ASSERT_TRUE(desk.does("set heads 2"));
    desk->take_back_group();
    desk.settle();
    EXPECT_TRUE(same_choices(desk.state(), before));
    desk->begin_group();
    desk->take_back_group();  // nothing was changed
    EXPECT_TRUE(same_choices(desk.state(), before));
}

// The window opens a photograph after a scene together with the model for photographs.
TEST(Group, of_an_image_and_its_model_is_forgotten_if_the_image_is_none) {
    for (const bool with_other_change : {false, true}) {
        Desk desk;
        ASSERT_TRUE(desk.does("set temperature 2"));
        ASSERT_TRUE(desk.does("scene 3"));
        ASSERT_TRUE(desk.does("focus 5"));
        const State before = desk.state();
        desk->begin_group();
        ASSERT_TRUE(desk.say("open text.ppm"));
        ASSERT_TRUE(desk.say("open-model w.safetensors 1"));
        desk->end_group();
        if (with_other_change) {
            ASSERT_TRUE(desk.say("set overlay false"));
        }
        desk.settle();
        desk.expect_notice("text.ppm");
        EXPECT_EQ(desk.state().recipe, before.recipe);
        EXPECT_EQ(desk.state().selection, before.selection);
        const int steps = with_other_change ? 3 : 2;  // the scene, the token and the other change
        for (int i = 0; i < steps; ++i) ASSERT_TRUE(desk.does("undo"));
        EXPECT_FALSE(desk.state().recipe.scene);
        EXPECT_EQ(desk.state().recipe.image, "a.ppm");
        EXPECT_EQ(desk.state().recipe.temperature, 2);
    }
}

TEST(Group, keeps_a_model_that_was_opened_by_itself) {
    Desk desk;
    ASSERT_TRUE(desk.does("scene 3"));
    ASSERT_TRUE(desk.say("open text.ppm"));
    ASSERT_TRUE(desk.say("open-model w.safetensors"));
    desk.settle();
    desk.expect_notice("text.ppm");
    EXPECT_TRUE(desk.state().recipe.scene);
    EXPECT_TRUE(desk.state().recipe.weights.ends_with("w.safetensors"));
}

// Recomputing the state before the group must not remove the error message.
TEST(Group, that_is_taken_back_says_why) {
    Desk desk;
    desk->begin_group();
    ASSERT_TRUE(desk.does("set heads 3"));  // of 16 channels
    desk->take_back_group("No such thing.");
    desk.settle();
    desk.expect_notice("No such thing.");
    EXPECT_EQ(desk.state().recipe.heads, std::nullopt);
    ASSERT_TRUE(desk.does("set heads 2"));
    EXPECT_EQ(desk->notice().text, "");
}

TEST(FirstLook, chooses_a_token_as_a_start_does) {
    const Desk fresh;
    Desk desk;
    ASSERT_TRUE(desk.does("vectors four"));
    desk->begin_first_look(testing::small_state());
    desk.settle();
    EXPECT_TRUE(same_choices(desk.state(), fresh.state()));
    ASSERT_TRUE(desk.does("release"));
    ASSERT_TRUE(desk.does("release"));
    EXPECT_EQ(desk.selection().token, std::nullopt);
    desk->begin_first_look(testing::small_state());  // its result already exists
    desk.settle();
    EXPECT_TRUE(same_choices(desk.state(), fresh.state()));
}

TEST(Defaults, reach_the_picture_behind_the_tokens) {
    Desk desk;
    ASSERT_TRUE(desk.does("set temperature 0.2"));
    ASSERT_TRUE(desk.does("set mask causal"));
    ASSERT_TRUE(desk.does("vectors four"));
    ASSERT_TRUE(desk.does("set score additive"));
    ASSERT_TRUE(desk.does("defaults"));
    EXPECT_EQ(desk.state().recipe.variant.score, std::nullopt);
    ASSERT_TRUE(desk.does("picture"));
    EXPECT_EQ(desk.state().recipe.temperature, 1);
    EXPECT_TRUE(desk.state().recipe.mask.empty());
    EXPECT_EQ(desk.state().recipe.image, "a.ppm");
}

}  // namespace
}  // namespace headlight
