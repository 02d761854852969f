#include "walk/signal_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/denoising.h"
#include "ui/plot.h"
#include "walk/stages.h"

namespace headlight::screens {

namespace {

// The line that the mouse is drawing.
struct Stroke {
    std::string plot;  // "": none
    int sample = 0;
    float level = 0;
};

constexpr double kShownLevel = 2.2;  // slightly more than can be drawn

// In pieces, because ImGui's line gets thin where a path turns sharply.
void draw_line(ui::Canvas& canvas, const ui::Axes& place, const float* values, std::size_t count,
               Index first, ImU32 color, float thick) {
    const auto point = [&](std::size_t i) {
        return place.at(static_cast<double>(first) + static_cast<double>(i), values[i]);
    };
    for (std::size_t i = 1; i < count; ++i) canvas.line(point(i - 1), point(i), color, thick);
}

void draw_window(Frame& frame, const ui::Axes& place, const Denoising& found, Index window) {
    if (!frame.focus.token) return;
    ui::Canvas canvas(frame.ui);
    const auto from = static_cast<float>(*frame.focus.token);
    const ImVec2 left = place.at(from - 0.5F, 0);
    const ImVec2 right = place.at(from + static_cast<float>(window) - 0.5F, 0);
    const ui::Rect box{left.x, place.rect.y, std::max(right.x - left.x, 1.0F), place.rect.h};
    canvas.fill(box, ui::with_alpha(frame.colors().accent, 0.16F));
    canvas.outline(box, frame.colors().accent, 1);
    const auto i = static_cast<std::size_t>(*frame.focus.token);
    if (i >= found.attended.size()) return;
    canvas.circle(place.at(from + static_cast<float>(found.first), found.attended[i]), frame.px(5),
                  frame.colors().accent, frame.px(2));
}

void draw_levels(Frame& frame, const ui::Axes& place, const ui::Rect& rect, bool numbers) {
    ui::Canvas canvas(frame.ui);
    for (const int level : {-2, -1, 0, 1, 2}) {
        const float y = place.at(0, static_cast<float>(level)).y;
        canvas.line({rect.x, y}, {rect.x + rect.w, y}, frame.colors().border);
        if (numbers && level > -2)
            canvas.text({rect.x + frame.px(4), y},
                        (level < 0 ? "−" : "") + std::to_string(std::abs(level)), frame.mono_dim());
    }
}

void draw_curves(Frame& frame, const ui::Axes& place, const Denoising& found, bool large) {
    const ui::Palette& colors = frame.colors();
    const MatrixView noisy = frame.trace.view(Tensor::curve),
                     clean = frame.trace.view(Tensor::clean_curve);
    const auto count = static_cast<std::size_t>(noisy.cols);
    const float thin = frame.px(large ? 1.5F : 1), thick = frame.px(large ? 3 : 2);
    ui::Canvas canvas(frame.ui);
    draw_line(canvas, place, noisy.data, count, 0, ui::with_alpha(colors.dim, 0.7F), thin);
    draw_line(canvas, place, clean.data, count, 0, colors.text, thin);
    draw_line(canvas, place, found.average.data(), found.average.size(), found.first,
              colors.hue(ui::Hue::weight), thick * 0.7F);
    draw_line(canvas, place, found.attended.data(), found.attended.size(), found.first,
              colors.hue(ui::Hue::attention), thick);
}

struct Entry {
    std::string words;
    ImU32 color;
};

// The names of the lines, with each one's error relative to the clean signal.
std::vector<Entry> legend_of(const Frame& frame, const Denoising& found) {
    const ui::Palette& colors = frame.colors();
    std::vector<Entry> entries{
        {fmt::format("with noise: error {}", ui::number(found.noisy_error)), colors.dim},
        {fmt::format("moving average: {}", ui::number(found.average_error)),
         colors.hue(ui::Hue::weight)}};
    if (!found.attended.empty())
        entries.push_back({fmt::format("attention: {}", ui::number(found.attended_error)),
                           colors.hue(ui::Hue::attention)});
    entries.push_back({"clean", colors.text});
    return entries;
}

// Width of the dash in a line's color before its text, in pixels.
float dash_room(const Frame& frame) { return frame.px(16) * frame.ui.text_scale(); }

// The entries, as many per line as fit; a wider one wraps.
struct Legend {
    std::vector<ui::Rect> places;  // of dash and text, relative to the legend's corner
    float height = 0;
};
Legend set_legend(const Frame& frame, const std::vector<Entry>& entries, float width) {
    const ui::Canvas canvas(frame.ui);
    Legend legend;
    float x = 0, y = 0;
    for (const Entry& entry : entries) {
        const float wide =
            dash_room(frame) + canvas.measure(entry.words, {.size = ui::Size::small}) + 1;
        if (x > 0 && x + wide > width) {
            x = 0;
            y += frame.line();
        }
        const float room = std::min(wide, width);
        const float tall =
            canvas.measure_wrapped(entry.words, {.size = ui::Size::small}, room - dash_room(frame))
                .y;
        legend.places.push_back({x, y, room, tall});
        legend.height = y + tall + frame.px(4);
        x += wide + frame.px(18);
        y += tall - frame.line();
    }
    return legend;
}

void draw_legend(Frame& frame, const ui::Rect& rect, const std::vector<Entry>& entries,
                 const Legend& legend) {
    ui::Canvas canvas(frame.ui);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        ui::Layout row(frame.ui, legend.places[i]);
        row.x += rect.x;
        row.y += rect.y;
        const ui::Rect dash = row.left(dash_room(frame));
        const float middle = dash.y + frame.line() / 2;
        canvas.line({dash.x, middle}, {dash.x + dash.w * 0.75F, middle}, entries[i].color,
                    frame.px(2.5F) * frame.ui.text_scale());
        canvas.wrapped(row, entries[i].words, {.size = ui::Size::small});
    }
}

void take_mouse(Frame& frame, const ui::Axes& place, const std::string& name, Index tokens,
                Index window) {
    const auto mouse = ui::interact(frame.ui, name, place.rect);
    Stroke& stroke = frame.memory.own<Stroke>();
    const ImVec2 at = place.value_at(ImGui::GetIO().MousePos);
    const int sample =
        std::clamp(static_cast<int>(std::floor(at.x + 0.5F)), 0, static_cast<int>(place.x.high));
    if (mouse.hovered)
        frame.memory.next_hovered.token = static_cast<int>(
            std::clamp<Index>(sample - window / 2, 0, std::max<Index>(tokens - 1, 0)));
    if (frame.before()) return;
    const float level = std::round(std::clamp(at.y, -kMostLevel, kMostLevel) * 100) / 100;
    const auto number = [](float value) { return fmt::format("{}", value == 0 ? 0 : value); };
    if (stroke.plot == name && mouse.held) {
        if (sample != stroke.sample || level != stroke.level)
            frame.say("draw-signal", std::to_string(stroke.sample), number(stroke.level),
                      std::to_string(sample), number(level));
        stroke = {name, sample, level};
    } else if (stroke.plot == name) {
        stroke = {};
        frame.memory.gesture_ended = true;
    } else if (mouse.hovered && ImGui::IsMouseClicked(0)) {
        stroke = {name, sample, level};
    }
}

}  // namespace

