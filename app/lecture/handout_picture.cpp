#include "lecture/handout_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "figure/svg.h"
#include "frame/scales.h"
#include "frame/step_text.h"
#include "program/ordinals.h"
#include "state/screens.h"

namespace headlight::app {
namespace {

constexpr float kMargin = 20;  // pixels around the step

ui::Rect around(const ui::Rect& a, const ui::Rect& b) {
    const float x = std::min(a.x, b.x), y = std::min(a.y, b.y);
    return {x, y, std::max(a.x + a.w, b.x + b.w) - x, std::max(a.y + a.h, b.y + b.h) - y};
}

// Whether the stop points only to the step's own matrices.
bool is_about_step(OffscreenLesson& lesson) {
    const auto& spotlights = lesson.reader().spotlights();
    return lesson.work().state().look.screen == ScreenId::walk &&
           std::ranges::all_of(spotlights, [](const lessons::Spotlight& spotlight) {
               return spotlight.place.starts_with("stage");
           });
}

// Includes the equation above the step, the arithmetic below it, and the callouts.
ui::Rect area_of(OffscreenLesson& lesson) {
    const ui::Rect screen = lesson.ui().area("screen").value_or(OffscreenLesson::kWindow);
    const auto stage = lesson.ui().area("stage");
    if (!stage || !is_about_step(lesson)) return screen;
    const float top = stage->y - screens::equation_height(lesson.ui());
    ui::Rect area{stage->x - kMargin, top, stage->w + 2 * kMargin, screen.y + screen.h - top};
    for (const auto& [name, widget] : lesson.ui().names())
        if (name.starts_with("lesson.callout.")) area = around(area, widget.rect);
    return area.common(screen);
}

std::string words_of_screen(OffscreenLesson& lesson) {
    const State& state = lesson.work().state();
    std::string words(words_of(state.look.screen).title);
    if (state.look.screen == ScreenId::walk) {
        const Trace& trace = *lesson.work().trace();
        if (const Node* node = trace.node(state.selection.step)) words += ", step " + node->title;
        if (trace.model->layers.size() > 1)
            words += fmt::format(", layer {}", layer_number(*trace.model, trace.layer));
        if (trace.shape.heads > 1) words += fmt::format(", head {}", state.selection.head + 1);
    }
    words += ".";
    for (const lessons::Spotlight& spotlight : lesson.reader().spotlights())
        if (!spotlight.words.empty()) words += " Callout: " + spotlight.words + ".";
    return words;
}

}  // namespace

HandoutPicture handout_picture(OffscreenLesson& lesson) {
    return {figure::svg_of(lesson.recording(), area_of(lesson), lesson.ui(),
                           screens::palette_for(lesson.work().state().look).background, {}),
            words_of_screen(lesson)};
}

}  // namespace headlight::app
