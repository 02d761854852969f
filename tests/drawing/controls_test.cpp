#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pane.h"
#include "ui/compat.h"
#include "ui/controls.h"

// Widgets by themselves, in a window of their own.
namespace headlight {
namespace {

class NumberField : public ::testing::Test {
  protected:
    // The texts drawn for a field of that width.
    std::vector<std::string> drawn(const std::string& number, float width) {
        std::string text = number;
        const auto field = [&](ui::Context& ui) {
            EXPECT_FALSE(ui::number_field(ui, "field", {20, 20, width, 24}, text));
        };
        std::vector<std::string> texts;
        for (const ui::DrawnText& shown : testing::drawn_by(pane_, field)) {
            EXPECT_GE(shown.at.x, 20);
            EXPECT_LE(shown.at.x + shown.width, 20 + width);
            texts.push_back(shown.text);
        }
        EXPECT_EQ(text, number);
        return texts;
    }

    testing::Pane pane_;
};

TEST_F(NumberField, never_cuts_a_number_to_another) {
    using Texts = std::vector<std::string>;
    EXPECT_EQ(drawn("-0.95", 200), Texts{"-0.95"});  // the field has room for it
    EXPECT_EQ(drawn("-0.95", 50), Texts{"-0.95"});   // smaller
    const Texts cut = drawn("-0.123456789", 50);
    ASSERT_EQ(cut.size(), 1U);
    EXPECT_TRUE(cut[0].ends_with("…")) << cut[0];
    EXPECT_TRUE(cut[0].starts_with("-0.")) << cut[0];
}

// A list of 40 options in a window of 300 pixels.
class DropDownList : public ::testing::Test {
  protected:
    DropDownList() {
        for (int i = 1; i <= kOptions; ++i) words_.push_back("option " + std::to_string(i));
        for (const std::string& word : words_) options_.push_back(word);
        ui::hear_all_at_once();
        pane_.record();
    }
    // The texts of one frame, all of them inside the window.
    std::vector<std::string> draw(float y) {
        const auto list = [&](ui::Context& ui) {
            if (const int chosen = ui::choice(ui, "list", {100, y, 150, 24}, options_, 0);
                chosen >= 0)
                chosen_ = chosen;
        };
        std::vector<std::string> texts;
        for (const ui::DrawnText& text : testing::drawn_by(pane_, list)) texts.push_back(text.text);
        return texts;
    }
    void point_and_press(float x, float y, bool down) {
        ui::tell_pointer(x, y);
        ui::tell_button(0, down);
    }
    void open(float y) {
        // With Dear ImGui 1.91 a window takes a press from its third frame on.
        for (const bool down : {false, false, true, false}) {
            point_and_press(150, y + 12, down);
            draw(y);
        }
        for (int i = 0; i < 3; ++i) draw(y);
    }
    static bool has(const std::vector<std::string>& texts, const std::string& text) {
        return std::ranges::find(texts, text) != texts.end();
    }

    static constexpr int kOptions = 40;
    testing::Pane pane_;
    std::vector<std::string> words_;
    std::vector<std::string_view> options_;
    int chosen_ = -1;
};

TEST_F(DropDownList, scrolls_where_it_is_longer_than_the_window) {
    for (const float y : {20.0F, 140.0F, 250.0F}) {
        SCOPED_TRACE(y);
        open(y);
        EXPECT_FALSE(has(draw(y), "option 40"));
        const ui::Rect first = pane_.ui().names().at("list.option 1").rect;
        EXPECT_GE(first.y, 0);
        // The list, not the widget, is under the pointer.
        ui::tell_pointer(first.x + 10, first.center().y);
        for (int i = 0; i < 30; ++i) {
            ui::tell_wheel(0, -3);
            draw(y);
        }
        ASSERT_TRUE(has(draw(y), "option 40"));
        const ui::Rect last = pane_.ui().names().at("list.option 40").rect;
        EXPECT_LE(last.y + last.h, 300);
        for (const bool down : {false, true, false}) {
            point_and_press(last.x + 10, last.center().y, down);
            draw(y);
        }
        EXPECT_EQ(std::exchange(chosen_, -1), kOptions - 1);
        draw(y);
    }
}

TEST_F(DropDownList, follows_the_arrow_keys) {
    open(140);
    point_and_press(-100, -100, false);
    for (int i = 1; i < kOptions; ++i)
        for (const bool down : {true, false}) {
            ui::tell_key(ImGuiKey_DownArrow, down);
            draw(140);
        }
    draw(140);
    EXPECT_TRUE(has(draw(140), "option 40"));
}

// At any scale: rounding must not wrap the last word into a line of its own.
TEST(Tooltip, stays_in_one_line_inside_its_box) {
    testing::Pane pane;
    const std::string words = "Heads   Ctrl+3";
    for (int percent = 80; percent <= 300; percent += 20) {
        std::vector<std::string> texts;
        for (int frame = 0; frame < 2; ++frame) {
            pane.point_at(40.3F + static_cast<float>(frame), 40);
            texts.clear();
            for (const ui::DrawnText& text : testing::drawn_by(
                     pane,
                     [&](ui::Context& ui) {
                         ui.tooltip(words);
                         ui.draw_tooltip();
                     },
                     static_cast<float>(percent) / 100))
                texts.push_back(text.text);
        }
        EXPECT_EQ(texts, std::vector{words}) << percent;
    }
}

}  // namespace
}  // namespace headlight
