#include <gtest/gtest.h>

#include "models.h"
#include "program/fields.h"
#include "state/session.h"
#include "support.h"

// Tokens given by commands: vectors, words, a signal; and returning to the picture.
namespace headlight {
namespace {

using testing::Desk;
using testing::small_state;

const VectorSet& vectors(const Desk& desk) {
    return std::get<VectorSet>(desk.state().recipe.tokens);
}
const Signal& signal(const Desk& desk) { return std::get<Signal>(desk.state().recipe.tokens); }

TEST(Tokens, take_the_place_of_the_picture_which_comes_back) {
    Desk desk(small_state(), testing::model_files());
    ASSERT_TRUE(desk.does("set temperature 0.5"));
    const Recipe on_picture = desk.state().recipe;
    ASSERT_TRUE(desk.does("vectors four")) << desk->notice().text;
    EXPECT_EQ(vectors(desk).vectors.size(), 4U);
    EXPECT_EQ(desk.state().recipe.variant.projections, Projections::none);
    EXPECT_EQ(desk.state().recipe.temperature, 1);  // an experiment of its own
    EXPECT_EQ(desk->trace()->shape.queries, 4);
    EXPECT_EQ(desk.selection().token, 0);
    EXPECT_EQ(desk.selection().step, Step::given);
    ASSERT_TRUE(desk.does("picture")) << desk->notice().text;
    EXPECT_EQ(desk.state().recipe, on_picture);
    ASSERT_NE(desk->trace()->image, nullptr);
    EXPECT_TRUE(desk.selection().token);
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(vectors(desk).vectors.size(), 4U);
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(desk.state().recipe, on_picture);
    EXPECT_FALSE(desk.does("picture"));
    desk.expect_notice("a picture is shown already");
}

TEST(Tokens, are_left_for_another_picture_with_the_picture_s_own_experiment) {
    for (const char* line : {"open b.ppm", "scene 7"}) {
        Desk desk(small_state(), testing::model_files());
        ASSERT_TRUE(desk.does("set channels 32"));
        ASSERT_TRUE(desk.does("signal waves"));
        ASSERT_TRUE(desk.does(line)) << desk->notice().text;
        EXPECT_FALSE(gives_tokens(desk.state().recipe.tokens));
        EXPECT_EQ(desk.state().recipe.channels, 32);
        EXPECT_EQ(desk.state().recipe.variant.projections, Projections::learned);
        EXPECT_FALSE(desk->notice().is_error) << desk->notice().text;
        ASSERT_NE(desk->trace()->image, nullptr);
    }
}

TEST(Tokens, are_typed_with_words_or_without) {
    Desk desk;
    ASSERT_TRUE(desk.does("vectors king=1.5,0.8 queen=1.5,-0.8 -1,2e-1")) << desk->notice().text;
    ASSERT_EQ(vectors(desk).vectors.size(), 3U);
    EXPECT_EQ(vectors(desk).vectors[0], (NamedVector{"king", {1.5F, 0.8F}}));
    EXPECT_EQ(vectors(desk).vectors[2], (NamedVector{"", {-1, 0.2F}}));
    EXPECT_EQ(token_name(desk->trace()->layout, 1), "queen");
    EXPECT_EQ(token_name(desk->trace()->layout, 2), "v₃");
    ASSERT_TRUE(desk.does("vectors \"by the=1,2,3\" a=b=0,0,1"));
    EXPECT_EQ(vectors(desk).vectors[0], (NamedVector{"by the", {1, 2, 3}}));
    EXPECT_EQ(vectors(desk).vectors[1], (NamedVector{"a=b", {0, 0, 1}}));
}

TEST(Tokens, are_refused_in_one_sentence_and_nothing_changes) {
    Desk desk;
    ASSERT_TRUE(desk.does("vectors four"));
    const State before = desk.state();
    const std::vector<std::pair<std::string, std::string>> cases{
        {"vectors five", "expected a number from -100 to 100, found \"five\""},
        {"vectors 1,2", "expected 2 to 12 of them, found 1"},
        {"vectors 1,2 3,4,5", "as many numbers as the first vector has, 2, found 3"},
        {"vectors 1,nan 2,3", "found \"nan\""},
        {"vectors 1,inf 2,3", "found \"inf\""},
        {"vectors 1,1e9 2,3", "found \"1e9\""},
        {"vectors 1,, 2,3", "found \"\""},
        {"vectors 1 2", "expected 2 or 3 numbers in each, found 1"},
        {"vectors 1,1 1,1 1,1 1,1 1,1 1,1 1,1 1,1 1,1 1,1 1,1 1,1 1,1", "found 13"},
        {"set-vector 5 1 1", "expected an integer from 1 to 4"},
        {"set-vector 1 1", "found \"set-vector 1 1\""},
        {"set-vector 1 1 1 1", "as many numbers as the first vector has, 3, found 2"},
        {"set-vector 2 1 1 1", "as many numbers as the first vector has, 2, found 3"},
        {"add-vector 1 2 3", "found 3"},
        {"delete-vector 0", "from 1 to 4"},
        {"name-vector 1 aaaaaaaaaaaaaaaaaaaaaaaaa", "a word of at most 24 bytes"},
        {"draw-signal 1 1", "there is no signal"},
        {"set noise 0.5", "there is no signal"},
        {"signal round", "steps, waves, pulses or drawn"}};
    for (const auto& [line, part] : cases) {
        EXPECT_FALSE(desk.does(line)) << line;
        desk.expect_notice(part);
        EXPECT_EQ(desk.state(), before) << line;
    }
    Desk on_picture;
    for (const char* line :
         {"set-vector 1 1 1", "add-vector 1 1", "delete-vector 1", "name-vector 1 a"}) {
        EXPECT_FALSE(on_picture.does(line));
        on_picture.expect_notice("there are no vectors to change");
    }
}

TEST(Tokens, a_drag_is_one_step_of_undo) {
    Desk desk;
    ASSERT_TRUE(desk.does("vectors four"));
    const VectorSet before = vectors(desk);
    for (const char* line : {"set-vector 1 1 0", "set-vector 1 1 1", "set-vector 1 0 2"})
        ASSERT_TRUE(desk.does(line));
    desk->end_gesture();
    ASSERT_TRUE(desk.does("set-vector 1 0 3"));
    const MatrixView x = desk->trace()->view(Tensor::tokens);
    EXPECT_EQ(x(0, 1), 3);
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(vectors(desk).vectors[0].at, (std::vector<float>{0, 2}));
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(vectors(desk), before);
}

TEST(Tokens, vectors_come_and_go) {
    Desk desk;
    ASSERT_TRUE(desk.does("vectors 1,0 0,1"));
    ASSERT_TRUE(desk.does("focus 1"));
    ASSERT_TRUE(desk.does("add-vector 1 1"));
    ASSERT_TRUE(desk.does("name-vector 3 both"));
    EXPECT_EQ(token_name(desk->trace()->layout, 2), "both");
    EXPECT_EQ(desk.selection().token, 1);
    ASSERT_TRUE(desk.does("delete-vector 1"));
    EXPECT_EQ(vectors(desk).vectors.size(), 2U);
    EXPECT_FALSE(desk.does("delete-vector 1"));
    desk.expect_notice("2 to 12");
    ASSERT_TRUE(desk.does("name-vector 2 \"\""));
    EXPECT_EQ(token_name(desk->trace()->layout, 1), "v₂");
}

TEST(Tokens, are_kept_by_a_session_and_the_way_back_too) {
    for (const char* line : {"vectors royal", "vectors space", "signal pulses", "signal drawn"}) {
        Desk desk;
        ASSERT_TRUE(desk.does(line)) << desk->notice().text;
        EXPECT_EQ(from_json(to_json(desk.state()), "s"), desk.state()) << line;
    }
    const auto why = [](const std::string& text) {
        try {
            from_json(text, "s");
        } catch (const SessionError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(why(R"({"recipe": {"tokens": {"vectors": [[1, 2]]}}})"),
              "s: vectors: expected 2 to 12 of them, found 1.");
    EXPECT_EQ(why(R"({"recipe": {"tokens": 3}})"), "s: tokens: expected an object, found 3.");
}

TEST(Tokens, what_was_changed_is_told_against_attention_without_weights) {
    Desk desk;
    ASSERT_TRUE(desk.does("vectors four"));
    ASSERT_TRUE(desk.does("set temperature 2"));
    ASSERT_TRUE(desk.does("set projections learned"));
    ASSERT_TRUE(desk.does("reset all"));
    EXPECT_EQ(desk.state().recipe.variant.projections, Projections::none);
    EXPECT_EQ(desk.state().recipe.temperature, 1);
    EXPECT_EQ(vectors(desk).vectors.size(), 4U);
}

// For whole models, and layers of another width.
TEST(Tokens, make_room_for_a_model_of_pictures_and_one_undo_brings_them_back) {
    for (const std::string file : {"timm", "layer"}) {
        Desk desk(small_state(), testing::model_files());
        ASSERT_TRUE(desk.does("set temperature 0.5"));
        ASSERT_TRUE(desk.does("vectors four"));
        const Recipe on_vectors = desk.state().recipe;
        ASSERT_TRUE(desk.does("open " + file + "/model.safetensors"));
        EXPECT_FALSE(desk->notice().is_error);
        EXPECT_EQ(
            desk->notice().text,
            file +
                " does not take vectors, so the picture is shown again. Ctrl+Z brings back the "
                "vectors.");
        EXPECT_EQ(desk.state().recipe.weights, file + "/model.safetensors");
        EXPECT_EQ(desk.state().recipe.image, "a.ppm");
        EXPECT_FALSE(gives_tokens(desk.state().recipe.tokens));
        ASSERT_NE(desk->trace()->image, nullptr);
        EXPECT_EQ(desk->trace()->model->file, file + "/model.safetensors");
        EXPECT_TRUE(desk.selection().token);
        ASSERT_TRUE(desk.does("undo"));
        EXPECT_EQ(desk.state().recipe, on_vectors);
        EXPECT_EQ(desk->trace()->shape.queries, 4);
        ASSERT_TRUE(desk.does("redo"));
        EXPECT_EQ(desk->trace()->model->file, file + "/model.safetensors");
    }
}

TEST(Tokens, that_a_scene_was_left_for_make_room_for_it_again) {
    Desk desk(small_state(), testing::model_files());
    ASSERT_TRUE(desk.does("scene 7"));
    ASSERT_TRUE(desk.does("signal waves"));
    ASSERT_TRUE(desk.does("set window 15"));
    ASSERT_TRUE(desk.does("open-model timm/model.safetensors"));
    EXPECT_FALSE(desk->notice().is_error) << desk->notice().text;
    EXPECT_TRUE(desk.state().recipe.scene);
    EXPECT_EQ(desk->trace()->model->file, "timm/model.safetensors");
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(signal(desk).window, 15);
}

// Commands in the meantime apply to vectors that the model does not accept.
TEST(Tokens, make_room_while_something_else_is_said) {
    Desk desk(small_state(), testing::model_files());
    ASSERT_TRUE(desk.does("vectors four"));
    ASSERT_TRUE(desk.say("open-model timm/model.safetensors"));
    ASSERT_TRUE(desk.does("set temperature 2"));
    EXPECT_FALSE(gives_tokens(desk.state().recipe.tokens));
    EXPECT_EQ(desk->trace()->model->file, "timm/model.safetensors");
    while (desk->can_undo() && !gives_tokens(desk.state().recipe.tokens)) desk.does("undo");
    EXPECT_EQ(desk.state().recipe.weights, "");
    EXPECT_EQ(vectors(desk).vectors.size(), 4U);
}

TEST(Tokens, stay_where_a_model_cannot_be_opened) {
    Desk desk(small_state(), testing::model_files());
    ASSERT_TRUE(desk.does("vectors four"));
    for (const char* file : {"bad.safetensors", "lost.pth", "wide.safetensors"}) {
        desk.does(std::string("open-model ") + file);
        EXPECT_TRUE(desk->notice().is_error) << file;
        EXPECT_EQ(desk.state().recipe.weights, "") << file;
        EXPECT_EQ(desk.state().recipe.variant.projections, Projections::none);
        EXPECT_EQ(vectors(desk).vectors.size(), 4U) << file;
    }
}

// For a layer that had other tokens before: no reason to close it.
TEST(Tokens, of_another_width_are_refused_by_the_layer_that_is_open) {
    auto files = [](const std::string& name) {
        return name == "two.safetensors" ? FileBytes(testing::layer_file(8, 2))
                                         : testing::model_files()(name);
    };
    Desk desk(small_state(), files);
    ASSERT_TRUE(desk.does("vectors four"));
    ASSERT_TRUE(desk.does("open-model two.safetensors"));
    EXPECT_FALSE(desk->notice().is_error) << desk->notice().text;
    EXPECT_EQ(vectors(desk).vectors.size(), 4U);
    ASSERT_TRUE(desk.does("vectors space"));
    desk.expect_notice("its layer takes tokens of 2 numbers, but these tokens have 3");
}

TEST(Tokens, a_picture_that_cannot_be_opened_leaves_them) {
    Desk desk;
    ASSERT_TRUE(desk.does("vectors four"));
    desk.does("open gone.png");
    EXPECT_TRUE(desk->notice().is_error);
    EXPECT_EQ(vectors(desk).vectors.size(), 4U);
    ASSERT_TRUE(desk.does("picture"));
    EXPECT_EQ(desk.state().recipe.image, "a.ppm");
}

// ---- a signal

TEST(Tokens, a_signal_s_fields_are_live) {
    Desk desk;
    ASSERT_TRUE(desk.does("signal steps"));
    EXPECT_EQ(desk->trace()->shape.queries, 152);
    ASSERT_TRUE(desk.does("set window 15"));
    EXPECT_EQ(desk->trace()->shape.queries, 146);
    EXPECT_EQ(desk->trace()->cols(Tensor::output), 15);
    EXPECT_FALSE(desk.does("set window 14"));
    desk.expect_notice("expected an odd number");
    EXPECT_EQ(signal(desk).window, 15);
    ASSERT_TRUE(desk.does("set noise 0"));
    EXPECT_EQ(desk->trace()->view(Tensor::curve).eigen(),
              desk->trace()->view(Tensor::clean_curve).eigen());
    ASSERT_TRUE(desk.does("signal waves"));  // keeps what was chosen
    EXPECT_EQ(signal(desk).window, 15);
    for (const char* name : {"curve", "samples", "window", "noise", "noise_seed"}) {
        const RecipeField* field = find_field(recipe_fields(), name);
        ASSERT_NE(field, nullptr);
        EXPECT_TRUE(applies(*field, *desk->trace())) << name;
        const SharedResult curve = desk->trace()->result(Tensor::output);
        ASSERT_TRUE(desk.does("set noise 0.5"));
        const std::string value = field->name == "curve"     ? "pulses"
                                  : field->name == "samples" ? "100"
                                  : field->name == "noise"   ? "0.7"
                                                             : "7";
        ASSERT_TRUE(desk.does("set " + std::string(name) + " " + value)) << desk->notice().text;
        EXPECT_EQ(field->get(desk.state().recipe), value);
        EXPECT_NE(desk->trace()->result(Tensor::output), curve) << name;
    }
}

TEST(Tokens, a_curve_is_drawn_by_hand_in_one_step_of_undo) {
    Desk desk;
    ASSERT_TRUE(desk.does("signal steps"));
    const Signal before = signal(desk);
    ASSERT_TRUE(desk.does("draw-signal 10 0 20 1"));
    ASSERT_TRUE(desk.does("draw-signal 30 1 20 0.5"));
    EXPECT_EQ(signal(desk).curve, Curve::drawn);
    ASSERT_EQ(signal(desk).drawn.size(), 160U);
    EXPECT_FLOAT_EQ(signal(desk).drawn[15], 0.5F);
    EXPECT_FLOAT_EQ(signal(desk).drawn[30], 1);
    EXPECT_FLOAT_EQ(signal(desk).drawn[20], 0.5F);
    EXPECT_FLOAT_EQ(signal(desk).drawn[0], 1);  // as it was
    EXPECT_FALSE(desk.does("draw-signal 160 0"));
    EXPECT_FALSE(desk.does("draw-signal 1 0 2"));
    EXPECT_FALSE(desk.does("draw-signal 1 nan"));
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(signal(desk), before);
}

}  // namespace
}  // namespace headlight
