#include "lessons_screen/presenter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "lessons_screen/spoken.h"
#include "pane.h"
#include "reads_lessons.h"

// The presenter's view of a lesson, in windows of every size.
namespace headlight {
namespace {

using testing::PaneSize;

class Presenter : public testing::ReadsLessons {
  protected:
    Presenter() : ui_(testing::system_fonts()) {
        testing::use_no_gl();
        ImGui::CreateContext();
        ImGui::GetIO().IniFilename = nullptr;
        ui_.record(&drawn_);
        say("lesson " + testing::source("tests/drawing/presenter.md"));
    }
    ~Presenter() override { ImGui::DestroyContext(); }

    void draw(const PaneSize& size, const std::string& typed = {}) {
        for (int i = 0; i < 2; ++i) frame(size, typed);
    }
    void frame(const PaneSize& size, const std::string& typed) {
        const ui::Rect window{0, 0, static_cast<float>(size.width),
                              static_cast<float>(size.height)};
        const auto scales = screens::presenter_scales(window.w, window.h);
        ui_.begin(ui::light_projector_palette(), scales.unit, scales.text);
        ImGui::GetIO().DisplaySize = {window.w, window.h};
        ImGui::NewFrame();
        ui_.start_frame();
        asked_ = screens::presenter_view(
            ui_, {reader_, *desk_.operator->(), "9:05", "1:02:03", typed, true}, memory_, window);
        ImGui::Render();
        ui_.end();
    }
    [[nodiscard]] std::string seen() const {
        std::string all;
        for (const ui::DrawnText& text : drawn_.texts({0, 0, 1e5F, 1e5F})) all += text.text + "\n";
        return all;
    }
    [[nodiscard]] std::string report(const std::string& name) const {
        const auto all = ui_.reports();
        const auto found = all.find(name);
        return found == all.end() ? "(none)" : found->second;
    }
    void turn_wheel(float by) {
        ImVec2 at{};
        ASSERT_TRUE(ui_.find("presenter.words", at));
        ui::tell_pointer(at.x, at.y);
        frame(kUsual, "");
        ui::tell_wheel(0, by);
        draw(kUsual);
    }

