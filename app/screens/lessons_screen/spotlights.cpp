#include <algorithm>
#include <cmath>
#include <vector>

#include "lessons/reader.h"
#include "lessons_screen/lessons.h"

namespace headlight::screens {

namespace {

using ui::Rect;

constexpr float kLeastMark = 10;  // units: a cell may be less than a pixel

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

// What a call-out is laid over matters more or less, by the area that it hides.
struct Below {
    Rect rect;
    float weight = 1;
};
constexpr float kNever = 1e4F, kHardly = 200, kName = 20, kRather = 3;
constexpr float kFar = 0.25F;  // each pixel away from its place, in lines of its height

float hidden(const Rect& box, const std::vector<Below>& below) {
    float sum = 0;
    for (const auto& [rect, weight] : below) {
        const Rect both = common(box, rect);
        sum += both.w * both.h * weight;
    }
    return sum;
}

// Of everything that is drawn: what a call-out points at and other call-outs are never covered,
// scales hardly, widgets rather not. Those as large as half the screen hold others.
std::vector<Below> laid_out(const ui::Context& ui, const Rect& target, const Rect& room,
                            const std::vector<Rect>& taken) {
    std::vector<Below> below{{target, kNever}};
    for (const Rect& other : taken) below.push_back({other, kNever});
    for (const Rect& scale : ui.kept_clear()) below.push_back({scale, kHardly});
    for (const auto& [name, widget] : ui.names()) {
        const Rect seen = common(widget.rect, room);
        if (seen.w * seen.h > 0 && seen.w * seen.h < room.w * room.h / 2)
            below.push_back({seen, kRather});
        const float line = 1.6F * ui.line(ui::Size::small);
        if (widget.cells.rows > 0)  // the matrix's name is above it
            below.push_back({{widget.rect.x, widget.rect.y - line, widget.rect.w, line}, kName});
    }
    return below;
}

// Near what it speaks of, where it hides least.
Rect place_for(const Rect& target, ImVec2 size, const Rect& room, float gap,
               const std::vector<Below>& below) {
    const Rect around = target.inset(-gap);
    const auto cost = [&](const Rect& box) {
        const ImVec2 a = box.center(), b = target.center();
        const float dx = std::max(0.0F, std::abs(a.x - b.x) - (box.w + target.w) / 2),
                    dy = std::max(0.0F, std::abs(a.y - b.y) - (box.h + target.h) / 2);
        const Rect near = common(box, around);
        return hidden(box, below) + near.w * near.h +
               (std::hypot(dx, dy) + 0.1F * std::hypot(a.x - b.x, a.y - b.y)) * size.y * kFar;
    };
    Rect best = pushed_into(
        {target.x + target.w + gap, target.center().y - size.y / 2, size.x, size.y}, room);
    float least = cost(best);
    const float step = std::max(4.0F, size.y / 4);
    for (float y = room.y; y + size.y <= room.y + room.h; y += step)
        for (float x = room.x; x + size.x <= room.x + room.w; x += step) {
            const Rect box{x, y, size.x, size.y};
            if (const float here = cost(box); here < least) {
                least = here;
                best = box;
            }
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
    // In a lecture the sentence is the stop's.
    const ui::Size type = frame.state.look.lecture ? ui::Size::small : ui::Size::body;
    const ui::TextStyle style{.size = type, .color = frame.colors().on_accent};
    const float pad = frame.px(12), widest = frame.px(230) * frame.ui.text_scale();
    const ImVec2 text = canvas.measure_wrapped(words, style, widest);
    // The last line has its air below it, which is none of the words.
    const float air = canvas.wrapped_step(style) - frame.ui.fonts().pixels(style.size);
    const ImVec2 size{std::min(text.x, widest) + 2 * pad + 1, text.y - air + 2 * frame.px(10)};
    canvas.outline(target, frame.colors().accent, frame.px(2), frame.px(2));
    if (words.empty()) return;
    const Rect box = place_for(target, size, room, frame.px(28) * frame.ui.text_scale(),
                               laid_out(frame.ui, target, room, taken));
    taken.push_back(box);
    frame.ui.name("lesson.callout." + std::to_string(taken.size()), {box, {}});
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
    // What is tried out may be other than what the stop says.
    if (frame.state.look.lecture && frame.state.look.improvise) return;
    std::vector<Rect> taken;
    const Rect room = screen.inset(frame.px(12));
    for (const lessons::Spotlight& spotlight : frame.reader->spotlights()) {
        if (!frame.reader->holds_for(spotlight.place)) continue;
        const auto target = lit_place(frame.ui, spotlight.place, window);
        if (target) call_out(frame, *target, spotlight.words, room, taken);
    }
    frame.ui.report("lesson.spotlights", std::to_string(taken.size()));
}

}  // namespace headlight::screens
