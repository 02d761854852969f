#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "frame/fitting_words.h"
#include "frame/studies.h"
#include "state/score_study.h"
#include "walk/stages.h"

// Why scores are divided by the square root of head_dim: random queries and keys of growing width.
namespace headlight::screens {

namespace {

struct SpreadsMemory {
    int seed = 0;
    std::shared_ptr<const SpreadFinder::Said> last;  // kept while the next is being computed
};

const SpreadFinder::Said* said_of(Frame& frame, SpreadsMemory& memory) {
    memory.last = studies_of(frame).ask(
        kSpreads, {frame.shared(frame.trace), frame.head, static_cast<std::uint64_t>(memory.seed)});
    return memory.last.get();
}

// One statistic over the widths, without and with the scale.
struct Plot {
    const char *name, *title, *brief, *least, *expected, *brief_expected;
    double ScoreSpread::*number;
    double low, high;
    bool logarithmic;
};
constexpr std::array<Plot, 3> kPlots{{
    {"deviation", "standard deviation of the scores", "standard deviation", "std. dev.",
     "√d, and 1 with the scale", "√d; scaled: 1", &ScoreSpread::deviation, 0.1, 100, true},
    {"largest", "a row's largest weight", "largest weight", "weight",
     "1: everything goes to one key", "1: all on one key", &ScoreSpread::largest, 0, 1, false},
    {"gradient", "size of the gradient", "gradient", "gradient", "0: nothing can be learned",
     "0: no learning", &ScoreSpread::gradient, 0, 0.5, false},
}};

struct WidthAxes {
    ui::Rect rect;
    const Plot& plot;

