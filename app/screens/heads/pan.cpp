#include "heads/pan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headlight::screens {

namespace {

constexpr float kEachStep = 1.25F;  // zoom per wheel notch or key press

void keep_inside(Viewport& viewport, const ui::Rect& body, ImVec2 whole) {
    viewport.pan.x = std::clamp(viewport.pan.x, 0.0F, std::max(0.0F, whole.x - body.w));
    viewport.pan.y = std::clamp(viewport.pan.y, 0.0F, std::max(0.0F, whole.y - body.h));
}

// Keeps what is at `at` in place.
void zoom_by(float steps, ImVec2 at, const ui::Rect& body, Viewport& viewport,
             const GridSize& size) {
    const ImVec2 before = size(viewport.zoom);
    viewport.zoom = std::clamp(viewport.zoom * std::pow(kEachStep, steps), 1.0F, kMostZoom);
    if (viewport.zoom < 1.01F) viewport.zoom = 1;
    const ImVec2 now = size(viewport.zoom);
    const float x = at.x - body.x, y = at.y - body.y;
    viewport.pan.x = (viewport.pan.x + x) / std::max(before.x, 1.0F) * now.x - x;
    viewport.pan.y = (viewport.pan.y + y) / std::max(before.y, 1.0F) * now.y - y;
}

void turn_wheel(const ui::Rect& body, Viewport& viewport, const GridSize& size) {
    const ImGuiIO& io = ImGui::GetIO();
    if (!std::exchange(viewport.under_pointer, false)) return;
    if (io.KeyCtrl && io.MouseWheel != 0)
        return zoom_by(io.MouseWheel, io.MousePos, body, viewport, size);
    const float step = body.h * 0.12F;
    (io.KeyShift ? viewport.pan.x : viewport.pan.y) -= io.MouseWheel * step;
    viewport.pan.x -= io.MouseWheelH * step;
}

}  // namespace

void move_grid(Frame& frame, const ui::Rect& body, Viewport& viewport, const GridSize& size) {
    if (std::exchange(viewport.show_all, false)) {
        viewport.zoom = 1;
        viewport.pan = {0, 0};
    }
    turn_wheel(body, viewport, size);
    if (const int steps = std::exchange(viewport.zoom_steps, 0); steps != 0)
        zoom_by(static_cast<float>(steps), body.center(), body, viewport, size);
    keep_inside(viewport, body, size(viewport.zoom));
    frame.ui.report("heads.zoom", fmt::format("{:.2f}", viewport.zoom));
    frame.ui.report("heads.pan", fmt::format("{:.0f} {:.0f}", viewport.pan.x, viewport.pan.y));
}

void take_grid_mouse(Frame& frame, const ui::Rect& body, Viewport& viewport, ImVec2 whole) {
    const ImGuiIO& io = ImGui::GetIO();
    const bool inside = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
                        body.contains(io.MousePos);
    viewport.under_pointer = inside;
    if (ImGui::IsMouseClicked(0)) {
        viewport.pressed = inside;
        viewport.dragged = false;
    }
    const bool moves = whole.x > body.w + 1 || whole.y > body.h + 1;
    if (moves && viewport.pressed && ImGui::IsMouseDragging(0, frame.px(4))) {
        viewport.dragged = true;
        viewport.pan.x -= io.MouseDelta.x;
        viewport.pan.y -= io.MouseDelta.y;
        frame.ui.ask_for_frame();
    }
    // The click that ends a drag belongs to it; reset with the next press.
    if (!ImGui::IsMouseDown(0)) viewport.pressed = false;
}

void scroll_mark(Frame& frame, const std::string& name, const ui::Rect& track, float seen,
                 float whole, float& pan) {
    if (whole <= seen + 1) return;
    const bool upright = track.h > track.w;
    const float each = (upright ? track.h : track.w) / whole;
    const ui::Rect edge = upright ? track.inset(frame.px(2), 0) : track.inset(0, frame.px(2));
    const ui::Rect thumb = upright ? ui::Rect{edge.x, edge.y + pan * each, edge.w, seen * each}
                                   : ui::Rect{edge.x + pan * each, edge.y, seen * each, edge.h};
    const auto mouse = ui::interact(frame.ui, name, track, ui::Stop::no);
    const ImVec2 moved = ImGui::GetIO().MouseDelta;
    if (mouse.held) pan += (upright ? moved.y : moved.x) / each;
    const bool lit = mouse.hovered || mouse.held;
    ui::Canvas(frame.ui).fill(thumb, lit ? frame.colors().dim : frame.colors().border, frame.px(2));
}

}  // namespace headlight::screens