    static constexpr PaneSize kUsual{1280, 720};
    ui::Context ui_;
    ui::Recording drawn_;
    screens::PresenterMemory memory_;
    std::vector<Command> asked_;
};

TEST_F(Presenter, sees_notes_next_stop_and_clocks) {
    draw(kUsual);
    const std::string texts = seen();
    for (const char* words : {"STOP 1 OF 3", "A first stop", "Ask them first.", "9:05", "1:02:03",
                              "NEXT", "A second stop", "It has a sentence.", "TEXT OF THE STOP"})
        EXPECT_NE(texts.find(words), std::string::npos) << words << " in\n" << texts;
    EXPECT_EQ(texts.find("And another"), std::string::npos) << texts;
    EXPECT_EQ(report("presenter.notes"), "Ask them first.");
    EXPECT_EQ(report("presenter.next"), "A second stop");
    say("lesson-stop last");
    draw(kUsual);
    EXPECT_EQ(report("presenter.stop"), "3");
    EXPECT_EQ(report("presenter.next"), "");
    EXPECT_NE(seen().find("This is the last stop"), std::string::npos);
}

TEST_F(Presenter, reads_what_the_stop_says_with_its_values) {
    const std::string said = screens::spoken(reader_, reader_.stop());
    EXPECT_EQ(said,
              "The temperature is 1. And A_ij = Q_i K_j^T.\n\n"
              "Question: Which?\n✓ this\n– that\nBecause.\n\n"
              "Task: Make it warm.");
}

TEST_F(Presenter, sees_a_number_that_is_typed_and_a_black_screen) {
    draw(kUsual, "12");
    EXPECT_NE(seen().find("Stop 12: press Enter"), std::string::npos);
    desk_.does("show blank");
    draw(kUsual);
    EXPECT_EQ(report("presenter.screen"), "black");
    EXPECT_NE(seen().find("THE SCREEN IS BLACK"), std::string::npos);
}

TEST_F(Presenter, scrolls_long_notes_and_begins_each_stop_at_its_top) {
    say("lesson-stop 2");
    draw(kUsual);
    EXPECT_EQ(report("presenter.words.more"), "yes");
    EXPECT_EQ(report("presenter.words.scrolled"), "no");
    EXPECT_EQ(seen().find("last words"), std::string::npos);
    for (int i = 0; i < 30; ++i) turn_wheel(-5);
    EXPECT_NE(seen().find("last words"), std::string::npos);
    EXPECT_EQ(report("presenter.words.scrolled"), "yes");
    say("lesson-stop 1");
    draw(kUsual);
    say("lesson-stop 2");
    draw(kUsual);
    EXPECT_EQ(report("presenter.words.scrolled"), "no");
}

TEST_F(Presenter, answers_to_its_buttons) {
    draw(kUsual);
    const std::array<std::pair<const char*, Command>, 5> buttons{
        {{"presenter.go", {"lesson-stop", {"next"}}},
         {"presenter.black", {"show", {"blank"}}},
         {"presenter.restart", {"presenter", {"restart"}}},
         {"presenter.swap", {"presenter", {"swap"}}},
         {"presenter.back", {"lesson-stop", {"previous"}}}}};
    for (const auto& [name, means] : buttons) {
        ImVec2 at{};
        ASSERT_TRUE(ui_.find(name, at)) << name;
        ui::tell_pointer(at.x, at.y);
        draw(kUsual);
        ui::tell_button(0, true);
        frame(kUsual, "");
        ui::tell_button(0, false);
        frame(kUsual, "");
        const bool first = std::string_view(name) == "presenter.back";  // nothing is before it
        EXPECT_EQ(asked_, first ? asked_ : std::vector<Command>{means}) << name;
    }
}

// Nothing is cut off: no "…", no text beyond the edge, no overlapping buttons.
TEST_F(Presenter, has_room_for_its_words_at_every_size) {
    for (const PaneSize size : {PaneSize{800, 600}, PaneSize{1024, 768}, PaneSize{1280, 720},
                                PaneSize{1600, 1000}, PaneSize{1920, 1080}, PaneSize{400, 300}})
        for (const int stop : {1, 2, 3}) {
            SCOPED_TRACE(std::to_string(size.width) + " × " + std::to_string(size.height) +
                         ", stop " + std::to_string(stop));
            say("lesson-stop " + std::to_string(stop));
            draw(size, "12");
            for (const ui::Recording::Item& item : drawn_.items()) {
                const auto* text = std::get_if<ui::DrawnText>(&item.what);
                if (text == nullptr) continue;
                EXPECT_EQ(text->text.find("…"), std::string::npos) << text->text;
                EXPECT_GE(text->at.x, item.clip.x - 1) << text->text;
                EXPECT_LE(text->at.x + text->width, item.clip.x + item.clip.w + 1) << text->text;
            }
            const auto& names = ui_.names();
            const ui::Rect words = names.at("presenter.words").rect,
                           last = names.at("presenter.swap").rect;
            EXPECT_GT(words.h, 0.4F * static_cast<float>(size.height));
            EXPECT_LE(last.x + last.w, static_cast<float>(size.width));
            EXPECT_LE(words.y + words.h, last.y);
        }
}

TEST_F(Presenter, is_drawn_where_there_is_hardly_room) {
    for (const PaneSize size : {PaneSize{200, 150}, PaneSize{40, 30}, PaneSize{3, 2}}) draw(size);
}

TEST(Spoken, ends_a_sentence_where_one_ends) {
    EXPECT_EQ(screens::first_sentence("One. Two."), "One.");
    EXPECT_EQ(screens::first_sentence("A head, e.g. this one, reads. It does."),
              "A head, e.g. this one, reads.");
    EXPECT_EQ(screens::first_sentence("0.89 of it. 1 of that."), "0.89 of it.");
    EXPECT_EQ(screens::first_sentence("Why? Because."), "Why?");
    EXPECT_EQ(screens::first_sentence("no end"), "no end");
    EXPECT_EQ(screens::first_sentence(""), "");
}

TEST(Spoken, says_the_time) {
    EXPECT_EQ(screens::elapsed_text(0), "0:00");
    EXPECT_EQ(screens::elapsed_text(59.9), "0:59");
    EXPECT_EQ(screens::elapsed_text(3599), "59:59");
    EXPECT_EQ(screens::elapsed_text(36005), "10:00:05");
    EXPECT_EQ(screens::elapsed_text(-1), "0:00");
    EXPECT_EQ(screens::time_text(0), "0:00");
    EXPECT_EQ(screens::time_text(23 * 60 + 59), "23:59");
}

}  // namespace
}  // namespace headlight
