#include <gtest/gtest.h>

#include <algorithm>

#include "pane.h"
#include "walks.h"

// The Look screen with every kind of input, in windows with ample and with little space.
namespace headlight {
namespace {

using testing::Desk;
using testing::Pane;
using testing::PaneSize;
using testing::Walk;

constexpr PaneSize kSizes[] = {{1024, 768}, {1280, 720}, {1600, 1000}, {1920, 1080}, {3840, 2160}};
constexpr PaneSize kTiny[] = {{640, 480}, {320, 240}, {200, 150}, {40, 30}, {3, 2}};

void expect_inside(const Pane& pane, const std::string& name, const PaneSize& size) {
    const auto found = pane.ui().names().find(name);
    ASSERT_NE(found, pane.ui().names().end()) << name;
    const ui::Rect& r = found->second.rect;
    EXPECT_GE(r.x, 0) << name;
    EXPECT_GE(r.y, 0) << name;
    EXPECT_LE(r.x + r.w, size.width) << name;
    EXPECT_LE(r.y + r.h, size.height) << name;
    EXPECT_FALSE(r.empty()) << name;
}

// No text is cut, leaves the window, or overlaps another text or the picture.
void expect_orderly(const Pane& pane, const ui::Recording& recording, const PaneSize& size) {
    const ui::Rect picture = pane.ui().names().at("image.patches").rect;
    std::vector<ui::DrawnText> texts;
    for (const ui::Recording::Item& item : recording.items())
        if (const auto* text = std::get_if<ui::DrawnText>(&item.what);
            text != nullptr && item.clip.contains(text->rect().center()))
            texts.push_back(*text);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const ui::Rect a = texts[i].rect();
        EXPECT_LE(a.x + a.w, size.width) << texts[i].text;
        EXPECT_LE(a.y + a.h, size.height + 1) << texts[i].text;
        EXPECT_FALSE(picture.contains(a.center())) << texts[i].text;
        for (std::size_t j = i + 1; j < texts.size(); ++j) {
            const ui::Rect b = texts[j].rect();
            const float across = std::min(a.x + a.w, b.x + b.w) - std::max(a.x, b.x),
                        down = std::min(a.y + a.h, b.y + b.h) - std::max(a.y, b.y);
            EXPECT_FALSE(across > 1 && down > a.h * 0.3F)
                << texts[i].text << " and " << texts[j].text;
        }
    }
}

TEST(Look, has_room_for_its_words_in_every_window) {
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(say_all(desk, testing::all_walks()[1].open));
    ASSERT_TRUE(desk.does("set screen look"));
    Pane pane;
    const ui::Recording& recording = pane.record();
    for (const char* lecture : {"false", "true"})
        for (const PaneSize& size : kSizes) {
            SCOPED_TRACE(std::string(lecture) + " " + std::to_string(size.width));
            ASSERT_TRUE(desk.does(std::string("set lecture ") + lecture));
            for (int frame = 0; frame < 3; ++frame)
                pane.draw(desk, size, size.width > 2000 ? 2 : 1);
            for (const char* name : {"image.patches", "look.head.1.1", "look.head.4.4"})
                ASSERT_NO_FATAL_FAILURE(expect_inside(pane, name, size));
            const ui::Rect picture = pane.ui().names().at("image.patches").rect;
            EXPECT_GE(picture.h, 0.45F * static_cast<float>(size.height));
            if (lecture[0] == 'f') {
                ASSERT_NO_FATAL_FAILURE(expect_inside(pane, "look.walk", size));
                ASSERT_NO_FATAL_FAILURE(expect_inside(pane, "look.photo", size));
            }
            expect_orderly(pane, recording, size);
        }
}

TEST(Look, has_a_picture_of_720_pixels_where_the_window_has_1000) {
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(say_all(desk, testing::all_walks()[1].open));
    ASSERT_TRUE(desk.does("set screen look"));
    Pane pane;
    for (int frame = 0; frame < 3; ++frame) pane.draw(desk, {1600, 1000}, 1);
    EXPECT_NEAR(pane.ui().names().at("image.patches").rect.h, 720, 1);
    EXPECT_LE(std::stoi(pane.ui().reports().at("controls")), 20);
}

TEST(Look, of_every_walk_is_drawn_at_every_size) {
    for (const Walk& walk : testing::all_walks()) {
        SCOPED_TRACE(walk.name);
        Desk desk(testing::cat(), testing::read_source);
        ASSERT_NO_FATAL_FAILURE(say_all(desk, walk.open));
        ASSERT_TRUE(desk.does("set screen look"));
        Pane pane;
        for (const char* lecture : {"set lecture false", "set lecture true"})
            for (const float scale : {1.0F, 2.0F}) {
                ASSERT_TRUE(desk.does(lecture));
                for (const PaneSize& size : kSizes) pane.draw(desk, size, scale);
                for (const PaneSize& size : kTiny) pane.draw(desk, size, scale);
            }
        ASSERT_TRUE(desk.does("set lecture false"));
        for (int frame = 0; frame < 3; ++frame) pane.draw(desk, {1600, 1000}, 1);
        const auto reports = pane.ui().reports();
        EXPECT_TRUE(reports.contains("look.caption") || reports.contains("look.instead"));
        if (reports.contains("look.caption")) {
            EXPECT_NE(reports.at("look.caption"), "");
            EXPECT_NE(reports.at("look.question"), "");
        }
    }
}

// The map for the patch under the pointer is drawn from that patch's attention.
TEST(Look, draws_what_the_trace_holds) {
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(say_all(desk, testing::all_walks()[1].open));
    ASSERT_NO_FATAL_FAILURE(say_all(desk, {"set screen look", "layer 4", "head 3", "focus 38"}));
    Pane pane;
    const ui::Recording& recording = pane.record();
    for (int frame = 0; frame < 3; ++frame) pane.draw(desk, {1600, 1000}, 1);
    const Trace& trace = *desk->trace();
    int seen = 0;
    for (const ui::Recording::Item& item : recording.items()) {
        const auto* drawn = std::get_if<ui::DrawnMatrix>(&item.what);
        if (drawn == nullptr) continue;
        const ui::Cells& cells = drawn->picture.cells;
        if (!drawn->picture.name.starts_with("look.map.4.") &&
            drawn->picture.name != "image.patches.overlay")
            continue;
        const Index head = drawn->picture.name == "image.patches.overlay"
                               ? 2
                               : drawn->picture.name[std::string("look.map.4.").size()] - '1';
        const MatrixView all = trace.view(Tensor::attention, 0, head);
        ++seen;
        for (int patch = 0; patch < cells.rows * cells.cols; ++patch)
            ASSERT_EQ(cells.at(patch / cells.cols, patch % cells.cols), all(38, patch + 1));
    }
    EXPECT_EQ(seen, 5) << "four heads and the large picture";
}

}  // namespace
}  // namespace headlight