    [[nodiscard]] float x(double width) const {
        const double widest = std::log2(static_cast<double>(kWidestSpread));
        return rect.x + rect.w * static_cast<float>((std::log2(width) - 1) / (widest - 1));
    }
    [[nodiscard]] float y(double value) const {
        const auto place = [&](double v) { return plot.logarithmic ? std::log10(v) : v; };
        const double part = (place(std::clamp(value, plot.low, plot.high)) - place(plot.low)) /
                            (place(plot.high) - place(plot.low));
        return rect.y + rect.h * static_cast<float>(1 - part);
    }
};

ui::TextStyle tick_style(const Frame& frame, ui::Align align) {
    return {.face = ui::Face::mono,
            .size = ui::Size::small,
            .color = frame.colors().dim,
            .align = align};
}

std::vector<double> ticks_of(const Plot& plot) {
    if (plot.logarithmic) return {0.1, 1, 10, 100};
    return {plot.low, (plot.low + plot.high) / 2, plot.high};
}

std::string tick_text(double tick) { return fmt::format("{:g}", tick); }

float widest_tick(Frame& frame, const Plot& plot) {
    float widest = 0;
    for (const double tick : ticks_of(plot))
        widest = std::max(widest, ui::Canvas(frame.ui).measure(
                                      tick_text(tick), tick_style(frame, ui::Align::right)));
    return widest + 1;
}

// Half the width of the last label on the width axis, which is centered below the last point.
float half_of_last_width(Frame& frame) {
    return ui::Canvas(frame.ui).measure(std::to_string(kWidestSpread),
                                        tick_style(frame, ui::Align::center)) /
               2 +
           1;
}

void draw_axes(Frame& frame, const WidthAxes& axes) {
    ui::Canvas canvas(frame.ui);
    const float line = frame.line(), wide = widest_tick(frame, axes.plot);
    for (const double tick : ticks_of(axes.plot)) {
        const float y = axes.y(tick);
        canvas.line({axes.rect.x, y}, {axes.rect.x + axes.rect.w, y}, frame.colors().border);
        canvas.label({axes.rect.x - frame.px(6) - wide, y - line / 2, wide, line}, tick_text(tick),
                     tick_style(frame, ui::Align::right));
    }
    // Labels from the last one down, which is always drawn.
    float free = axes.rect.x + axes.rect.w + half_of_last_width(frame);
    for (int width = kWidestSpread; width >= 2; width /= 2) {
        const std::string text = std::to_string(width);
        const float half = canvas.measure(text, tick_style(frame, ui::Align::center)) / 2 + 1,
                    x = axes.x(width);
        if (x + half > free + 0.5F) continue;
        free = x - half - frame.px(6);
        canvas.label({x - half, axes.rect.y + axes.rect.h + frame.px(2), 2 * half, line}, text,
                     tick_style(frame, ui::Align::center));
    }
}

struct WidthCurve {
    ScoreSpread WidthSpread::*which;
    ImU32 color;
};

void draw_curve(Frame& frame, const WidthAxes& axes, const SpreadStudy& study,
                const WidthCurve& curve) {
    ui::Canvas canvas(frame.ui);
    std::vector<ImVec2> points;
    for (const WidthSpread& width : study.widths)
        points.push_back({axes.x(width.head_dim), axes.y((width.*curve.which).*axes.plot.number)});
    for (const ImVec2& point : points) canvas.circle(point, frame.px(2.5F), curve.color);
    canvas.path(std::move(points), curve.color, frame.px(2));
    const ImVec2 own{axes.x(std::clamp(study.own.head_dim, 2, kWidestSpread)),
                     axes.y((study.own.*curve.which).*axes.plot.number)};
    canvas.circle(own, frame.px(6), frame.colors().background);
    canvas.circle(own, frame.px(5), curve.color, frame.px(2));
}

// The values at the width under the pointer.
void say_at(Frame& frame, const WidthAxes& axes, const SpreadStudy& study) {
    if (!axes.rect.contains(ImGui::GetIO().MousePos)) return;
    const WidthSpread& nearest =
        *std::ranges::min_element(study.widths, {}, [&](const WidthSpread& width) {
            return std::abs(axes.x(width.head_dim) - ImGui::GetIO().MousePos.x);
        });
    ui::Canvas(frame.ui).line({axes.x(nearest.head_dim), axes.rect.y},
                              {axes.x(nearest.head_dim), axes.rect.y + axes.rect.h},
                              frame.colors().dim);
    frame.ui.tooltip(fmt::format("head_dim {}\nwithout the scale {}\nwith it {}", nearest.head_dim,
                                 ui::number(nearest.plain.*axes.plot.number, 4),
                                 ui::number(nearest.scaled.*axes.plot.number, 4)));
}

// The same size for all titles: small if one of them does not fit otherwise.
ui::TextStyle plot_title_style(Frame& frame, float width) {
    const ui::TextStyle large{.face = ui::Face::bold};
    const bool fit = std::ranges::all_of(kPlots, [&](const Plot& plot) {
        return ui::Canvas(frame.ui).measure(plot.brief, large) <= width;
    });
    return fit ? large : ui::TextStyle{.face = ui::Face::bold, .size = ui::Size::small};
}

void draw_plot(Frame& frame, ui::Rect rect, const SpreadStudy& study, const Plot& plot) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle style = plot_title_style(frame, rect.w);
    label_that_fits(canvas, rect.cut_top(frame.line(ui::Size::body)),
                    {plot.title, plot.brief, plot.least}, style);
    const ui::TextStyle dim{.size = ui::Size::small, .color = frame.colors().dim};
    label_that_fits(canvas, rect.cut_top(frame.line()), {plot.expected, plot.brief_expected}, dim);
    rect.cut_top(frame.px(10));
    rect.cut_bottom(frame.line() + frame.px(4));
    rect.cut_left(widest_tick(frame, plot) + frame.px(6));
    rect.cut_right(half_of_last_width(frame));
    if (rect.w < frame.px(40) || rect.h < frame.px(30)) return;
    const WidthAxes axes{rect, plot};
    draw_axes(frame, axes);
    draw_curve(frame, axes, study, {&WidthSpread::plain, frame.colors().hue(ui::Hue::key)});
    draw_curve(frame, axes, study, {&WidthSpread::scaled, frame.colors().accent});
    say_at(frame, axes, study);
    const WidthSpread& last = study.widths.back();
    frame.ui.name(std::string("widths.") + plot.name, {rect, {0, 0, 0, 0}});
    frame.ui.report(
        std::string("widths.") + plot.name,
        fmt::format("{:.4g} {:.4g}", last.plain.*plot.number, last.scaled.*plot.number));
}

// The meaning of the colors, and other values.
void legend(Frame& frame, ui::Rect row, const SpreadStudy& study, SpreadsMemory& memory) {
    ui::Canvas canvas(frame.ui);
    const char* other = "Draw again";
    const ui::Rect button = row.cut_right(ui::button_width(frame.ui, other));
    if (ui::button(frame.ui, "widths.seed", button, other, ui::ButtonLook::outlined,
                   "Draws other random queries and keys"))
        ++memory.seed;
    const auto entry = [&](ImU32 color, const std::string& words) {
        const float side = frame.px(10);
        const ui::Rect place = row.cut_left(side + frame.px(6));
        canvas.fill({place.x, place.center().y - side / 2, side, side}, color, frame.px(2));
        const float wide = canvas.measure(words, {.size = ui::Size::small});
        canvas.label(row.cut_left(wide + frame.px(16)), words, {.size = ui::Size::small});
    };
    entry(frame.colors().hue(ui::Hue::key), "Q·K");
    entry(frame.colors().accent, "Q·K / √head_dim");
    const std::string ring =
        fmt::format("ring: head {}, head_dim {}", frame.head + 1, study.own.head_dim);
    const ui::TextStyle dim{.size = ui::Size::small, .color = frame.colors().dim};
    label_that_fits(canvas, row,
                    {fmt::format("{} · {} random queries and keys", ring, study.tokens), ring,
                     fmt::format("ring: head {}", frame.head + 1), ""},
                    dim);
}

}  // namespace

void stage_score_widths(Frame& frame, const ui::Rect& rect) {
    auto& memory = frame.memory.own<SpreadsMemory>();
    const SpreadFinder::Said* said = said_of(frame, memory);
    if (said == nullptr || !said->error.empty()) {
        const std::string words = said != nullptr ? said->error : "Drawing queries and keys…";
        ui::Canvas(frame.ui).label(rect, words,
                                   {.color = frame.colors().dim, .align = ui::Align::center});
        return;
    }
    ui::Rect rest = rect;
    legend(frame, rest.cut_top(frame.line() + frame.px(8)), said->answer, memory);
    rest.cut_top(frame.px(12));
    const float gap = frame.px(20), w = (rest.w - 2 * gap) / 3;
    const float h = std::min(rest.h, w * 1.3F);
    rest = {rest.x, rest.y + (rest.h - h) / 2, rest.w, h};
    for (const Plot& plot : kPlots) {
        draw_plot(frame, rest.cut_left(w), said->answer, plot);
        rest.cut_left(gap);
    }
}

}  // namespace headlight::screens
