#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "pane.h"
#include "ui/controls.h"

// Widgets by themselves, in a window of their own.
namespace headlight {
namespace {

class NumberField : public ::testing::Test {
  protected:
    // The texts drawn for a field of that width.
    std::vector<std::string> drawn(const std::string& number, float width) {
        const ui::Recording& drawn = pane_.record();
        ui::Context& ui = pane_.ui();
        ui.begin(ui::dark_palette(), 1, 1);
        ImGui::GetIO().DisplaySize = {400, 300};
        ImGui::NewFrame();
        ui.start_frame();
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize({400, 300});
        ImGui::Begin("window", nullptr, ImGuiWindowFlags_NoDecoration);
        std::string text = number;
        EXPECT_FALSE(ui::number_field(ui, "field", {20, 20, width, 24}, text));
        EXPECT_EQ(text, number);
        ImGui::End();
        ImGui::Render();
        ui.end();
        std::vector<std::string> texts;
        for (const ui::DrawnText& shown : drawn.texts({0, 0, 400, 300})) {
            EXPECT_GE(shown.at.x, 20);
            EXPECT_LE(shown.at.x + shown.width, 20 + width);
            texts.push_back(shown.text);
        }
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

}  // namespace
}  // namespace headlight
