#include "window/pen.h"
#include "ui/window.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

namespace headlight::screens {

namespace {

constexpr float kDot = 1.0F / 60, kPen = 1.0F / 180;  // fractions of the window's height
constexpr ImU32 kInk = IM_COL32(225, 20, 40, 255);
constexpr std::size_t kMostPoints = 20000;

// What was drawn on; on other content the lines would be meaningless.
using Below = std::tuple<ScreenId, Step, int, long, float, float>;

struct Drawing {
    Below below{};
    std::vector<std::vector<ImVec2>> lines;
    std::size_t points = 0;
};

Below below_of(const Frame& frame, const ui::Rect& window) {
    const bool lesson = frame.in_lesson();
    return {frame.state.look.screen,
            frame.state.selection.step,
            frame.state.recipe.layer,
            lesson ? frame.reader->entries() : -1,
            window.w,
            window.h};
}

// Takes the mouse from everything below.
void take_lines(Drawing& drawing, const ui::Rect& window) {
    ImGui::SetNextWindowFocus();
    ui::begin_window("pen", window, ImGuiWindowFlags_NoNav);
    const ImVec2 at = ImGui::GetIO().MousePos;
    if (ImGui::IsMouseClicked(0)) drawing.lines.emplace_back();
    if (ImGui::IsMouseDown(0) && !drawing.lines.empty() && drawing.points < kMostPoints) {
        std::vector<ImVec2>& line = drawing.lines.back();
        if (line.empty() || std::hypot(at.x - line.back().x, at.y - line.back().y) >= 2) {
            line.push_back(at);
            ++drawing.points;
        }
    }
    ImGui::End();
}

}  // namespace

void pointer_dot(Frame& frame, const ui::Rect& window) {
    const ImVec2 at = ImGui::GetIO().MousePos;
    if (!window.contains(at)) return;
    ui::Canvas canvas(frame.ui, ui::Canvas::Over::everything);
    const float radius = window.h * kDot;
    canvas.circle(at, radius * 1.5F, IM_COL32(255, 40, 40, 70));
    canvas.circle(at, radius, kInk);
    frame.ui.report("pointer_dot", "on");
    frame.ui.tooltip("");
}

void pen(Frame& frame, const ui::Rect& window) {
    auto& drawing = frame.memory.own<Drawing>();
    const Below below = below_of(frame, window);
    if (!frame.state.look.pen || drawing.below != below) drawing = {below, {}, 0};
    if (!frame.state.look.pen) return;
    take_lines(drawing, window);
    ui::Canvas canvas(frame.ui, ui::Canvas::Over::everything);
    const float wide = std::max(2.0F, window.h * kPen);
    for (const std::vector<ImVec2>& line : drawing.lines)
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (i > 0) canvas.line(line[i - 1], line[i], kInk, wide);
            canvas.circle(line[i], wide / 2, kInk);
        }
    ImGui::SetMouseCursor(ImGuiMouseCursor_None);
    canvas.circle(ImGui::GetIO().MousePos, wide, kInk);
    frame.ui.report("pen", std::to_string(drawing.lines.size()));
    frame.ui.tooltip("");
}

}  // namespace headlight::screens