void signal_plot(Frame& frame, const ui::Rect& rect, const std::string& name) {
    const auto found = denoising_of(frame.trace);
    if (!found || rect.empty()) return;
    const bool large = rect.w > frame.px(480);
    ui::Canvas canvas(frame.ui);
    ui::Layout whole(frame.ui, rect);
    const std::vector<Entry> entries = legend_of(frame, *found);
    const Legend legend = set_legend(frame, entries, whole.w);
    const ui::Layout below = whole.bottom(std::min(legend.height, whole.h / 2));
    canvas.card(whole, frame.colors().card);
    const auto samples = static_cast<double>(frame.trace.cols(Tensor::curve));
    const ui::Axes place{
        whole.inset(frame.px(8), frame.px(4)), {-0.5, samples - 0.5}, {-kShownLevel, kShownLevel}};
    const Index window = frame.trace.node(Step::windows)->get<WindowParameters>().window;
    {
        const auto clip = canvas.clip(whole);
        draw_levels(frame, place, whole, large);
        draw_window(frame, place, *found, window);
        draw_curves(frame, place, *found, large);
    }
    std::string said;
    for (const Entry& entry : entries) said += (said.empty() ? "" : " · ") + entry.words;
    draw_legend(frame, below, entries, legend);
    frame.ui.report("signal", said);
    take_mouse(frame, place, name, static_cast<Index>(found->average.size()), window);
}

}  // namespace headlight::screens
