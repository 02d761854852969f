#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "encoder/run_scene.h"
#include "frame/field_row.h"
#include "frame/studies.h"
#include "frame/tensor_text.h"
#include "gradient/chain_rule.h"
#include "state/fields.h"
#include "state/gradient_study.h"
#include "ui/color_bar.h"
#include "ui/equation.h"
#include "walk/gradient_panel.h"
#include "walk/recomputed.h"
#include "walk/stages.h"

// The gradient of one number y of the model's output with respect to each cell of a step, beside
// the step's values. Below, the chain rule for the focused cell.
namespace headlight::screens {

namespace {

using GradientSaid = std::shared_ptr<const GradientFinder::Said>;

// One sentence: why there is no gradient; empty if there is one.
std::string why_none(const Frame& frame) {
    return why_no_gradient(frame.state.look, frame.recipe, frame.trace,
                           frame.work.pinned_trace() != nullptr);
}

GradientSaid gradient_said(Frame& frame) {
    if (frame.pending(Tensor::encoded) || frame.pending(Tensor::logits)) return nullptr;
    const GradientQuestion question =
        gradient_question(frame.state.look, frame.recipe, frame.shared(frame.trace),
                          frame.summary.top, frame.work.pinned_trace());
    GradientSaid said = studies_of(frame).ask(kGradient, question);
    return said && said->question == question ? said : nullptr;
}

std::string words_of_y(const Frame& frame, const GradientFinder::Said& said) {
    const std::string number = ui::number(said.answer.y, 4);
    switch (said.question.of) {
        case GradientOf::answer:
            return fmt::format("y = {}, the logit of “{}”", number,
                               class_name(*frame.trace.model, said.question.of_class.value_or(0)));
        case GradientOf::sum:
            return fmt::format("y = {}, the sum of the output", number);
        case GradientOf::baseline:
            return fmt::format("y = {}, cosine of the output with the baseline's", number);
    }
    return "";
}

// A tensor whose gradient is shown, and its rectangle.
struct GradientMatrix {
    MatrixView cells;
    std::uint64_t version = 0;
    bool of_pixels = false;  // Σ over channels of absolute values
};

GradientMatrix gradient_matrix(const Frame& frame, const GradientStudy& study) {
    if (frame.node().op == Op::frame) return {study.pixels->view(), study.pixels->version(), true};
    const Tensor tensor = frame.node().result();
    return {study.gradients.view(tensor, 0, frame.head), study.gradients.version(tensor)};
}

// Its color range, computed once per matrix.
struct GradientRange {
    const float* cells = nullptr;
    std::uint64_t version = 0;
    Statistics range;
};

ui::ColorScale scale_of_gradient(Frame& frame, const GradientMatrix& matrix) {
    auto& kept = frame.memory.own<GradientRange>();
    if (kept.cells != matrix.cells.data || kept.version != matrix.version)
        kept = {matrix.cells.data, matrix.version, statistics(matrix.cells)};
    return matrix.of_pixels ? positive_scale(frame, kept.range.max)
                            : signed_scale(frame, kept.range.min, kept.range.max);
}

void say_instead_of_gradient(Frame& frame, ui::Layout rect, const std::string& words) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle style{.color = frame.colors().dim};
    rect = rect.inset(frame.px(8), 0);
    const float tall = canvas.measure_wrapped(words, style, rect.w).y;
    rect.top(std::max(0.0F, (rect.h - tall) / 2));
    canvas.wrapped(rect, words, style);
    frame.ui.report("gradient.instead", words);
}

// "∂y/∂A₃", with the definition of y below.
void title_of_gradient(Frame& frame, ui::Layout& rect, const GradientFinder::Said& said,
                       bool of_pixels) {
    const std::string symbol =
        of_pixels ? "Σ |∂y/∂pixel|"
                  : "∂y/∂" + symbol_markup(frame, frame.node().result(), frame.head);
    ui::equation(frame.ui, rect.row(ui::Size::body), ui::parse_equation(symbol), ui::Size::body,
                 ui::Align::left, symbol_colors(frame));
    const std::string words = words_of_y(frame, said);
    const ui::TextStyle style = frame.small_dim();
    rect.paragraph(words, style, 4);
    frame.ui.report("gradient.y", words);
}

void draw_gradient(Frame& frame, ui::Layout rect, const GradientSaid& said) {
    const GradientMatrix matrix = gradient_matrix(frame, said->answer);
    if (matrix.cells.empty())
        return say_instead_of_gradient(
            frame, rect,
            "The output does not depend on this step's result, so it has no gradient.");
    title_of_gradient(frame, rect, *said, matrix.of_pixels);
    ui::Rect bar = rect.last_row(0, 6);
    Shown shown;
    shown.set_cells(matrix.cells, matrix.version, said);
    ui::HeatmapSpec spec;
    spec.name = "gradient.matrix";
    spec.cells = shown.cells;
    spec.scale = scale_of_gradient(frame, matrix);
    const int rows = spec.cells.rows, cols = spec.cells.cols;
    const float aspect = matrix.of_pixels ? static_cast<float>(cols) / static_cast<float>(rows)
                                          : aspect_of(rows, cols, 0.5F, 2.0F);
    ui::Rect place = whole(rect.fit(aspect));
    place.y = std::round(rect.y);  // below its title
    const float wide = std::max(place.w, std::min(rect.w, frame.px(180)));
    bar = {place.center().x - wide / 2, place.y + place.h + frame.px(6), wide, bar.h};
    ui::color_line(frame.ui, bar, spec.scale);
    if (matrix.of_pixels) {
        spec.window = {0, 0, static_cast<float>(rows), static_cast<float>(cols)};
        spec.numbers = false;
        ui::heatmap(frame.ui, place, spec);
        return;
    }
    gl::CellWindow& window = shared_window(frame);
    spec.window = window;
    spec.row = focus_row(frame, frame.node().result());
    spec.col = frame.focus.col;
    focus_result(frame, ui::heatmap(frame.ui, place, spec));
    ui::zoom_and_pan(frame.ui, place, window, rows, cols);
}

// ---- the chain rule of one cell

std::string line_of_ways(const Frame& frame, const ChainRule& rule) {
    if (rule.ways.size() == 1 && rule.ways.front().terms.size() > 1)
        return fmt::format("Σ over {} cells = ", rule.ways.front().terms.size());
    std::string line;
    for (const ChainWay& way : rule.ways) {
        const Node* node = frame.trace.node(way.through);
        line +=
            (line.empty() ? "" : "  +  ") + fmt::format("{} through “{}”", ui::number(way.sum, 3),
                                                        node != nullptr ? node->title : "?");
    }
    return line + " = ";
}

// "= Σ ∂y/∂A₃[15, j] · A[r, j] · ([j = c] − A[r, c])"
std::string markup_of_rule(const Frame& frame, const ChainRule& rule) {
    std::string markup = "∂y/∂" + symbol_markup(frame, rule.tensor, frame.head) +
                         fmt::format(" [{}, {}]", rule.row, rule.col);
    std::string sign = "  =  ";
    for (const ChainWay& way : rule.ways) {
        const bool several = way.terms.size() > 1;
        markup += sign + (several ? "Σ " : "") + "∂y/∂" + symbol_markup(frame, way.of, frame.head) +
                  " " + way.at;
        if (way.derivative != "1") markup += " · " + way.derivative;
        sign = "  +  ";
    }
    return markup;
}

const ChainWay& longest_way(const ChainRule& rule) {
    return *std::ranges::max_element(rule.ways, {},
                                     [](const ChainWay& w) { return w.terms.size(); });
}

void chain_bars(Frame& frame, const ui::Rect& rect, const ChainWay& way) {
    if (way.terms.size() < 2 || rect.h < frame.px(16)) return;
    std::vector<ui::Bar> bars;
    for (const Term& term : way.terms)
        bars.push_back({term.value, term.value >= 0 ? frame.colors().accent
                                                    : frame.colors().hue(ui::Hue::key)});
    const int hovered = ui::bars(frame.ui, "gradient.bars", rect, bars, std::nullopt);
    if (hovered < 0) return;
    const Term& term = way.terms[static_cast<std::size_t>(hovered)];
    frame.ui.tooltip(fmt::format("j = {}: gradient {} × derivative {} = {}", hovered,
                                 ui::number(term.left, 4), ui::number(term.right, 4),
                                 ui::number(term.value, 4)));
}

void report_rule(Frame& frame, const ChainRule& rule) {
    frame.ui.report("gradient.cell", fmt::format("{} {}", rule.row, rule.col));
    frame.ui.report("gradient.shown", fmt::format("{:.9g}", rule.shown));
    frame.ui.report("gradient.recomputed", fmt::format("{:.9g}", rule.recomputed));
    frame.ui.report("gradient.agrees", rule.why_not.empty() ? rule.agrees ? "true" : "false" : "");
    frame.ui.report("gradient.why_not", rule.why_not);
}

void draw_rule(Frame& frame, ui::Layout rect, const ChainRule& rule) {
    ui::Canvas canvas(frame.ui);
    const float line = frame.line(ui::Size::body);
    ui::Layout head = rect.top(line), foot = rect.bottom(line);
    const std::string value = ui::number(rule.shown, 4);
    ui::TextStyle strong{.face = ui::Face::mono,
                         .size = ui::Size::body,
                         .color = frame.colors().accent,
                         .align = ui::Align::right};
    head.words_right(value, strong, 12);
    {
        const auto clip = canvas.clip(head);
        ui::equation(frame.ui, head, ui::parse_equation(markup_of_rule(frame, rule)),
                     ui::Size::body, ui::Align::left, symbol_colors(frame));
    }
    if (!rule.why_not.empty())
        return canvas.label(foot, rule.why_not, {.color = frame.colors().dim});
    const std::string verdict = recomputed_words(rule.agrees, rule.recomputed);
    foot.words_right(verdict, {.color = recomputed_color(frame, rule.agrees)});
    draw_recomputed(frame, foot.right(frame.px(24)), rule.agrees, line * 0.6F,
                    "Recomputed by the chain rule, the value is the one shown.");
    canvas.label(foot, "Chain rule: " + line_of_ways(frame, rule) + value,
                 {.color = frame.colors().dim});
    chain_bars(frame, rect.inset(0, frame.px(4)), longest_way(rule));
}

}  // namespace

