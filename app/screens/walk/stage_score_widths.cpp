#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "frame/studies.h"
#include "state/score_study.h"
#include "ui/plot.h"
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

// head_dim to the right, the statistic upwards.
struct WidthAxes {
    const Plot& plot;
    ui::Axes axes;

    WidthAxes(const ui::Rect& rect, const Plot& of)
        : plot(of), axes{rect, {2, kWidestSpread, true}, {of.low, of.high, of.logarithmic}} {}
    [[nodiscard]] ImVec2 at(double width, double value) const {
        return axes.at(width, axes.y.clamped(value));
    }
    [[nodiscard]] ImVec2 at(const WidthSpread& width, const ScoreSpread& spread) const {
        return at(std::clamp(width.head_dim, 2, kWidestSpread), spread.*plot.number);
    }
};

std::vector<double> ticks_of(const Plot& plot) {
    if (plot.logarithmic) return {0.1, 1, 10, 100};
    return {plot.low, (plot.low + plot.high) / 2, plot.high};
}

std::string tick_text(double tick) { return fmt::format("{:g}", tick); }

float widest_tick(Frame& frame, const Plot& plot) {
    float widest = 0;
    for (const double tick : ticks_of(plot))
        widest = std::max(widest, ui::Canvas(frame.ui).measure(tick_text(tick),
                                                               frame.mono_dim(ui::Align::right)));
    return widest + 1;
}

// Half the width of the last label on the width axis, which is centered below the last point.
float half_of_last_width(Frame& frame) {
    return ui::Canvas(frame.ui).measure(std::to_string(kWidestSpread),
                                        frame.mono_dim(ui::Align::center)) /
               2 +
           1;
}

void draw_axes(Frame& frame, const WidthAxes& axes) {
    ui::Canvas canvas(frame.ui);
    const float line = frame.line(), wide = widest_tick(frame, axes.plot);
    const ui::Rect& rect = axes.axes.rect;
    for (const double tick : ticks_of(axes.plot)) {
        const ImVec2 left = axes.at(2, tick);
        canvas.line(left, axes.at(kWidestSpread, tick), frame.colors().border);
        canvas.label({left.x - frame.px(6) - wide, left.y - line / 2, wide, line}, tick_text(tick),
                     frame.mono_dim(ui::Align::right));
    }
    // Labels from the last one down, which is always drawn.
    float free = rect.x + rect.w + half_of_last_width(frame);
    for (int width = kWidestSpread; width >= 2; width /= 2) {
        const std::string text = std::to_string(width);
        const float half = canvas.measure(text, frame.mono_dim(ui::Align::center)) / 2 + 1,
                    x = axes.at(width, 0).x;
        if (x + half > free + 0.5F) continue;
        free = x - half - frame.px(6);
        canvas.label({x - half, rect.y + rect.h + frame.px(2), 2 * half, line}, text,
                     frame.mono_dim(ui::Align::center));
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
        points.push_back(axes.at(width, width.*curve.which));
    for (const ImVec2& point : points) canvas.circle(point, frame.px(2.5F), curve.color);
    canvas.path(std::move(points), curve.color, frame.px(2));
    const ImVec2 own = axes.at(study.own, study.own.*curve.which);
    canvas.circle(own, frame.px(6), frame.colors().background);
    canvas.circle(own, frame.px(5), curve.color, frame.px(2));
}

// The values at the width under the pointer.
void say_at(Frame& frame, const WidthAxes& axes, const SpreadStudy& study) {
    if (!axes.axes.rect.contains(ImGui::GetIO().MousePos)) return;
    const WidthSpread& nearest =
        *std::ranges::min_element(study.widths, {}, [&](const WidthSpread& width) {
            return std::abs(axes.at(width, width.plain).x - ImGui::GetIO().MousePos.x);
        });
    ui::Canvas(frame.ui).line(axes.at(nearest.head_dim, axes.plot.high),
                              axes.at(nearest.head_dim, axes.plot.low), frame.colors().dim);
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

void draw_plot(Frame& frame, ui::Layout rect, const SpreadStudy& study, const Plot& plot) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle style = plot_title_style(frame, rect.w);
    label_that_fits(canvas, rect.row(ui::Size::body), {plot.title, plot.brief, plot.least}, style);
    const ui::TextStyle dim = frame.small_dim();
    label_that_fits(canvas, rect.row(0, 10), {plot.expected, plot.brief_expected}, dim);
    rect.last_row(4);
    rect.left(widest_tick(frame, plot) + frame.px(6));
    rect.right(half_of_last_width(frame));
    if (rect.w < frame.px(40) || rect.h < frame.px(30)) return;
    const WidthAxes axes(rect, plot);
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
void legend(Frame& frame, ui::Layout row, const SpreadStudy& study, SpreadsMemory& memory) {
    ui::Canvas canvas(frame.ui);
    if (row.button_right("widths.seed", "Draw again", 0, ui::ButtonLook::outlined,
                         "Draws other random queries and keys"))
        ++memory.seed;
    const auto entry = [&](ImU32 color, const std::string& words) {
        canvas.fill(row.left(frame.px(10), 6).fit(1), color, frame.px(2));
        row.words_left(words, {.size = ui::Size::small}, 16);
    };
    entry(frame.colors().hue(ui::Hue::key), "Q·K");
    entry(frame.colors().accent, "Q·K / √head_dim");
    const std::string ring =
        fmt::format("ring: head {}, head_dim {}", frame.head + 1, study.own.head_dim);
    const ui::TextStyle dim = frame.small_dim();
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
    ui::Layout rest(frame.ui, rect);
    legend(frame, rest.row(8, 12), said->answer, memory);
    const float h = std::min(rest.h, rest.column(0, kPlots.size(), 20).w * 1.3F);
    rest = {rest.x, rest.y + (rest.h - h) / 2, rest.w, h};
    for (std::size_t i = 0; i < kPlots.size(); ++i)
        draw_plot(frame, rest.column(i, kPlots.size(), 20), said->answer, kPlots[i]);
}

}  // namespace headlight::screens
