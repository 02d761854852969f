#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "lessons/reader.h"
#include "lessons_screen/callout_place.h"
#include "lessons_screen/lessons.h"

namespace headlight::screens {

namespace {

using ui::Rect;

constexpr float kLeastMark = 10;  // units: a cell may be smaller than a pixel

// Weights of obstacles that a callout should not cover.
constexpr float kOther = 1e4F, kScale = 200, kWords = 40, kName = 20, kMatrix = 10, kWidget = 3;
constexpr float kThroughWords = 5;  // of an arrow, as a multiple of the weight
constexpr float kAround = 3;        // units beside words: half a letter is not legible either

// Areas in square units. A callout may cover some of a larger matrix or widget, such as a picture
// or a plane of vectors, rather than point at it from afar.
constexpr float kUsualMatrix = 40'000, kUsualWidget = 8'000;

// The cost of covering a smaller matrix as a whole.
constexpr float kSmallMatrix = 30'000;

// Other widgets have no cells, or a single one.
bool is_matrix(const ui::Named& widget) {
    return widget.cells.rows > 0 && widget.cells.rows * widget.cells.cols > 1;
}

// "heads.3" is the map of a head, drawn as a button.
bool is_head(std::string_view name) {
    constexpr std::string_view kHeads = "heads.";
    return name.starts_with(kHeads) &&
           name.find_first_not_of("0123456789", kHeads.size()) == std::string_view::npos;
}

// A callout would cover most of it.
bool is_small(const ui::Context& ui, const std::string& name, const ui::Named& widget) {
    return (is_matrix(widget) || is_head(name)) &&
           widget.rect.area() < kUsualMatrix * ui.px(1) * ui.px(1);
}

float weight_of(const ui::Context& ui, const std::string& name, const ui::Named& widget) {
    const float unit = ui.px(1) * ui.px(1), area = std::max(1.0F, widget.rect.area());
    if (is_small(ui, name, widget)) return std::min(kWords, kSmallMatrix * unit / area);
    const bool matrix = is_matrix(widget);
    const float usual = (matrix ? kUsualMatrix : kUsualWidget) * unit;
    return (matrix ? kMatrix : kWidget) * std::min(1.0F, usual / area);
}

// Everything that is drawn, except for widgets as large as half the room, which contain others.
std::vector<Obstacle> obstacles_in(const ui::Context& ui, const Rect& room,
                                   const std::vector<Rect>& taken) {
    std::vector<Obstacle> found;
    const auto add = [&](const Rect& rect, float weight, float crossing = 1,
                         bool essential = false) {
        const Rect seen = rect.common(room);
        if (seen.area() > 0) found.push_back({seen, weight, crossing, essential});
    };
    for (const Rect& other : taken) add(other, kOther, 1, true);
    for (const Rect& scale : ui.kept_clear()) add(scale, kScale, 1, true);
    const float small = ui.line(ui::Size::small);
    for (const Rect& text : ui.texts())  // a formula or a title is larger, and unique
        add(text.inset(-ui.px(kAround), 0), kWords * std::max(1.0F, std::pow(text.h / small, 2.0F)),
            kThroughWords, true);
    for (const auto& [name, widget] : ui.names()) {
        const Rect seen = widget.rect.common(room);
        if (seen.area() < room.area() / 2)
            add(seen, weight_of(ui, name, widget), 1, is_small(ui, name, widget));
        const float line = 1.6F * ui.line(ui::Size::small);
        if (is_matrix(widget))  // its name is above it
            add({widget.rect.x, widget.rect.y - line, widget.rect.w, line}, kName);
    }
    return found;
}

// Positions of this frame's callouts, kept while nothing around them changes.
struct CalloutPlaces {
    std::vector<std::pair<CalloutSpace, CalloutPlace>> of;
};

CalloutPlace place_of(Frame& frame, CalloutSpace space, std::size_t number) {
    auto& known = frame.memory.own<CalloutPlaces>().of;
    if (known.size() <= number) known.resize(number + 1);
    auto& [before, place] = known[number];
    if (before != space) {
        place = place_callout(space);
        before = std::move(space);
    }
    return place;
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
    // In lecture view the text is the stop's.
    const ui::Size type = frame.state.look.lecture ? ui::Size::small : ui::Size::body;
    const ui::TextStyle style{.size = type, .color = frame.colors().on_accent};
    canvas.outline(target, frame.colors().accent, frame.px(2), frame.px(2));
    if (words.empty()) return;
    const float pad = frame.px(12);
    // The spacing below the last line is not part of the text.
    const float air = canvas.wrapped_step(style) - frame.ui.fonts().pixels(style.size);
    CalloutSpace space{target,
                       room,
                       {},
                       frame.px(28) * frame.ui.text_scale(),
                       obstacles_in(frame.ui, room, taken)};
    for (const float units : {230.0F, 130.0F, 95.0F}) {
        const float widest = frame.px(units) * frame.ui.text_scale();
        const ImVec2 text = canvas.measure_wrapped(words, style, widest);
        const CalloutSize size{std::min(text.x, widest) + 2 * pad + 1,
                               text.y - air + 2 * frame.px(10)};
        if (space.sizes.empty() || space.sizes.back() != size) space.sizes.push_back(size);
    }
    const CalloutPlace place = place_of(frame, std::move(space), taken.size());
    const Rect& box = place.box;
    taken.push_back(box);
    frame.ui.name("lesson.callout." + std::to_string(taken.size()), {box, {}});
    // Hides while the pointer is on it, to show what is below.
    if (box.contains(ImGui::GetIO().MousePos)) return;
    arrow(frame, canvas, place.from, place.to);
    canvas.fill(box, frame.colors().accent, frame.px(6));
    canvas.wrapped({box.x + pad, box.y + frame.px(10), box.w - 2 * pad, box.h}, words, style);
}

}  // namespace

std::optional<Rect> lit_place(const ui::Context& ui, const std::string& place, const Rect& window) {
    const auto area = ui.area(place);
    if (!area) return std::nullopt;
    const Rect seen = area->common(window);
    if (seen.w <= 0 || seen.h <= 0) return std::nullopt;
    const float least = ui.px(kLeastMark);
    const float w = std::max(seen.w, least), h = std::max(seen.h, least);
    return Rect{seen.center().x - w / 2, seen.center().y - h / 2, w, h};
}

void lesson_spotlights(Frame& frame, const Rect& window, const Rect& screen) {
    if (frame.reader->busy() || frame.work.panel() != Panel::nothing) return;
    // While improvising, the stop's text may not apply.
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
