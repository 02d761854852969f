#include <algorithm>
#include <cmath>

#include "frame/lecture_head.h"
#include "ops/arithmetic.h"
#include "walk/stages.h"

namespace headlight::screens {

namespace {

constexpr double kExp = 1.0 / 3, kSum = 2.0 / 3;  // the phases of this step's stops (stops_of)

// One stage of a row: a title, its bars, and the result on the right.
struct RowPlot {
    std::string name, title, outcome;
    std::vector<ui::Bar> values;
};

// In lecture view the text is elsewhere.
ui::Size type_of_plots(const Frame& frame) {
    return frame.state.look.lecture ? ui::Size::small : ui::Size::body;
}

void draw_row_plot(Frame& frame, const ui::Rect& rect, const RowPlot& plot) {
    ui::Canvas canvas(frame.ui);
    ui::Layout rest(frame.ui, rect);
    frame.ui.keep_clear(rect);
    const ui::Size type = type_of_plots(frame);
    ui::Layout head = rest.row(type);
    const ui::TextStyle mono{.face = ui::Face::mono, .size = type, .align = ui::Align::right};
    const ui::TextStyle words{.size = type, .color = frame.colors().dim};
    head.words_right(plot.outcome, mono, 12);
    if (canvas.measure(plot.title, words) <= head.w) canvas.label(head, plot.title, words);
    rest.skip_top(2);
    rest.skip_bottom(4);
    const int hovered = ui::bars(frame.ui, plot.name, rest, plot.values, frame.focus.col);
    if (hovered < 0 || !frame.focus.token) return;
    frame.memory.next_hovered.token = frame.focus.token;
    frame.memory.next_hovered.col = frame.memory.next_hovered.key_token = hovered;
    if (ImGui::IsMouseClicked(0))
        frame.say("cell", std::to_string(*frame.focus.token), std::to_string(hovered));
}

std::vector<ui::Bar> bars_of(const Arithmetic& a, ImU32 color,
                             const std::function<float(std::size_t)>& value) {
    std::vector<ui::Bar> bars;
    for (std::size_t i = 0; i < a.terms.size(); ++i) bars.push_back({value(i), color});
    return bars;
}

// For a query whose keys are all masked: there is no maximum, and the sum is 0.
std::vector<RowPlot> blocked_plots(const Frame& frame, const Arithmetic& a, ImU32 color) {
    const std::string row = "row " + std::to_string(a.row);
    std::vector<RowPlot> plots{
        {"stage.shifted", row + " of S: all keys are masked, every score is −∞", "s = −∞", {}},
        {"stage.exp",
         "exp(−∞) is 0 for every key, so Σ = 0 and the division is undefined",
         "exp = 0",
         {}},
        {"stage.shares",
         row + " of A is fully masked: all weights are 0 by definition (PyTorch: NaN)",
         "A[" + std::to_string(a.row) + ", " + std::to_string(a.col) + "] = 0",
         {}}};
    for (RowPlot& plot : plots) plot.values.assign(a.terms.size(), {0, color});
    plots.resize(frame.phase() >= 1 ? 3 : frame.phase() >= kExp ? 2 : 1);
    return plots;
}

// The plots up to the current stop of this step.
std::vector<RowPlot> row_plots(Frame& frame, const Trace& trace, const Arithmetic& a) {
    const double phase = frame.phase();
    const ImU32 ink = frame.colors().hue(ui::Hue::attention),
                quiet = ui::with_alpha(frame.colors().dim, 0.8F);
    if (a.row_blocked) return blocked_plots(frame, a, ink);
    const MatrixView attention = trace.view(Tensor::attention, 0, frame.head);
    const std::string t = std::to_string(a.row), j = std::to_string(a.col);
    const auto at = static_cast<std::size_t>(a.col);
    const auto n = [](double v, int digits = 3) { return ui::number(v, digits); };
    std::vector<RowPlot> plots;
    plots.push_back({"stage.shifted", "row " + t + " of S, minus its largest value " + n(a.row_max),
                     "s − max = " + n(a.terms[at].left - a.row_max),
                     bars_of(a, quiet, [&](auto i) { return a.terms[i].left - a.row_max; })});
    if (phase >= kExp)
        plots.push_back({"stage.exp",
                         phase >= kSum ? "exp of each; their sum Σ = " + n(a.sum)
                                       : "exp of each: all are positive now",
                         "exp = " + n(a.numerator, 4),
                         bars_of(a, ink, [&](auto i) { return a.terms[i].value; })});
    if (phase >= 1)
        plots.push_back(
            {"stage.shares", "divided by Σ: row " + t + " of A, which adds up to 1",
             "A[" + t + ", " + j + "] = " + n(attention(a.row, a.col), 4),
             bars_of(a, ink, [&](auto i) { return attention(a.row, static_cast<Index>(i)); })});
    return plots;
}

void focused_row(Frame& frame, const ui::Rect& rect, int token) {
    const Trace& trace = frame.trace;
    if (frame.head >= trace.shape.heads || token >= trace.shape.queries) return;
    const int col = std::min(frame.focus.col.value_or(0), static_cast<int>(trace.shape.keys) - 1);
    const Arithmetic a = explain_cell(trace, frame.node(), frame.head, token, col);
    auto plots = row_plots(frame, trace, a);
    for (RowPlot& plot : plots) plot.title = frame.of_after(plot.title);
    const float each = rect.h / 3;
    // In large type in a low window: only the plot of the last stop.
    if (each < frame.line(type_of_plots(frame)) * 1.8F)
        return draw_row_plot(frame, rect, plots.back());
    ui::Layout rest(frame.ui, rect);
    for (const RowPlot& plot : plots) draw_row_plot(frame, rest.top(each), plot);
}

// The stages between S and A.
void row_by_row(Frame& frame, const ui::Rect& rect) {
    ui::Canvas canvas(frame.ui);
    canvas.arrow_right(rect.center(), frame.px(36), frame.colors().dim);
    if (frame.state.look.lecture) return;
    canvas.label({rect.x, rect.center().y - frame.line() * 1.6F, rect.w, frame.line()},
                 "row by row", frame.small_dim(ui::Align::center));
}

// Experimenting with one row needs its scores in memory, and a single result.
bool has_bench(const Frame& frame) {
    return frame.trace.has(Tensor::scores) && !frame.trace.on_demand(Tensor::scores) &&
           !frame.difference();
}

// The button below the arrow.
void way_to_bench(Frame& frame, const ui::Rect& rect) {
    const std::string_view label = "Try a row";
    const float wide = ui::button_width(frame.ui, label), high = frame.line() + frame.px(10);
    if (frame.state.look.lecture || wide > rect.w - frame.px(4)) return;
    const ui::Rect place{std::round(rect.center().x - wide / 2),
                         std::round(rect.center().y + frame.px(26)), wide, high};
    if (!ui::button(frame.ui, "softmax.bench", place, label, ui::ButtonLook::outlined,
                    "Opens the softmax bench: drag one row's scores and set its temperature"))
        return;
    frame.set("softmax_bench", "true");
    frame.memory.gesture_ended = true;
}

// Attention-only import: just the file's content.
void imported_maps(Frame& frame, const ui::Rect& rect) {
    const float edge = frame.line() + frame.px(4);
    ui::Layout rest(frame.ui, rect);
    // In a lecture the matrix takes the space of the text and, in a low window, of the row.
    const bool lecture = frame.state.look.lecture;
    if (!lecture) {
        const ui::TextStyle style{.color = frame.colors().dim, .align = ui::Align::center};
        ui::Canvas(frame.ui).label(rest.top(edge, 8),
                                   "This file holds only attention maps, without scores or values.",
                                   style);
    }
    rest.top(edge);
    const float row_height = !lecture    ? rest.h * 0.24F
                             : frame.low ? 0
                                         : std::min(rest.h * 0.24F, frame.line() * 2.6F);
    const ui::Rect lower = rest.bottom(row_height);
    rest.bottom(room_below(frame));
    const float side = std::max(0.0F, std::min(rest.h, rest.w - 2 * edge));
    Matrix2D m = linked_matrix(frame, Tensor::attention, "stage.result");
    m.bar_below = true;
    draw_linked(
        frame, {std::round(rest.center().x - side / 2), rest.y, std::round(side), std::round(side)},
        m);
    const MatrixView result = shown(frame, Tensor::attention, frame.head).view;
    const auto row = frame.focus.token;
    if (!row || *row >= result.rows || lower.empty()) return;
    const int col = std::min(frame.focus.col.value_or(0), static_cast<int>(result.cols) - 1);
    double sum = 0;
    for (Index i = 0; i < result.cols; ++i) sum += result(*row, i);
    RowPlot plot{"stage.shares",
                 "row " + std::to_string(*row) + " of A; it adds up to " + ui::number(sum, 4),
                 "A[" + std::to_string(*row) + ", " + std::to_string(col) +
                     "] = " + ui::number(result(*row, col), 4),
                 {}};
    for (Index i = 0; i < result.cols; ++i)
        plot.values.push_back({result(*row, i), frame.colors().hue(ui::Hue::attention)});
    draw_row_plot(frame, lower.inset(edge, 0), plot);
}

}  // namespace

bool shows_softmax_bench(const Frame& frame) {
    return frame.state.look.softmax_bench && frame.state.look.stage_view == StageView::usual &&
           frame.node().op == Op::softmax && has_bench(frame);
}

void stage_softmax(Frame& frame, const ui::Rect& rect) {
    if (!frame.trace.has(Tensor::scores)) return imported_maps(frame, rect);
    const MatrixView result = frame.trace.view(Tensor::attention, 0, frame.head);
    const float edge = frame.line() + frame.px(4);
    ui::Layout rest(frame.ui, rect);
    // In a lecture, one plot is enough in a low window, unless the whole window is the lesson's.
    const bool low = frame.state.look.improvise;
    float plots = rest.h * (low ? 0.3F : frame.beside > 0 ? 0.5F : 0.44F);
    if (frame.state.look.lecture && frame.beside <= 0) plots = std::min(plots, frame.line() * 2.6F);
    ui::Layout upper = rest.top(rest.h - plots);
    upper.top(edge);
    upper.bottom(room_below(frame));
    const float gap = frame.px(frame.state.look.lecture ? 56 : 110);
    const float aspect = aspect_of(result.rows, result.cols, 0.5F, 2.0F);
    const float most = std::max(0.0F, (upper.w - edge - gap) / 2),
                h = std::max(0.0F, std::min(upper.h, most / aspect)),
                w = wide_for_numbers(frame, result.rows, result.cols, {h * aspect, h}, most);
    // A lesson's callout finds room at the right of both.
    const float centered = (upper.w - 2 * w - gap) / 2;
    const float x =
        upper.x + (is_spoken_of(frame, "stage.result") ? std::min(edge, centered) : centered);
    const ui::Rect left{std::round(x), std::round(upper.y), std::round(w), std::round(h)};
    const ui::Rect right{std::round(x + w + gap), left.y, left.w, left.h};

    Matrix2D m = linked_matrix(frame, Tensor::scores, "stage.left");
    m.bar_below = true;
    draw_linked(frame, left, m);
    m.tensor = Tensor::attention;
    m.name = "stage.result";
    m.label_left = false;
    m.revealed = static_cast<float>(frame.phase());
    draw_linked(frame, right, m);

    if (!left.empty()) row_by_row(frame, {left.x + left.w, left.y, gap, left.h});
    if (!left.empty() && has_bench(frame))
        way_to_bench(frame, {left.x + left.w, left.y, gap, left.h});
    if (frame.focus.token) {
        focused_row(frame, rest.inset(edge, 0), *frame.focus.token);
    } else {
        ui::Canvas(frame.ui).label(
            rest, "Hover or click a row to see its exponentials, their sum and the division.",
            {.color = frame.colors().dim, .align = ui::Align::center});
    }
}

}  // namespace headlight::screens
