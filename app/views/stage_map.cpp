#include <algorithm>
#include <cmath>

#include "kernels/activation.h"
#include "ops/arithmetic.h"
#include "views/stages.h"

namespace headlight::views {

namespace {

constexpr Index kSamples = 240;  // of a curve

struct Curve {
    std::string name;
    std::vector<float> x, y;
};

bool is_gated(const Scene& scene) {
    return scene.node().get<ActivateParameters>().activation == Activation::swiglu;
}

// By the same code that the layer runs, so that the curve is what was computed.
Matrix applied(const Scene& scene, const Matrix& x) {
    const auto& [tanh, activation] = scene.node().get<ActivateParameters>();
    if (tanh) return x.array().tanh();
    return activate(x, activation == Activation::swiglu ? Activation::silu : activation);
}

// Over all numbers that go in, and what lies around zero in any case.
Curve curve_over(Scene& scene, Tensor input) {
    const MatrixSummary* in = scene.summary.find(input);
    float low = -4, high = 4;
    if (in != nullptr && std::isfinite(in->statistics.min) && std::isfinite(in->statistics.max)) {
        low = std::min(low, in->statistics.min);
        high = std::max(high, in->statistics.max);
    }
    Matrix x(1, kSamples);
    for (Index i = 0; i < kSamples; ++i)
        x(0, i) = low + (high - low) * static_cast<float>(i) / static_cast<float>(kSamples - 1);
    const Matrix y = applied(scene, x);
    std::string name(scene.node().title);
    if (is_gated(scene)) name = "SiLU";
    return {scene.of_now(name), {x.data(), x.data() + kSamples}, {y.data(), y.data() + kSamples}};
}

// Numbers to the screen.
struct Axes {
    ui::Rect rect;
    float low_x, high_x, low_y, high_y;

