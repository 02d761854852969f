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

TEST_F(Phone, keeps_the_names_of_model_and_picture) {
    say("open-model " + testing::source("assets/models/scenes"));
    desk_.does("set screen look");
    draw({740, 360});
    EXPECT_EQ(pane_.ui().reports().at("top.model"), "scenes");
    EXPECT_EQ(pane_.ui().reports().at("top.open"), "cat.jpg");
}

TEST_F(Phone, brings_the_chosen_head_into_view) {
    say("open-model " + testing::source("assets/models/photos") + " 6");
    desk_.does("set screen look");
    for (const PaneSize& size : {kUpright, kOnItsSide}) {
        SCOPED_TRACE(size.width);
        draw(size);
        const ui::Rect list = place("look.heads"), head = place("look.head.6.1");
        EXPECT_GE(head.y, list.y);
        EXPECT_LE(head.y + head.h, list.y + list.h);
    }
}

TEST_F(Phone, fills_the_window_with_a_panel) {
    for (const char* panel : {"files", "examples", "model", "help"}) {
        desk_.does("show " + std::string(panel));
        for (const PaneSize& size : {kUpright, kOnItsSide}) {
            draw(size);
            const bool of_files = std::string_view(panel) == "files" || panel[0] == 'e';
            const ui::Rect rect = place(of_files ? "files.panel" : panel);
            EXPECT_EQ(rect.w, static_cast<float>(size.width)) << panel;
            EXPECT_EQ(rect.h, static_cast<float>(size.height)) << panel;
        }
    }
    desk_.does("show files");
    draw(kUpright);
    EXPECT_GE(place("files.scene.1").w, 250);
}

// In a page: only the dialog of the browser reaches the person's files.
TEST_F(Phone, lists_no_folders_where_the_system_picks_files) {
    struct Page {};
    Page page;
    static const std::vector<CommandRow<Page, bool>> verbs{
        {{"pick-file", "", "Picks."}, [](Page&, const CommandArgs&) { return true; }}};
    desk_->command_table().add(CommandOf::window, verbs, page);
    desk_.does("show files");
    for (const PaneSize& size : {kUpright, PaneSize{1280, 720}}) {
        draw(size);
        expect_inside("files.pick", size);
        expect_inside("files.scene.1", size);
        for (const auto& [name, widget] : pane_.ui().names())
            EXPECT_FALSE(name.starts_with("files.place.") || name.starts_with("files.entry.") ||
                         name == "files.path" || name == "files.up")
                << name;
    }
}

TEST_F(Phone, says_that_heads_needs_a_wider_window) {
    say("open-model " + testing::source("assets/models/scenes"));
    desk_.does("set screen heads");
    draw(kUpright);
    EXPECT_TRUE(pane_.ui().reports().contains("heads.instead"));
    EXPECT_FALSE(pane_.ui().names().contains("heads.grid"));
    draw({740, 360});
    EXPECT_FALSE(pane_.ui().reports().contains("heads.instead"));
    expect_inside("heads.grid", {740, 360});
}

TEST_F(Phone, leaves_lecture_view) {
    desk_.does("set lecture on");
    draw({1280, 720});
    EXPECT_TRUE(pane_.wanted().empty());
    draw(kUpright);
    ASSERT_EQ(pane_.wanted().size(), 1U);
    EXPECT_EQ(pane_.wanted().front(), command("set", "lecture", "off"));
}

}  // namespace
}  // namespace headlight
