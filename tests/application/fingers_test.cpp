#include "platform/web/fingers.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "ui/compat.h"

namespace headlight::app {
namespace {

constexpr float kScale = 2;  // pixels per CSS pixel

// A window with a list, of which a third is seen, and beside it an area that can only be dragged.
class FingersOnAWindow : public ::testing::Test {
  protected:
    FingersOnAWindow() {
        ImGui::CreateContext();
        ImGuiIO& io = ImGui::GetIO();
        io.IniFilename = nullptr;
        io.DisplaySize = {400, 400};
        ui::hear_all_at_once();
        unsigned char* pixels = nullptr;
        int width = 0, height = 0;
        io.Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
        frames(2);
    }
    ~FingersOnAWindow() override { ImGui::DestroyContext(); }
    FingersOnAWindow(const FingersOnAWindow&) = delete;
    FingersOnAWindow& operator=(const FingersOnAWindow&) = delete;

    void frames(int count) {
        for (int i = 0; i < count; ++i) frame();
    }
    void frame() {
        input_.feed([](const Event&) { return true; });
        const ImGuiIO& io = ImGui::GetIO();
        ImGui::GetIO().DeltaTime = 0.02F;
        ImGui::NewFrame();
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize({400, 400});
        ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
        ImGui::Begin("window", nullptr,
                     ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                         ImGuiWindowFlags_NoScrollWithMouse);
        ImGui::SetCursorPos({0, 0});
        ImGui::BeginChild("list", {200, 400});
        for (int row = 0; row < 30; ++row) {
            ImGui::SetCursorPos({0, static_cast<float>(40 * row)});
            if (ImGui::InvisibleButton(std::to_string(row).c_str(), {180, 40})) clicked_ = row;
        }
        scrolled_ = ImGui::GetScrollY();
        ImGui::EndChild();
        ImGui::SetCursorPos({200, 0});
        if (ImGui::InvisibleButton("area", {200, 400})) ++clicks_;
        if (ImGui::IsItemActive()) {
            dragged_.x += io.MouseDelta.x;
            dragged_.y += io.MouseDelta.y;
        }
        held_ = ImGui::IsItemActive();
        if (io.KeyCtrl) zoomed_ += io.MouseWheel;
        ImGui::End();
        ImGui::PopStyleVar();
        ImGui::EndFrame();
    }

    void land(double x, double y, double now = 0) {
        fingers_.land(std::array{Finger{x, y}}, kScale, now);
        frames(2);
    }
    void move(double x, double y) {
        fingers_.move(std::array{Finger{x, y}});
        frames(4);
    }
    void lift() {
        fingers_.lift();
        frames(4);
    }

    Input input_;
    Fingers fingers_{input_};
    float scrolled_ = 0, zoomed_ = 0;
    int clicked_ = -1, clicks_ = 0;
    ImVec2 dragged_{0, 0};
    bool held_ = false;
};

TEST_F(FingersOnAWindow, TapToClick) {
    land(40, 50);
    EXPECT_EQ(clicked_, -1);
    lift();
    EXPECT_EQ(clicked_, 2);  // at 100 pixels, with rows of 40
    land(150, 50);
    lift();
    EXPECT_EQ(clicks_, 1);
    EXPECT_TRUE(input_.by_touch());
}

TEST_F(FingersOnAWindow, ScrollAListAsFarAsTheyMove) {
    land(40, 150);
    move(41, 120);
    move(42, 60);
    EXPECT_EQ(scrolled_, 90 * kScale);
    move(42, 80);
    EXPECT_EQ(scrolled_, 70 * kScale);
    lift();
    EXPECT_EQ(clicked_, -1);
    land(40, 50);  // 100 pixels + 140 scrolled
    lift();
    EXPECT_EQ(clicked_, 6);
}

TEST_F(FingersOnAWindow, ScrollNoFurtherThanTheList) {
    land(40, 50);
    move(40, 150);
    EXPECT_EQ(scrolled_, 0);
    for (int i = 0; i < 10; ++i) {
        lift();
        land(40, 190);
        move(40, 10);
    }
    EXPECT_EQ(scrolled_, 30 * 40 - 400);
}

TEST_F(FingersOnAWindow, DragWhatCannotScroll) {
    land(150, 100);
    move(170, 90);
    move(175, 110);
    EXPECT_EQ(dragged_.x, 25 * kScale);
    EXPECT_EQ(dragged_.y, 10 * kScale);
    lift();
    EXPECT_FALSE(held_);
}

TEST_F(FingersOnAWindow, PressWhereTheyRest) {
    land(150, 100, 1);
    EXPECT_FALSE(fingers_.pass(1.1));
    EXPECT_TRUE(fingers_.pass(1.6));
    frames(2);
    EXPECT_TRUE(held_);
    lift();
    EXPECT_EQ(clicks_, 1);
}

TEST_F(FingersOnAWindow, OfAGestureWithTwoClickNothing) {
    land(40, 150);
    fingers_.land(std::array{Finger{40, 150}, Finger{60, 150}}, kScale, 0);
    frames(2);
    fingers_.move(std::array{Finger{40, 100}, Finger{60, 100}});
    fingers_.move(std::array{Finger{40, 90}, Finger{60, 90}});
    frames(4);
    EXPECT_EQ(scrolled_, 60 * kScale);
    lift();
    EXPECT_EQ(clicked_, -1);
    // Even after the first has begun to drag.
    land(150, 100);
    move(170, 90);
    EXPECT_TRUE(held_);
    fingers_.land(std::array{Finger{170, 90}, Finger{180, 90}}, kScale, 0);
    frames(4);
    lift();
    EXPECT_EQ(clicks_, 0);
    EXPECT_FALSE(held_);
}

TEST_F(FingersOnAWindow, PinchToZoom) {
    fingers_.land(std::array{Finger{150, 100}, Finger{170, 100}}, kScale, 0);
    frames(2);
    for (const double apart : {30.0, 50.0, 80.0}) {
        fingers_.move(std::array{Finger{160 - apart / 2, 100}, Finger{160 + apart / 2, 100}});
        frames(2);
    }
    EXPECT_NEAR(zoomed_, 4 * std::log2(80.0 / 20.0), 1e-4);
    lift();
    EXPECT_EQ(clicks_, 0);
    EXPECT_FALSE(ImGui::GetIO().KeyCtrl);
}

TEST_F(FingersOnAWindow, ThatTheBrowserTakesOverClickNothing) {
    land(150, 100, 1);
    EXPECT_TRUE(fingers_.pass(2));
    frames(2);
    fingers_.cancel();
    frames(4);
    land(40, 50);
    fingers_.cancel();
    frames(4);
    EXPECT_EQ(clicks_, 0);
    EXPECT_EQ(clicked_, -1);
}

}  // namespace
}  // namespace headlight::app
