#include <algorithm>
#include <cmath>

#include "frame/field_words.h"
#include "kernels/activation.h"
#include "ops/arithmetic.h"
#include "state/fields.h"
#include "ui/plot.h"
#include "walk/stages.h"

namespace headlight::screens {

namespace {

constexpr Index kSamples = 240;  // points of a curve

struct Curve {
    std::string name;
    std::vector<double> x, y;
};

bool is_gated(const Frame& frame) {
    return headlight::is_gated(frame.node().get<ActivateParameters>().activation);
}

// Uses the layer's own code, so that the curve is exactly what is computed.
Matrix applied(const Frame& frame, const Matrix& x) {
    const auto& [tanh, activation] = frame.node().get<ActivateParameters>();
    if (tanh) return x.array().tanh();
    return activate(x, curve_of(activation));
}

// Covers all inputs, and at least a range around zero.
Curve curve_over(Frame& frame, Tensor input) {
    const MatrixSummary* in = frame.summary.find(input);
    float low = -4, high = 4;
    if (in != nullptr && std::isfinite(in->statistics.min) && std::isfinite(in->statistics.max)) {
        low = std::min(low, in->statistics.min);
        high = std::max(high, in->statistics.max);
    }
    Matrix x(1, kSamples);
    for (Index i = 0; i < kSamples; ++i)
        x(0, i) = low + (high - low) * static_cast<float>(i) / static_cast<float>(kSamples - 1);
    const Matrix y = applied(frame, x);
    std::string name(frame.node().title);
    if (is_gated(frame))
        name = words_of(*find_field("activation"),
                        name_of(curve_of(frame.node().get<ActivateParameters>().activation)));
    return {frame.of_after(name), {x.data(), x.data() + kSamples}, {y.data(), y.data() + kSamples}};
}

ui::Axes axes_of(const Curve& curve, const ui::Rect& rect) {
    const auto [low, high] = std::minmax_element(curve.y.begin(), curve.y.end());
    const double bottom = std::min(0.0, *low), top = std::max(0.0, *high);
    const double air = std::max((top - bottom) * 0.08, 1e-6);
    return {rect, {curve.x.front(), curve.x.back()}, {bottom - air, top + air}};
}

void draw_axes(Frame& frame, const ui::Axes& axes, const Curve& curve) {
    ui::Canvas canvas(frame.ui);
    const ImU32 faint = ui::with_alpha(frame.colors().dim, 0.5F);
    canvas.line(axes.at(axes.x.low, 0), axes.at(axes.x.high, 0), faint);
    canvas.line(axes.at(0, axes.y.low), axes.at(0, axes.y.high), faint);
    const float below = axes.rect.y + axes.rect.h + frame.px(2);
    const ui::Rect ends{axes.rect.x, below, axes.rect.w, frame.line()};
    canvas.label(ends, ui::number(curve.x.front(), 1), frame.mono_dim());
    canvas.label(ends, ui::number(curve.x.back(), 1), frame.mono_dim(ui::Align::right));
    const float high = axes.rect.y - frame.line() - frame.px(2);
    canvas.label({axes.rect.x, high, axes.rect.w, frame.line()}, curve.name, frame.small_dim());
}

// The focused cell: up from its input, then across to its output.
void draw_point(Frame& frame, const ui::Axes& axes, float x, float y) {
    if (!std::isfinite(x) || !std::isfinite(y)) return;
    ui::Canvas canvas(frame.ui);
    const ImVec2 at = axes.at(x, y);
    const ImU32 accent = frame.colors().accent;
    canvas.line(axes.at(x, 0), at, accent, frame.px(1.25F));
    canvas.line(axes.at(0, y), at, accent, frame.px(1.25F));
    canvas.circle(at, frame.px(5), frame.colors().background);
    canvas.circle(at, frame.px(4), accent);
    const std::string text = ui::number(x) + " → " + ui::number(y);
    canvas.label(
        {axes.rect.x - frame.px(30), axes.rect.y + axes.rect.h + frame.line() + frame.px(2),
         axes.rect.w + frame.px(60), frame.line()},
        text,
        {.face = ui::Face::mono,
         .size = ui::Size::small,
         .color = accent,
         .align = ui::Align::center});
    frame.ui.report("curve.in", ui::number(x, 4));
    frame.ui.report("curve.out", ui::number(y, 4));
}

// The input of the focused cell's function; empty if no cell is in focus.
std::optional<float> focused_input(Frame& frame) {
    const Node& step = frame.node();
    const auto row = focus_row(frame, step.result());
    if (!row || !frame.focus.col) return std::nullopt;
    const Arithmetic a =
        explain_cell(frame.trace, frame.node(), frame.head, *row, *frame.focus.col);
    return a.terms.empty() ? std::nullopt : std::optional(a.terms.front().value);
}

void draw_curve(Frame& frame, const ui::Rect& rect) {
    if (rect.empty()) return;
    const Curve curve = curve_over(frame, frame.node().operands[0]);
    const ui::Axes axes = axes_of(curve, rect);
    draw_axes(frame, axes, curve);
    ui::curve(frame.ui, axes, curve.x, curve.y, frame.colors().text);
    if (const auto x = focused_input(frame)) {
        const Matrix one = Matrix::Constant(1, 1, *x);
        draw_point(frame, axes, *x, applied(frame, one)(0, 0));
    }
}

// As many columns of the operand as the result has: one half, if it consists of a gate and a value.
void draw_operand(Frame& frame, const ui::Rect& place, Index first, const std::string& name,
                  std::string below) {
    const Node& step = frame.node();
    gl::CellWindow& window = shared_window(frame);
    Matrix2D m{.tensor = step.operands[0], .name = name};
    m.window = {window.row, window.col + static_cast<float>(first), window.rows, window.cols};
    if (info(m.tensor).rows != Axis::one) m.row = focus_row(frame, m.tensor);
    if (frame.focus.col) m.col = *frame.focus.col + static_cast<int>(first);
    m.label_left = first == 0 && frame.trace.rows(m.tensor) > 1;
    m.bar_below = true;
    if (is_gated(frame)) m.part = frame.trace.cols(step.result());
    m.below = std::move(below);
    ui::HeatmapHit hit = draw_matrix(frame, place, m);
    hit.col -= static_cast<int>(first);
    focus_result(frame, hit);
}

void draw_result(Frame& frame, const ui::Rect& place) {
    Matrix2D m = linked_matrix(frame, frame.node().result(), "stage.result");
    m.label_left = false;
    m.bar_below = true;
    m.revealed = static_cast<float>(frame.phase());
    draw_linked(frame, place, m);
}

// A single row: input, curve and output, one below the other.
void draw_row(Frame& frame, const ui::Rect& rect) {
    const float edge = frame.line() + frame.px(4), low = frame.px(40) * frame.ui.text_scale();
    ui::Layout rest(frame.ui, rect, 40, 0);
    rest.top(edge);
    draw_operand(frame, whole(rest.top(low)), 0, "stage.left", "");
    rest.bottom(edge);
    draw_result(frame, whole(rest.bottom(low)));
    rest.bottom(edge * 3.2F);
    rest.top(edge * 2.4F);
    draw_curve(frame, whole(rest.fit(1.7F)));
}

}  // namespace

void stage_map(Frame& frame, const ui::Rect& rect) {
    const Node& step = frame.node();
    if (frame.trace.rows(step.result()) == 1) return draw_row(frame, rect);
    const bool gated = is_gated(frame);
    const float edge = frame.line() + frame.px(4);
    ui::Layout rest(frame.ui, rect);
    rest.top(edge);
    rest.left(edge);
    rest.bottom(edge);
    const float gap = frame.px(28), curve = std::min(rest.w * 0.26F, frame.px(280));
    const float n = gated ? 3 : 2;
    const float w = std::max(0.0F, std::min((rest.w - curve - gap * n) / n, rest.h));
    const float x = rest.x + (rest.w - w * n - curve - gap * n) / 2;
    const auto place = [&](float left, float width) {
        return whole({left, rest.y, width, rest.h});
    };
    draw_operand(frame, place(x, w), 0, "stage.left", gated ? "gate" : "");
    const float side = std::min(curve, rest.h - 4 * edge);
    draw_curve(frame, whole({x + w + gap, rest.center().y - side / 2, curve, side}));
    float next = x + w + curve + 2 * gap;
    if (gated) {
        draw_operand(frame, place(next, w), frame.trace.cols(step.result()), "stage.right",
                     "value");
        ui::Canvas(frame.ui).label({next - gap, rest.y, gap, rest.h}, "·",
                                   {.size = ui::Size::large, .align = ui::Align::center});
        next += w + gap;
        ui::Canvas(frame.ui).label({next - gap, rest.y, gap, rest.h}, "=",
                                   {.size = ui::Size::large, .align = ui::Align::center});
    }
    draw_result(frame, place(next, w));
}

}  // namespace headlight::screens
