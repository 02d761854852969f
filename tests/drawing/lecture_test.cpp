#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <variant>

#include "lessons/reader.h"
#include "pane.h"
#include "reads_lessons.h"
#include "walks.h"

// In lecture view, the main content is larger than without it, with and without a lesson.
namespace headlight {
namespace {

using testing::Desk;
using testing::Pane;
using testing::PaneSize;
using testing::Walk;

// Window size and monitor scale: a small projector, an old one, a notebook, the usual projector,
// and 4K with its usual scale.
struct Monitor {
    PaneSize size;
    float scale = 1;
};
constexpr std::array<Monitor, 5> kMonitors{
    {{{1280, 720}, 1}, {{1024, 768}, 1}, {{1600, 1000}, 1}, {{1920, 1080}, 1}, {{3840, 2160}, 2}}};

struct Seen {
    double area = 0, thinner = 0;  // of the focused matrix: its area and shorter side
};

// For every step with these settings. The image stage shows two pictures; the second counts.
std::map<std::string, Seen> results(Pane& pane, Desk& desk, const Monitor& monitor, bool lecture) {
    desk.say(std::string("set lecture ") + (lecture ? "on" : "off"));
    std::map<std::string, Seen> seen;
    const std::vector<Step> steps = desk->steps();
    for (const Step step : steps) {
        const std::string name(info(step).name);
        desk.does("step " + name);
        pane.point_nowhere();
        for (int i = 0; i < 2; ++i) pane.draw(desk, monitor.size, monitor.scale);
        const auto found = pane.ui().names().find("stage.result");
        if (found == pane.ui().names().end()) continue;
        const ui::Rect& r = found->second.rect;
        seen[name] = {double(r.w) * r.h, std::min(r.w, r.h)};
    }
    return seen;
}

// Together these contain all operations.
std::vector<Walk> walks() {
    std::vector<Walk> walks = testing::all_walks();
    for (const char* name : {"deit_distilled", "dinov2_registers", "clip_openai", "t2t_scaled"})
        walks.push_back(testing::walk_through(
            name, "tests/golden/families/" + std::string(name) + "/model.safetensors"));
    walks.push_back({"masked",
                     {"set mask causal", "set dropout_attention 0.2", "set activation_after relu"},
                     {}});
    walks.push_back({"additive", {"set score additive"}, {}});
    return walks;
}

// `least`: minimum ratio of the area to that without large type.
void expect_larger(Pane& pane, Desk& desk, double least = 1) {
    for (const Monitor& monitor : kMonitors) {
        const auto plain = results(pane, desk, monitor, false),
                   large = results(pane, desk, monitor, true);
        ASSERT_EQ(plain.size(), large.size());
        for (const auto& [step, seen] : plain) {
            SCOPED_TRACE(step + " at " + std::to_string(monitor.size.width) + " × " +
                         std::to_string(monitor.size.height) + ", scale " +
                         std::to_string(monitor.scale));
            EXPECT_GT(large.at(step).area, seen.area * least);
            // The sum of a word may take a second line of large type.
            constexpr double kWords = 0.94;
            EXPECT_GE(large.at(step).thinner, seen.thinner * std::sqrt(least) * kWords);
        }
    }
}

class LectureOf : public ::testing::TestWithParam<int> {
  protected:
    LectureOf() : desk_(testing::cat(), testing::read_source) {}
    void open() {
        ASSERT_NO_FATAL_FAILURE(say_all(desk_, walks()[static_cast<std::size_t>(GetParam())].open));
    }