    [[nodiscard]] ImVec2 at(float x, float y) const {
        return {rect.x + (x - low_x) / (high_x - low_x) * rect.w,
                rect.y + (high_y - y) / (high_y - low_y) * rect.h};
    }
};

Axes axes_of(const Curve& curve, const ui::Rect& rect) {
    const auto [low, high] = std::minmax_element(curve.y.begin(), curve.y.end());
    const float bottom = std::min(0.0F, *low), top = std::max(0.0F, *high);
    const float air = std::max((top - bottom) * 0.08F, 1e-6F);
    return {rect, curve.x.front(), curve.x.back(), bottom - air, top + air};
}

void draw_axes(Scene& scene, const Axes& axes, const Curve& curve) {
    ui::Canvas canvas(scene.ui);
    const ImU32 faint = ui::with_alpha(scene.colors().dim, 0.5F);
    canvas.line(axes.at(axes.low_x, 0), axes.at(axes.high_x, 0), faint);
    canvas.line(axes.at(0, axes.low_y), axes.at(0, axes.high_y), faint);
    ui::TextStyle style{
        .face = ui::Face::mono, .size = ui::Size::small, .color = scene.colors().dim};
    const float below = axes.rect.y + axes.rect.h + scene.px(2);
    ui::Rect ends{axes.rect.x, below, axes.rect.w, scene.line()};
    canvas.label(ends, ui::number(curve.x.front(), 1), style);
    style.align = ui::Align::right;
    canvas.label(ends, ui::number(curve.x.back(), 1), style);
    style.align = ui::Align::left;
    style.face = ui::Face::words;
    const float high = axes.rect.y - scene.line() - scene.px(2);
    canvas.label({axes.rect.x, high, axes.rect.w, scene.line()}, curve.name, style);
}

// The focused cell: up from what goes in, across to what comes out.
void draw_point(Scene& scene, const Axes& axes, float x, float y) {
    if (!std::isfinite(x) || !std::isfinite(y)) return;
    ui::Canvas canvas(scene.ui);
    const ImVec2 at = axes.at(x, y);
    const ImU32 accent = scene.colors().accent;
    canvas.line(axes.at(x, 0), at, accent, scene.px(1.25F));
    canvas.line(axes.at(0, y), at, accent, scene.px(1.25F));
    canvas.list()->AddCircleFilled(at, scene.px(5), scene.colors().background);
    canvas.list()->AddCircleFilled(at, scene.px(4), accent);
    const std::string text = ui::number(x) + " → " + ui::number(y);
    canvas.label(
        {axes.rect.x - scene.px(30), axes.rect.y + axes.rect.h + scene.line() + scene.px(2),
         axes.rect.w + scene.px(60), scene.line()},
        text,
        {.face = ui::Face::mono,
         .size = ui::Size::small,
         .color = accent,
         .align = ui::Align::center});
    scene.ui.report("curve.in", ui::number(x, 4));
    scene.ui.report("curve.out", ui::number(y, 4));
}

// What the focused cell's curve is given; nothing where no cell is in focus.
std::optional<float> focused_input(Scene& scene) {
    const Node& step = scene.node();
    const auto row = focus_row(scene, step.result());
    if (!row || !scene.focus.col) return std::nullopt;
    const Arithmetic a = explain_cell(scene.trace, scene.node(), scene.head, *row, *scene.focus.col);
    return a.terms.empty() ? std::nullopt : std::optional(a.terms.front().value);
}

void draw_curve(Scene& scene, const ui::Rect& rect) {
    if (rect.empty()) return;
    const Curve curve = curve_over(scene, scene.node().operands[0]);
    const Axes axes = axes_of(curve, rect);
    draw_axes(scene, axes, curve);
    std::vector<ImVec2> points;
    for (std::size_t i = 0; i < curve.x.size(); ++i)
        points.push_back(axes.at(curve.x[i], curve.y[i]));
    ui::Canvas(scene.ui).list()->AddPolyline(points.data(), static_cast<int>(points.size()),
                                             scene.colors().text, 0, scene.px(2));
    if (const auto x = focused_input(scene)) {
        const Matrix one = Matrix::Constant(1, 1, *x);
        draw_point(scene, axes, *x, applied(scene, one)(0, 0));
    }
}

ui::Rect whole(const ui::Rect& r) {
    return {std::round(r.x), std::round(r.y), std::round(r.w), std::round(r.h)};
}

// Some columns of the operand, as many as the result has: one half where there are a gate and a
// value.
void draw_operand(Scene& scene, const ui::Rect& place, Index first, const std::string& name,
                  std::string below) {
    const Node& step = scene.node();
    gl::CellWindow& window = shared_window(scene);
    Matrix2D m{.tensor = step.operands[0], .name = name};
    m.window = {window.row, window.col + static_cast<float>(first), window.rows, window.cols};
    if (info(m.tensor).rows != Axis::one) m.row = focus_row(scene, m.tensor);
    if (scene.focus.col) m.col = *scene.focus.col + static_cast<int>(first);
    m.label_left = first == 0 && scene.trace.rows(m.tensor) > 1;
    m.bar_below = true;
    m.part = scene.trace.cols(step.result());
    m.below = std::move(below);
    ui::HeatmapHit hit = draw_matrix(scene, place, m);
    hit.col -= static_cast<int>(first);
    focus_result(scene, hit);
}

void draw_result(Scene& scene, const ui::Rect& place) {
    Matrix2D m = linked_matrix(scene, scene.node().result(), "stage.result");
    m.label_left = false;
    m.bar_below = true;
    m.revealed = static_cast<float>(scene.phase());
    draw_linked(scene, place, m);
}

// One row alone: what goes in, the curve, what comes out, one below the other.
void draw_row(Scene& scene, const ui::Rect& rect) {
    const float edge = scene.line() + scene.px(4), low = scene.px(40) * scene.ui.text_scale();
    ui::Rect rest = rect.inset(scene.px(40), 0);
    rest.cut_top(edge);
    draw_operand(scene, whole(rest.cut_top(low)), 0, "stage.left", "");
    rest.cut_bottom(edge);
    draw_result(scene, whole(rest.cut_bottom(low)));
    rest.cut_bottom(edge * 3.2F);
    rest.cut_top(edge * 2.4F);
    draw_curve(scene, whole(rest.fit(1.7F)));
}

}  // namespace

void stage_map(Scene& scene, const ui::Rect& rect) {
    const Node& step = scene.node();
    if (scene.trace.rows(step.result()) == 1) return draw_row(scene, rect);
    const bool gated = is_gated(scene);
    const float edge = scene.line() + scene.px(4);
    ui::Rect rest = rect;
    rest.cut_top(edge);
    rest.cut_left(edge);
    rest.cut_bottom(edge);
    const float gap = scene.px(28), curve = std::min(rest.w * 0.26F, scene.px(280));
    const float n = gated ? 3 : 2;
    const float w = std::max(0.0F, std::min((rest.w - curve - gap * n) / n, rest.h));
    const float x = rest.x + (rest.w - w * n - curve - gap * n) / 2;
    const auto place = [&](float left, float width) {
        return whole({left, rest.y, width, rest.h});
    };
    draw_operand(scene, place(x, w), 0, "stage.left", gated ? "gate" : "");
    const float side = std::min(curve, rest.h - 4 * edge);
    draw_curve(scene, whole({x + w + gap, rest.center().y - side / 2, curve, side}));
    float next = x + w + curve + 2 * gap;
    if (gated) {
        draw_operand(scene, place(next, w), scene.trace.cols(step.result()), "stage.right", "value");
        ui::Canvas(scene.ui).label({next - gap, rest.y, gap, rest.h}, "·",
                                   {.size = ui::Size::large, .align = ui::Align::center});
        next += w + gap;
        ui::Canvas(scene.ui).label({next - gap, rest.y, gap, rest.h}, "=",
                                   {.size = ui::Size::large, .align = ui::Align::center});
    }
    draw_result(scene, place(next, w));
}

}  // namespace headlight::views
