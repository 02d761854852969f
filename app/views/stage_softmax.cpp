#include <algorithm>
#include <cmath>

#include "analysis/arithmetic.h"
#include "views/stages.h"

namespace headlight::views {

namespace {

constexpr double kExp = 1.0 / 3, kSum = 2.0 / 3;  // the stops of this step (stops_of)

const Trace& compared_trace(const Scene& scene) {
    const bool before = scene.state.look.compare == Compare::before && scene.work.pinned_trace();
    return before ? *scene.work.pinned_trace() : scene.trace;
}

// One line of the row's way: a title, its bars, and what it comes to on the right.
void row_plot(Scene& scene, const ui::Rect& rect, const std::string& name, const std::string& title,
              const std::string& outcome, const std::vector<ui::Bar>& values) {
    ui::Canvas canvas(scene.ui);
    ui::Rect rest = rect;
    const ui::Rect head = rest.cut_top(scene.line());
    canvas.label(head, title, {.size = ui::Size::small, .color = scene.colors().dim});
    canvas.label(head, outcome,
                 {.face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::right});
    rest.cut_top(scene.px(2));
    rest.cut_bottom(scene.px(4));
    const int hovered = ui::bars(scene.ui, name, rest, values, scene.focus.col);
    if (hovered < 0 || !scene.focus.token) return;
    scene.memory.next_hovered.token = scene.focus.token;
    scene.memory.next_hovered.col = scene.memory.next_hovered.key_token = hovered;
    if (ImGui::IsMouseClicked(0))
        scene.say("cell", std::to_string(*scene.focus.token), std::to_string(hovered));
}

void focused_row(Scene& scene, const ui::Rect& rect, int token) {
    const Trace& trace = compared_trace(scene);
    if (scene.head >= trace.shape.heads || token >= trace.shape.queries) return;
    const int col = std::min(scene.focus.col.value_or(0), static_cast<int>(trace.shape.keys) - 1);
    const Arithmetic a = explain_cell(trace, Step::softmax, scene.head, token, col);
    const double phase = scene.state.look.motion ? scene.work.phase() : 1.0;
    const ImU32 ink = scene.colors().hue(ui::Hue::attention),
                quiet = ui::with_alpha(scene.colors().dim, 0.8F);
    std::vector<ui::Bar> shifted, powers, shares;
    const MatrixView shown_row = trace.view(Tensor::attention, 0, scene.head);
    for (std::size_t i = 0; i < a.terms.size(); ++i) {
        shifted.push_back({a.terms[i].left - a.row_max, quiet});
        powers.push_back({a.terms[i].value, ink});
        shares.push_back({shown_row(token, static_cast<Index>(i)), ink});
    }
    const auto at = static_cast<std::size_t>(col);
    const std::string t = std::to_string(token), j = std::to_string(col);
    ui::Rect rest = rect;
    const float each = rest.h / 3;
    row_plot(scene, rest.cut_top(each), "stage.shifted",
             "row " + t + " of S, minus its largest value " + ui::number(a.row_max),
             "s − max = " + ui::number(shifted[at].value), shifted);
    const ui::Rect second = rest.cut_top(each), third = rest;
    if (phase >= kExp || phase >= 1)
        row_plot(scene, second, "stage.exp",
                 "exp of each; " + std::string(phase >= kSum ? "their sum Σ = " + ui::number(a.sum)
                                                             : "all are positive now"),
                 "exp = " + ui::number(a.numerator, 4), powers);
    if (phase >= 1)
        row_plot(scene, third, "stage.shares",
                 "divided by Σ: row " + t + " of A, which adds up to 1",
                 "A[" + t + ", " + j + "] = " + ui::number(shares[at].value, 4), shares);
}

}  // namespace

void stage_softmax(Scene& scene, const ui::Rect& rect) {
    const MatrixView result = scene.trace.view(Tensor::attention, 0, scene.head);
    const float edge = scene.line() + scene.px(4);
    ui::Rect rest = rect;
    ui::Rect upper = rest.cut_top(rest.h * 0.56F);
    upper.cut_top(edge);
    upper.cut_bottom(scene.px(10));
    const float gap = scene.px(110) * scene.ui.text_scale();
    const float aspect =
        std::clamp(static_cast<float>(result.cols) / static_cast<float>(result.rows), 0.5F, 2.0F);
    const float h = std::min(upper.h, (upper.w - edge - gap) / 2 / aspect), w = h * aspect;
    const float x = upper.x + (upper.w - 2 * w - gap) / 2;
    const ui::Rect left{std::round(x), std::round(upper.y), std::round(w), std::round(h)};
    const ui::Rect right{std::round(x + w + gap), left.y, left.w, left.h};

    gl::CellWindow& window = scene.ui.window("stage.result", static_cast<int>(result.rows),
                                             static_cast<int>(result.cols));
    Matrix2D scores{.tensor = Tensor::scores, .head = scene.head, .name = "stage.left"};
    scores.window = window;
    scores.row = scene.focus.token;
    scores.col = scene.focus.col;
    focus_result(scene, draw_matrix(scene, left, scores));
    Matrix2D attention = scores;
    attention.tensor = Tensor::attention;
    attention.name = "stage.result";
    attention.label_left = false;
    if (scene.state.look.motion) attention.revealed = static_cast<float>(scene.work.phase());
    focus_result(scene, draw_matrix(scene, right, attention));
    for (const ui::Rect& place : {left, right})
        if (ui::zoom_and_pan(place, window, static_cast<int>(result.rows),
                             static_cast<int>(result.cols)))
            scene.ui.ask_for_frame();

    ui::Canvas canvas(scene.ui);
    const ui::Rect middle{left.x + left.w, left.y, gap, left.h};
    canvas.arrow_right(middle.center(), scene.px(36), scene.colors().dim);
    canvas.label(
        {middle.x, middle.center().y - scene.line() * 1.6F, middle.w, scene.line()}, "row by row",
        {.size = ui::Size::small, .color = scene.colors().dim, .align = ui::Align::center});
    if (scene.focus.token) {
        focused_row(scene, rest.inset(edge, 0), *scene.focus.token);
    } else {
        canvas.label(
            rest, "Hover or click a row to see exp, sum and division for it.",
            {.size = ui::Size::small, .color = scene.colors().dim, .align = ui::Align::center});
    }
}

}  // namespace headlight::views