    Desk desk_;
    Pane pane_;
};

TEST_P(LectureOf, shows_the_matrix_in_focus_larger) {
    ASSERT_NO_FATAL_FAILURE(open());
    expect_larger(pane_, desk_);
}

TEST_P(LectureOf, keeps_the_matrix_in_focus_beside_the_words_of_a_lesson) {
    lessons::Reader reader(*desk_.operator->(), testing::source("assets"), testing::cat());
    pane_.read_with(&reader);
    ASSERT_TRUE(desk_->command_table().obey(
        parse_command("lesson " + testing::source("tests/drawing/lesson.md"))));
    testing::wait_for_both(desk_, reader);
    ASSERT_NO_FATAL_FAILURE(open());
    // The stop's text is beside it, in type of 1/21 of the height.
    expect_larger(pane_, desk_, 0.6);
}

INSTANTIATE_TEST_SUITE_P(AllWalks, LectureOf, ::testing::Range(0, static_cast<int>(walks().size())),
                         [](const auto& test) {
                             return std::string(walks()[static_cast<std::size_t>(test.param)].name);
                         });

TEST(Lecture, keeps_the_prediction_one_control_and_the_colors) {
    Pane pane;
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(say_all(desk, testing::all_walks()[1].open));
    for (const PaneSize size :
         {PaneSize{1024, 768}, PaneSize{1280, 720}, PaneSize{1600, 1000}, PaneSize{1920, 1080}}) {
        SCOPED_TRACE(size.width);
        results(pane, desk, {size, 1}, true);
        desk.does("step softmax");
        for (int i = 0; i < 2; ++i) pane.draw(desk, size, 1);
        EXPECT_EQ(pane.ui().reports().count("prediction.1"), 1);
        const auto control = pane.ui().names().find("field.temperature");
        const bool low = size.height < 800;  // heads then need its space
        ASSERT_EQ(control == pane.ui().names().end(), low);
        if (!low) {
            EXPECT_GE(control->second.rect.w, 110);  // wide enough to use
        }
        EXPECT_EQ(pane.ui().names().count("heads." + std::to_string(desk->trace()->shape.heads)),
                  1);
        EXPECT_EQ(pane.ui().reports().count("ticks.stage.result"), 1);
        EXPECT_EQ(pane.ui().reports().count("ticks.image"), 1);
    }
}

TEST(Lecture, names_every_line_of_a_signal) {
    Pane pane;
    const ui::Recording& drawn = pane.record();
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(say_all(desk, {"signal steps", "set lecture on"}));
    for (const Monitor& monitor : kMonitors)
        for (const Step step : {Step::curve, Step::windows, Step::mix}) {
            const std::string name(info(step).name);
            SCOPED_TRACE(name + " " + std::to_string(monitor.size.width));
            if (!desk->trace()->node(step)) continue;
            desk.does("step " + name);
            for (int i = 0; i < 2; ++i) pane.draw(desk, monitor.size, monitor.scale);
            if (!pane.ui().reports().contains("signal")) continue;
            std::string texts;
            for (const ui::DrawnText& text : drawn.texts({0, 0, 1e5F, 1e5F}))
                texts += text.text + " ";
            for (const char* words : {"with noise: error ", "moving average: ", " clean "})
                EXPECT_NE(texts.find(words), std::string::npos) << words << " in " << texts;
        }
}

TEST(Lecture, marks_the_cell_in_focus_with_lines_of_three_pixels) {
    Pane pane;
    const ui::Recording& drawn = pane.record();
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(say_all(desk, {"set lecture on", "step softmax", "cell 3 40"}));
    for (int i = 0; i < 2; ++i) pane.draw(desk, {1920, 1080}, 1);
    const ui::Rect& matrix = pane.ui().names().at("stage.result").rect;
    int lines = 0;
    for (const ui::Recording::Item& item : drawn.items()) {
        const auto* line = std::get_if<ui::DrawnRect>(&item.what);
        if (line == nullptr || line->color != pane.ui().colors().accent || line->thickness > 0 ||
            !matrix.contains(line->rect.center()))
            continue;
        ++lines;
        EXPECT_GE(std::min(line->rect.w, line->rect.h), 3);
    }
    EXPECT_EQ(lines, 4);
}

// Texts about the main content must not be cut.
TEST(Lecture, of_heads_and_positions_cuts_no_words) {
    Pane pane;
    const ui::Recording& drawn = pane.record();
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(say_all(desk, testing::all_walks()[1].open));
    desk.does("set lecture on");
    const std::map<std::string, std::array<std::string, 2>> shown{
        {"heads", {"heads.grid", "heads.large"}},
        {"positions", {"positions.table", "positions.channel"}}};
    for (const auto& [screen, widgets] : shown)
        for (const Monitor& monitor : kMonitors) {
            SCOPED_TRACE(screen + " " + std::to_string(monitor.size.width));
            desk.does("set screen " + screen);
            pane.draw_until_answered(desk, monitor.size, monitor.scale);
            for (const std::string& widget : widgets) {
                ASSERT_EQ(pane.ui().names().count(widget), 1) << widget;
                const ui::Rect& r = pane.ui().names().at(widget).rect;
                EXPECT_GE(std::min(r.w, r.h), 0.3F * static_cast<float>(monitor.size.height));
            }
            for (const ui::Recording::Item& item : drawn.items())
                if (const auto* text = std::get_if<ui::DrawnText>(&item.what)) {
                    EXPECT_EQ(text->text.find("…"), std::string::npos) << text->text;
                }
        }
}

// By mouse or touch, on every screen and in a lesson; Walk has it beside its other buttons.
class LectureExit : public testing::ReadsLessons {
  protected:
    void expect_exit(const std::string& where) {
        SCOPED_TRACE(where);
        Pane pane;
        pane.read_with(&reader_);
        const PaneSize size{1280, 720};
        for (int frame = 0; frame < 3; ++frame) pane.draw_until_answered(desk_, size, 1);
        const auto found = pane.ui().names().find("top.lecture");
        ASSERT_NE(found, pane.ui().names().end());
        const ui::Rect exit = found->second.rect;
        if (const auto next = pane.ui().names().find("lesson.next");
            next != pane.ui().names().end()) {
            EXPECT_LE(next->second.rect.x + next->second.rect.w, exit.x);
        }
        pane.point_at("top.lecture");
        for (const bool down : {false, true, false}) {
            pane.press(down);
            pane.draw(desk_, size, 1);
        }
        const auto& wanted = pane.wanted();
        EXPECT_EQ(std::ranges::count(wanted, command("set", "lecture", "off")), 1);
    }
};

TEST_F(LectureExit, is_on_every_screen) {
    say("open-model " + testing::source("assets/models/scenes"));
    desk_.does("set lecture on");
    for (const char* screen : {"look", "walk", "heads", "positions", "lessons"}) {
        desk_.does("set screen " + std::string(screen));
        expect_exit(screen);
    }
    desk_.does("vectors hello");
    for (const char* screen : {"look", "heads", "positions"}) {
        desk_.does("set screen " + std::string(screen));
        expect_exit("words on " + std::string(screen));
    }
    say("lesson " + testing::source("assets/lessons/1-the-twin-head.md") + " 2");
    expect_exit("a lesson");
}

}  // namespace
}  // namespace headlight
