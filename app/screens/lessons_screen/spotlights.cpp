#include <algorithm>
#include <array>
#include <cmath>

#include "lessons/reader.h"
#include "lessons_screen/lessons.h"

namespace headlight::screens {

namespace {

using ui::Rect;

constexpr float kLeastMark = 10;  // units: a cell may be less than a pixel

bool overlap(const Rect& a, const Rect& b) {
    return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}
bool within(const Rect& a, const Rect& b) {
    return a.x >= b.x && a.y >= b.y && a.x + a.w <= b.x + b.w && a.y + a.h <= b.y + b.h;
}

Rect common(const Rect& a, const Rect& b) {
    const float x = std::max(a.x, b.x), y = std::max(a.y, b.y);
    return {x, y, std::max(0.0F, std::min(a.x + a.w, b.x + b.w) - x),
            std::max(0.0F, std::min(a.y + a.h, b.y + b.h) - y)};
}

Rect pushed_into(Rect box, const Rect& room) {
    box.x = std::clamp(box.x, room.x, std::max(room.x, room.x + room.w - box.w));
    box.y = std::clamp(box.y, room.y, std::max(room.y, room.y + room.h - box.h));
    return box;
}

// Beside what it speaks of, where there is room and nothing else was said.
Rect place_for(const Rect& target, ImVec2 size, const Rect& room, float gap,
               const std::vector<Rect>& taken) {
    const float cx = target.center().x - size.x / 2, cy = target.center().y - size.y / 2;
    const float right = target.x + target.w + gap, below = target.y + target.h + gap;
    const float left = target.x - gap - size.x, above = target.y - gap - size.y;
    const std::array<ImVec2, 8> corners{{{right, cy - gap},
                                         {left, cy - gap},
                                         {cx, below},
                                         {cx, above},
                                         {right, below},
                                         {left, below},
                                         {right, above},
                                         {left, above}}};
    const auto is_free = [&](const Rect& box) {
        return std::ranges::none_of(taken, [&](const Rect& other) { return overlap(box, other); });
    };
    // Better another side than one where the window's edge moves it over something else.
    for (const ImVec2 corner : corners) {
        const Rect box{corner.x, corner.y, size.x, size.y};
        if (within(box, room) && is_free(box)) return box;
    }
    Rect best = pushed_into({right, cy, size.x, size.y}, room);
    for (const ImVec2 corner : corners) {
        const Rect box = pushed_into({corner.x, corner.y, size.x, size.y}, room);
        if (is_free(box) && !overlap(box, target)) return box;
        if (is_free(box)) best = box;
    }
    return best;
}

// The point of a rectangle that is nearest to another point.
ImVec2 nearest(const Rect& r, ImVec2 to) {
    return {std::clamp(to.x, r.x, r.x + r.w), std::clamp(to.y, r.y, r.y + r.h)};
}

void arrow(Frame& frame, ui::Canvas& canvas, ImVec2 from, ImVec2 to) {
    const float dx = to.x - from.x, dy = to.y - from.y, length = std::hypot(dx, dy);
    const float tip = frame.px(9);
    if (length < tip) return;
    const float ux = dx / length, uy = dy / length;
    const ImVec2 neck{to.x - ux * tip, to.y - uy * tip};
    canvas.line(from, neck, frame.colors().accent, frame.px(2));
    canvas.triangle(to, {neck.x - uy * tip * 0.5F, neck.y + ux * tip * 0.5F},
                    {neck.x + uy * tip * 0.5F, neck.y - ux * tip * 0.5F}, frame.colors().accent);
}

void call_out(Frame& frame, const Rect& target, const std::string& words, const Rect& room,
              std::vector<Rect>& taken) {
    ui::Canvas canvas(frame.ui, ui::Canvas::Over::everything);
    const ui::TextStyle style{.size = ui::Size::body, .color = frame.colors().on_accent};
    const float pad = frame.px(12), widest = frame.px(230) * frame.ui.text_scale();
    const ImVec2 text = canvas.measure_wrapped(words, style, widest);
    // The last line has its air below it, which is none of the words.
    const float air = canvas.wrapped_step(style) - frame.ui.fonts().pixels(style.size);
    const ImVec2 size{std::min(text.x, widest) + 2 * pad + 1, text.y - air + 2 * frame.px(10)};
    canvas.outline(target, frame.colors().accent, frame.px(2), frame.px(2));
    if (words.empty()) return;
    const Rect box = place_for(target, size, room, frame.px(36) * frame.ui.text_scale(), taken);
    taken.push_back(box);
    // What lies below it can still be looked at.
    if (box.contains(ImGui::GetIO().MousePos)) return;
    const ImVec2 to = nearest(target, box.center());
    arrow(frame, canvas, nearest(box, to), to);
    canvas.fill(box, frame.colors().accent, frame.px(6));
    canvas.wrapped({box.x + pad, box.y + frame.px(10), widest + 1, text.y}, words, style);
}

}  // namespace

std::optional<Rect> lit_place(const ui::Context& ui, const std::string& place, const Rect& window) {
    const auto area = ui.area(place);
    if (!area) return std::nullopt;
    const Rect seen = common(*area, window);
    if (seen.w <= 0 || seen.h <= 0) return std::nullopt;
    const float least = ui.px(kLeastMark);
    const float w = std::max(seen.w, least), h = std::max(seen.h, least);
    return Rect{seen.center().x - w / 2, seen.center().y - h / 2, w, h};
}

void lesson_spotlights(Frame& frame, const Rect& window, const Rect& screen) {
    if (frame.reader->busy() || frame.work.panel() != Panel::nothing) return;
    std::vector<Rect> taken;
    const Rect room = screen.inset(frame.px(12));
    for (const lessons::Spotlight& spotlight : frame.reader->spotlights()) {
        const auto target = lit_place(frame.ui, spotlight.place, window);
        if (target) call_out(frame, *target, spotlight.words, room, taken);
    }
    frame.ui.report("lesson.spotlights", std::to_string(taken.size()));
}

}  // namespace headlight::screens
