#include <algorithm>
#include <cmath>

#include "program/words.h"
#include "views/stages.h"

namespace headlight::views {

namespace {

// What one row of numbers, shared by all tokens, does to a matrix: the matrix on the left, what is
// known of each token beside it, the shared rows above the result.
struct Columnwise {
    Tensor input, result;
    std::optional<Tensor> moments{};  // two columns: mean and deviation
    std::vector<Strip> above{};
    std::string left_name = "stage.left", result_name = "stage.result";
};

Strip strip_of(Tensor tensor, Line line, Index index, const std::string& letter,
               const std::string& name) {
    return {.tensor = tensor,
            .line = line,
            .index = index,
            .markup = "{" + std::string(info(tensor).name) + ":" + letter + "}",
            .name = "stage." + name};
}

std::vector<Strip> gamma_and_beta(Tensor affine, const std::string& suffix = "") {
    return {strip_of(affine, Line::row, 0, "γ", "gamma" + suffix),
            strip_of(affine, Line::row, 1, "β", "beta" + suffix)};
}

ui::Rect rounded(const ui::Rect& r) {
    return {std::round(r.x), std::round(r.y), std::round(r.w), std::round(r.h)};
}

void draw_above(Scene& scene, const ui::Rect& result, const std::vector<Strip>& strips) {
    const gl::CellWindow& window = shared_window(scene);
    const float each = strip_thickness(scene, Line::row), gap = scene.px(5);
    float y = result.y - (each + gap) * static_cast<float>(strips.size());
    for (Strip strip : strips) {
        strip.first = window.col;
        strip.count = window.cols;
        strip.lit = scene.focus.col;
        draw_strip(scene, rounded({result.x, y, result.w, each}), strip);
        y += each + gap;
    }
}

void draw_moments(Scene& scene, ui::Rect rect, Tensor moments) {
    const gl::CellWindow& window = shared_window(scene);
    const float each = strip_thickness(scene, Line::column), gap = scene.px(10);
    Index index = 0;
    for (const char* letter : {"μ", "σ"}) {
        Strip strip =
            strip_of(moments, Line::column, index, letter, index == 0 ? "mean" : "deviation");
        strip.first = window.row;
        strip.count = window.rows;
        strip.lit = focus_row(scene, moments);
        draw_strip(scene, rounded({rect.x, rect.y, each, rect.h}), strip);
        rect.cut_left(each + gap);
        ++index;
    }
}

// One row alone: everything stacked, so that a column runs through all of it.
void draw_stacked(Scene& scene, const ui::Rect& rect, const Columnwise& c) {
    const float edge = scene.line() + scene.px(4), side = scene.px(70) * scene.ui.text_scale();
    const float low = scene.px(44) * scene.ui.text_scale();
    const float strips =
        (strip_thickness(scene, Line::row) + scene.px(5)) * static_cast<float>(c.above.size());
    const float height = 4 * edge + 2 * low + strips + (c.moments ? edge : 0);
    ui::Rect rest = rect.inset(side, std::max(0.0F, (rect.h - height) / 2));
    rest.cut_top(edge);
    Matrix2D input = linked_matrix(scene, c.input, c.left_name);
    input.label_left = false;
    draw_linked(scene, rounded(rest.cut_top(low)), input);
    if (c.moments) {
        const Shown what = shown(scene, *c.moments, 0);
        rest.cut_top(scene.px(6));
        if (!what.view.empty())
            ui::Canvas(scene.ui).label(
                rest.cut_top(edge),
                "μ = " + ui::number(what.view(0, 0), 4) +
                    "     σ = " + ui::number(what.view(0, 1), 4),
                {.face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::center});
    }
    rest.cut_top(edge + strips);
    Matrix2D result = linked_matrix(scene, c.result, c.result_name);
    result.label_top = result.label_left = false;
    result.bar_below = true;
    result.below = std::string(info(c.result).title);
    result.revealed = static_cast<float>(scene.phase());
    const ui::Rect place = rounded(rest.cut_top(low));
    draw_above(scene, place, c.above);
    draw_linked(scene, place, result);
}

void draw_columnwise(Scene& scene, const ui::Rect& rect, const Columnwise& c) {
    const Index rows = scene.trace.rows(c.result), cols = scene.trace.cols(c.result);
    if (rows == 1) return draw_stacked(scene, rect, c);
    const float edge = scene.line() + scene.px(4);
    const float strips =
        (strip_thickness(scene, Line::row) + scene.px(5)) * static_cast<float>(c.above.size());
    const float moments =
        c.moments ? 2 * strip_thickness(scene, Line::column) + scene.px(10) + scene.px(20) : 0;
    const float middle = scene.px(56) * scene.ui.text_scale();
    ui::Rect rest = rect;
    rest.cut_top(std::max(edge, strips));
    rest.cut_bottom(edge);
    rest.cut_left(edge);
    rest.cut_right(std::max(edge, strip_margin(scene)));
    const float aspect =
        std::clamp(static_cast<float>(cols) / static_cast<float>(rows), 0.4F, 1.1F);
    const float w = std::max(0.0F, std::min((rest.w - moments - middle) / 2, rest.h * aspect));
    const float h = std::min(rest.h, w / 0.4F);
    const float x = rest.x + (rest.w - 2 * w - moments - middle) / 2, y = rest.y + (rest.h - h) / 2;
    const ui::Rect left = rounded({x, y, w, h}),
                   right = rounded({x + w + moments + middle, y, w, h});

    Matrix2D input = linked_matrix(scene, c.input, c.left_name);
    input.bar_below = true;
    draw_linked(scene, left, input);
    if (c.moments)
        draw_moments(scene, {left.x + left.w + scene.px(20), left.y, moments, left.h}, *c.moments);
    if (!left.empty())
        ui::Canvas(scene.ui).arrow_right({right.x - middle * 0.55F, left.center().y}, scene.px(28),
                                         scene.colors().dim);
    draw_above(scene, right, c.above);
    Matrix2D result = linked_matrix(scene, c.result, c.result_name);
    result.label_top = result.label_left = false;
    result.bar_below = true;
    result.below = std::string(info(c.result).title);
    result.revealed = static_cast<float>(scene.phase());
    draw_linked(scene, right, result);
}

}  // namespace

void stage_norm(Scene& scene, const ui::Rect& rect) {
    const Node& step = scene.node();
    draw_columnwise(scene, rect,
                    {.input = step.operands[0],
                     .result = step.result(),
                     .moments = step.results[1],
                     .above = gamma_and_beta(step.weights[0].name)});
}

// The same for queries and for keys; their mean and deviation are not kept.
void stage_qk_norm(Scene& scene, const ui::Rect& rect) {
    ui::Rect rest = rect;
    const ui::Rect half = rest.cut_left(rest.w / 2);
    draw_columnwise(scene, half,
                    {.input = Tensor::raw_query,
                     .result = Tensor::query,
                     .above = gamma_and_beta(Tensor::query_norm_affine)});
    draw_columnwise(scene, rest,
                    {.input = Tensor::raw_key,
                     .result = Tensor::key,
                     .above = gamma_and_beta(Tensor::key_norm_affine, ".k"),
                     .left_name = "stage.left.k",
                     .result_name = "stage.key"});
}

void stage_stretch(Scene& scene, const ui::Rect& rect) {
    const Node& step = scene.node();
    Strip factors = strip_of(step.operands[1], Line::row, 0, "λ", "factors");
    factors.markup = symbol_of(step.operands[1]);
    draw_columnwise(
        scene, rect,
        {.input = step.operands[0], .result = step.result(), .above = {std::move(factors)}});
}

}  // namespace headlight::views
