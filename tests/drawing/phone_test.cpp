#include <gtest/gtest.h>

#include "pane.h"
#include "reads_lessons.h"

// In a phone's window, portrait or landscape, one thing is shown at a time.
namespace headlight {
namespace {

using testing::Pane;
using testing::PaneSize;

constexpr PaneSize kUpright{360, 640}, kOnItsSide{844, 390};

class Phone : public testing::ReadsLessons {
  protected:
    Phone() { pane_.read_with(&reader_); }

    void draw(const PaneSize& size) {
        for (int frame = 0; frame < 3; ++frame) pane_.draw_until_answered(desk_, size, 1);
    }
    [[nodiscard]] ui::Rect place(const std::string& name) const {
        const auto found = pane_.ui().names().find(name);
        EXPECT_NE(found, pane_.ui().names().end()) << name;
        return found == pane_.ui().names().end() ? ui::Rect{} : found->second.rect;
    }
    void expect_inside(const std::string& name, const PaneSize& size) const {
        const ui::Rect rect = place(name);
        EXPECT_FALSE(rect.empty()) << name;
        EXPECT_GE(rect.x, 0) << name;
        EXPECT_LE(rect.x + rect.w, size.width) << name;
        EXPECT_LE(rect.y + rect.h, size.height) << name;
    }

    Pane pane_;
};

TEST_F(Phone, looks_at_a_picture_and_its_heads) {
    say("open-model " + testing::source("assets/models/scenes"));
    say("scene 3");
    desk_.does("set screen look");
    for (const PaneSize& size : {kUpright, kOnItsSide}) {
        SCOPED_TRACE(size.width);
        draw(size);
        for (const char* name : {"image.patches", "look.head.1.1", "look.walk", "look.photo",
                                 "look.lesson", "top.tab.lessons", "top.menu"})
            expect_inside(name, size);
        EXPECT_GE(place("image.patches").h, 96);
    }
}

TEST_F(Phone, walks_without_columns) {
    say("open-model " + testing::source("assets/models/scenes"));
    desk_.does("set screen walk");
    desk_.does("step softmax");
    for (const PaneSize& size : {kUpright, kOnItsSide}) {
        SCOPED_TRACE(size.width);
        draw(size);
        for (const char* name : {"stage.result", "transport.next", "transport.timeline"})
            expect_inside(name, size);
        EXPECT_GE(place("stage").w, 0.8F * static_cast<float>(size.width));
    }
}

TEST_F(Phone, shows_a_stop_above_its_words_or_beside_them) {
    say("lesson " + testing::source("assets/lessons/1-the-twin-head.md") + " 2");
    draw(kUpright);
    const ui::Rect screen = place("screen"), words = place("lesson.column");
    EXPECT_LE(screen.y + screen.h, words.y + 1);
    EXPECT_GE(screen.h, 200);
    for (const char* name : {"stage.result", "lesson.back", "lesson.next"})
        expect_inside(name, kUpright);
    draw(kOnItsSide);
    EXPECT_LE(place("lesson.column").x + place("lesson.column").w, place("screen").x + 1);
    for (const char* name : {"stage.result", "lesson.back", "lesson.next"})
        expect_inside(name, kOnItsSide);
}

}  // namespace
}  // namespace headlight