bool shows_gradient(const Frame& frame) {
    return frame.state.look.gradient && !frame.difference() && !shows_softmax_bench(frame);
}

void gradient_beside(Frame& frame, const ui::Rect& rect) {
    if (const std::string why = why_none(frame); !why.empty())
        return say_instead_of_gradient(frame, {frame.ui, rect}, why);
    const GradientSaid said = gradient_said(frame);
    if (!said) return say_instead_of_gradient(frame, {frame.ui, rect}, "Computing the gradient…");
    if (!said->error.empty()) return say_instead_of_gradient(frame, {frame.ui, rect}, said->error);
    draw_gradient(frame, {frame.ui, rect}, said);
}

float chain_strip_height(const Frame& frame) {
    return 2 * frame.line(ui::Size::body) + frame.px(20) + frame.px(frame.low ? 40 : 56);
}

void chain_strip(Frame& frame, const ui::Rect& rect) {
    ui::Canvas canvas(frame.ui);
    canvas.card(rect, frame.colors().card);
    if (!why_none(frame).empty()) return;
    const GradientSaid said = gradient_said(frame);
    if (!said || !said->error.empty()) return;
    const Tensor tensor = frame.node().result();
    const ui::TextStyle hint{.color = frame.colors().dim, .align = ui::Align::center};
    if (frame.node().op == Op::frame)
        return canvas.label(rect, "The next step shows the gradient of single pixels.", hint);
    const MatrixView cells = said->answer.gradients.view(tensor, 0, frame.head);
    const auto row = focus_row(frame, tensor);
    if (cells.empty() || !row || !frame.focus.col || *row >= cells.rows ||
        *frame.focus.col >= cells.cols)
        return canvas.label(rect, "Hover a cell to see the chain rule for its gradient.", hint);
    const ChainRule rule = explain_gradient(frame.trace, said->answer.gradients, tensor, frame.head,
                                            *row, *frame.focus.col);
    report_rule(frame, rule);
    draw_rule(frame, {frame.ui, rect, 16, 8}, rule);
}

float gradient_choice_height(Frame& frame) {
    return frame.line() + frame.px(8) +
           (frame.state.look.gradient ? field_height(frame, *find_field("gradient_of")) : 0);
}

void gradient_choice(Frame& frame, ui::Layout rect) {
    const Field& field = *find_field("gradient");
    field_row(frame, field, rect.top(field_height(frame, field)));
    if (frame.state.look.gradient) field_row(frame, *find_field("gradient_of"), rect);
}

}  // namespace headlight::screens
