#include "state/figure_maps.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "encoder/run_scene.h"
#include "gradient/class_maps.h"
#include "models.h"
#include "state/fields.h"
#include "state/paired_maps.h"
#include "support.h"

// The data of a figure, and the command line that draws the same.
namespace headlight {
namespace {

using testing::Desk;
using testing::model_files;

std::string line_of(Desk& desk) {
    const FigureLine line = figure_line(*desk.operator->(), figure_question(*desk.operator->()));
    EXPECT_NE(line.text.empty(), line.why_not.empty());
    return line.text.empty() ? line.why_not : line.text;
}

// For the layer in view, whose attention is available.
TEST(Figure, is_of_the_numbers_of_each_query) {
    Desk desk(testing::small_state(), model_files());
    ASSERT_TRUE(desk.does("open-model timm/model.safetensors"));
    ASSERT_TRUE(desk.does("layer 2"));
    ASSERT_TRUE(desk.say("queries 3 7 0"));
    const Trace& trace = *desk->trace();
    const Index prefix = trace.layout.prefix();
    for (const char* reading : {"from", "by"}) {
        ASSERT_TRUE(desk.say(std::string("set reading ") + reading));
        const std::vector<TokenMaps> found = figure_maps(figure_question(*desk.operator->())).now;
        ASSERT_EQ(found.size(), 3U);
        ASSERT_EQ(found[0].layers.size(), trace.model->layers.size());
        EXPECT_EQ(found[2].token, 0);
        for (const TokenMaps& maps : found)
            for (Index h = 0; h < maps.heads; ++h) {
                const MatrixView attention = trace.view(Tensor::attention, 0, h),
                                 map = maps.map(1, h);
                for (Index p = 0; p < maps.grid.count(); ++p) {
                    const Index row = reading[0] == 'f' ? maps.token : prefix + p,
                                col = reading[0] == 'f' ? prefix + p : maps.token;
                    ASSERT_EQ(map(p / maps.grid.cols, p % maps.grid.cols), attention(row, col));
                }
            }
    }
}

TEST(Figure, has_a_line_that_names_only_what_is_unusual) {
    Desk desk(testing::small_state(), model_files());
    ASSERT_TRUE(desk.does("open-model timm/model.safetensors"));
    ASSERT_TRUE(desk.does("focus 0"));
    const std::string files = "headlight figure --model timm/model.safetensors --image a.ppm";
    EXPECT_EQ(line_of(desk), files +
                                 " --query class --scale even --resolution 2 --out "
                                 "figure.svg");
    for (const char* line : {"queries 3 0", "set attention_scale linear", "set figure_resolution 1",
                             "set figure_layers 1", "set figure_caption own",
                             "set figure_words \"it's\"", "set reading by"})
        ASSERT_TRUE(desk.say(line));
    EXPECT_EQ(line_of(desk), files +
                                 " --query token3,class --reading by --layers 1 --caption "
                                 "'it'\\''s' --out figure.svg");
    ASSERT_TRUE(desk.say("set figure_width_cm 8.5"));
    EXPECT_TRUE(line_of(desk).ends_with(" --width-cm 8.5 --out figure.svg")) << line_of(desk);
    ASSERT_TRUE(desk.does("set temperature 0.5"));
    EXPECT_NE(line_of(desk).find(R"( --attention '{"temperature":0.5}' )"), std::string::npos);
}

TEST(Figure, of_attention_maps_has_a_line_with_their_grid) {
    Desk desk(testing::small_state(), model_files());
    ASSERT_TRUE(desk.does("open-model maps/model.safetensors"));
    ASSERT_TRUE(desk.does("set grid 3x3"));
    ASSERT_TRUE(desk.does("focus 0"));
    const std::string files = "headlight figure --model maps/model.safetensors --image a.ppm";
    EXPECT_TRUE(line_of(desk).starts_with(files + " --grid 3x3 --query class ")) << line_of(desk);
    ASSERT_TRUE(desk.does("reset grid"));
    ASSERT_TRUE(desk.does("set tokens_before 1"));
    EXPECT_TRUE(line_of(desk).starts_with(files + " --tokens-before 1 --query class "))
        << line_of(desk);
    EXPECT_EQ(desk->trace()->grid.rows, 3);
    const TokenMaps maps = figure_maps(figure_question(*desk.operator->())).now.front();
    const MatrixView attention = desk->trace()->view(Tensor::attention, 0, 2);
    for (Index p = 0; p < 9; ++p) EXPECT_EQ(maps.map(0, 2)(p / 3, p % 3), attention(0, 1 + p));
}

TEST(Figure, has_a_line_that_says_how_maps_are_drawn) {
    Desk desk(testing::small_state(), model_files());
    ASSERT_TRUE(desk.does("open-model timm/model.safetensors"));
    EXPECT_EQ(line_of(desk).find("--smooth"), std::string::npos);
    ASSERT_TRUE(desk.does("set heads_smooth true"));
    EXPECT_NE(line_of(desk).find(" --smooth "), std::string::npos) << line_of(desk);
    EXPECT_EQ(line_of(desk).find("--contours"), std::string::npos);
    ASSERT_TRUE(desk.does("set heads_contours true"));
    EXPECT_NE(line_of(desk).find(" --smooth --contours "), std::string::npos) << line_of(desk);
    ASSERT_TRUE(desk.does("set figure_picture grey"));
    ASSERT_TRUE(desk.does("set figure_opacity 1"));
    EXPECT_NE(line_of(desk).find(" --picture grey --opacity 1 "), std::string::npos);
    ASSERT_TRUE(desk.does("set figure_opacity usual"));
    EXPECT_EQ(line_of(desk).find("--opacity"), std::string::npos);
}

// The numbers of class_map() for the selected class, layers and heads.
TEST(Figure, of_class_maps_is_of_the_methods_that_are_chosen) {
    Desk desk(testing::small_state(), model_files());
    for (const char* line :
         {"open-model timm/model.safetensors", "set figure_methods relevance,grad-cam",
          "set figure_layers 2", "heads-class 3"})
        ASSERT_TRUE(desk.does(line)) << line;
    EXPECT_EQ(find_field("figure_methods")->get(desk->state()), "relevance,grad_cam");
    const FigureMaps found = figure_maps(figure_question(*desk.operator->()));
    ASSERT_EQ(found.now.size(), 1U);
    const TokenMaps& maps = found.now.front();
    EXPECT_EQ(maps.names, (std::vector<std::string>{"relevance", "Grad-CAM"}));
    EXPECT_EQ(found.of_class, class_name(*desk->trace()->model, 3));
    Index h = 0;
    for (const MapMethod method : {MapMethod::relevance, MapMethod::grad_cam}) {
        ClassMapQuestion question;
        question.method = method;
        question.of_class = 3;
        question.layers = {1};
        const ClassMap map = class_map(back_to_patches(*desk->trace()), {}, question);
        EXPECT_EQ(maps.map(0, h++).eigen(), map.cells);
        EXPECT_GT(map.cells.cwiseAbs().maxCoeff(), 0);
    }
    EXPECT_EQ(line_of(desk),
              "headlight figure --model timm/model.safetensors --image a.ppm --method "
              "relevance,grad_cam --class 3 --layers 2 --resolution 2 --out figure.svg");
    EXPECT_FALSE(desk.say("set figure_methods relevance,relevance"));
    EXPECT_FALSE(desk.say("set figure_methods softmax"));
    ASSERT_TRUE(desk.does("set figure_methods \"\""));
    EXPECT_EQ(line_of(desk).find("--method"), std::string::npos);
}

// The same errors as on the command line.
TEST(Figure, of_class_maps_refuses_what_a_method_does_not_use) {
    Desk desk(testing::small_state(), model_files());
    for (const char* line :
         {"open-model timm/model.safetensors", "set figure_methods input_gradient"})
        ASSERT_TRUE(desk.does(line)) << line;
    EXPECT_NO_THROW(figure_maps(figure_question(*desk.operator->())));
    ASSERT_TRUE(desk.does("set figure_layers 1"));
    EXPECT_THROW(figure_maps(figure_question(*desk.operator->())), CommandError);
    for (const char* line :
         {"set figure_layers all", "set figure_methods grad_cam", "set figure_heads 2"})
        ASSERT_TRUE(desk.does(line)) << line;
    EXPECT_THROW(figure_maps(figure_question(*desk.operator->())), CommandError);
    for (const char* line : {"set figure_heads all", "pin", "compare difference"})
        ASSERT_TRUE(desk.does(line)) << line;
    EXPECT_THROW(figure_question(*desk.operator->()), CommandError) << "there is no difference";
}

// The baseline is a.ppm, the current picture b.ppm; the numbers are those of the screen's pairs.
TEST(Figure, of_a_difference_is_of_both_results) {
    Desk desk(testing::small_state(), model_files());
    ASSERT_TRUE(desk.does("open-model timm/model.safetensors"));
    ASSERT_TRUE(desk.does("pin"));
    ASSERT_TRUE(desk.does("open b.ppm"));
    ASSERT_TRUE(desk.say("queries 3 7 0"));
    EXPECT_TRUE(figure_maps(figure_question(*desk.operator->())).before.empty()) << "now alone";
    ASSERT_TRUE(desk.say("compare difference"));
    const FigureQuestion question = figure_question(*desk.operator->());
    ASSERT_TRUE(question.before);
    const MapsOfBoth maps = figure_maps(question);
    const auto said = [](const TokenQuestion& of) {
        auto answer = std::make_shared<TokenFinder::Said>();
        answer->question = of;
        answer->answer = compute_across_layers(of);
        return answer;
    };
    const PairedMaps pairs = pair_all({said(question.of), said(*question.before)});
    ASSERT_EQ(maps.now.size(), 3U);
    ASSERT_EQ(maps.before.size(), 3U);
    for (std::size_t q = 0; q < maps.now.size(); ++q) {
        const TokenMaps less = difference(maps.now[q], maps.before[q]);
        for (std::size_t l = 0; l < less.layers.size(); ++l)
            for (Index h = 0; h < less.heads; ++h) {
                const HeadPlace place{static_cast<int>(l), static_cast<int>(h)};
                const MatrixView found = less.map(l, h),
                                 expected = pairs.pairs[q].at(place).difference->view();
                EXPECT_EQ(found.eigen(), expected.eigen());
                EXPECT_GT(found.eigen().cwiseAbs().maxCoeff(), 0);
            }
    }
}

// The options that differ between the two, without those that differences do not have.
TEST(Figure, of_a_difference_has_a_line_that_names_both_sides) {
    Desk desk(testing::small_state(), model_files());
    for (const char* line : {"open-model timm/model.safetensors", "focus 0", "pin",
                             "compare difference", "set attention_cut 2", "set heads_contours true",
                             "set figure_mass 60", "set heads_smooth true"})
        ASSERT_TRUE(desk.does(line)) << line;
    const std::string now = "headlight figure --model timm/model.safetensors --image ",
                      end = " --smooth --resolution 2 --out figure.svg";
    EXPECT_EQ(line_of(desk), now + "a.ppm --query class --before a.ppm" + end) << "the same twice";
    ASSERT_TRUE(desk.does("open b.ppm"));
    EXPECT_EQ(line_of(desk), now + "b.ppm --query class --before a.ppm" + end);
    ASSERT_TRUE(desk.does("set temperature 0.5"));
    EXPECT_EQ(line_of(desk), now +
                                 "b.ppm --query class --attention '{\"temperature\":0.5}' "
                                 "--before a.ppm --before-attention '{}'" +
                                 end);
    ASSERT_TRUE(desk.does("open-model mae/model.safetensors"));
    EXPECT_NE(line_of(desk).find(" --before-model timm/model.safetensors "), std::string::npos)
        << line_of(desk);
    ASSERT_TRUE(desk.does("swap"));
    ASSERT_TRUE(desk.does("switch-head 1 1"));
    EXPECT_NE(line_of(desk).find("switched_off"), std::string::npos);
    ASSERT_TRUE(desk.does("swap"));
    EXPECT_NE(line_of(desk).find("switched_off"), std::string::npos) << "of before, too";
}

TEST(Figure, of_a_difference_says_why_there_is_none) {
    Desk desk(testing::small_state(), model_files());
    for (const char* line : {"open-model timm/model.safetensors", "pin", "compare difference"})
        ASSERT_TRUE(desk.does(line)) << line;
    const auto why = [&] {
        try {
            (void)figure_question(*desk.operator->());
        } catch (const CommandError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(why(), "");
    ASSERT_TRUE(desk.say("set figure_combine hues"));
    EXPECT_NE(why().find("A map of heads in hues cannot show a difference"), std::string::npos)
        << why();
    ASSERT_TRUE(desk.say("set figure_combine mean"));
    EXPECT_EQ(why(), "");
}

TEST(Figure, without_a_line_says_why) {
    Desk desk(testing::small_state(), model_files());
    EXPECT_NE(line_of(desk).find("random layer"), std::string::npos);
    ASSERT_TRUE(desk.does("open-model timm/model.safetensors"));
    ASSERT_TRUE(desk.does("switch-head 1 1"));
    EXPECT_NE(line_of(desk).find("switched_off"), std::string::npos);
    ASSERT_TRUE(desk.does("undo"));
    ASSERT_TRUE(desk.does("set mask causal"));
    EXPECT_NE(line_of(desk).find("mask"), std::string::npos);
    ASSERT_TRUE(desk.does("undo"));
    ASSERT_TRUE(desk.does("scene 3"));
    EXPECT_NE(line_of(desk).find("save the scene"), std::string::npos);
}

TEST(Figure, of_tokens_without_a_picture_there_is_none) {
    Desk desk;
    ASSERT_TRUE(desk.does("vectors four"));
    EXPECT_THROW(figure_question(*desk.operator->()), CommandError);
}

}  // namespace
}  // namespace headlight
