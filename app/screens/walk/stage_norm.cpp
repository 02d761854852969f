#include <algorithm>
#include <cmath>

#include "program/words.h"
#include "walk/stages.h"

namespace headlight::screens {

namespace {

// Of the width that the matrices could have: ranges beside the strips never leave them less.
constexpr float kLeastPart = 0.75F;

// The effect of rows shared by all tokens on a matrix: the matrix on the left, each token's moments
// beside it, and the shared rows above the result.
struct Columnwise {
    Tensor input, result;
    std::optional<Tensor> moments{};  // two columns: mean and standard deviation
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

void draw_above(Frame& frame, const ui::Rect& result, const std::vector<Strip>& strips,
                bool ranges = true) {
    const gl::CellWindow& window = shared_window(frame);
    const float each = strip_thickness(frame, Line::row), gap = frame.px(5);
    float y = result.y - (each + gap) * static_cast<float>(strips.size());
    for (Strip strip : strips) {
        strip.first = window.col;
        strip.count = window.cols;
        strip.lit = frame.focus.col;
        strip.range = ranges;
        draw_strip(frame, rounded({result.x, y, result.w, each}), strip);
        y += each + gap;
    }
}

void draw_moments(Frame& frame, ui::Layout rect, Tensor moments, bool ranges) {
    const gl::CellWindow& window = shared_window(frame);
    const float each = strip_thickness(frame, Line::column, ranges), gap = frame.px(10);
    Index index = 0;
    for (const char* letter : {"μ", "σ"}) {
        Strip strip =
            strip_of(moments, Line::column, index, letter, index == 0 ? "mean" : "deviation");
        strip.first = window.row;
        strip.count = window.rows;
        strip.lit = focus_row(frame, moments);
        strip.range = ranges;
        draw_strip(frame, rounded({rect.x, rect.y, each, rect.h}), strip);
        rect.left(each + gap);
        ++index;
    }
}

// A single row: everything stacked, so that columns line up.
void draw_stacked(Frame& frame, const ui::Rect& rect, const Columnwise& c) {
    const float edge = frame.line() + frame.px(4), side = frame.px(70) * frame.ui.text_scale();
    const float strips =
        (strip_thickness(frame, Line::row) + frame.px(5)) * static_cast<float>(c.above.size());
    const float words = 4 * edge + strips + (c.moments ? edge + frame.px(6) : 0);
    const float low = std::clamp((rect.h - words) / 2, 0.0F, frame.px(44) * frame.ui.text_scale());
    const float height = words + 2 * low;
    ui::Layout rest(frame.ui, rect.inset(side, std::max(0.0F, (rect.h - height) / 2)));
    rest.top(edge);
    Matrix2D input = linked_matrix(frame, c.input, c.left_name);
    input.label_left = false;
    draw_linked(frame, rounded(rest.top(low)), input);
    if (c.moments) {
        const Shown what = shown(frame, *c.moments, 0);
        rest.skip_top(6);
        if (!what.view.empty())
            ui::Canvas(frame.ui).label(
                rest.top(edge),
                "μ = " + ui::number(what.view(0, 0), 4) +
                    "     σ = " + ui::number(what.view(0, 1), 4),
                {.face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::center});
    }
    rest.top(edge + strips);
    Matrix2D result = linked_matrix(frame, c.result, c.result_name);
    result.label_top = result.label_left = false;
    result.bar_below = true;
    result.below = std::string(info(c.result).title);
    result.revealed = static_cast<float>(frame.phase());
    const ui::Rect place = rounded(rest.top(low));
    draw_above(frame, place, c.above);
    draw_linked(frame, place, result);
}

// Two matrices side by side: their size, and the space between and after them. All in pixels.
struct SideBySide {
    bool ranges = true;  // written beside the strips
    float moments = 0, middle = 0, w = 0, h = 0;

    [[nodiscard]] float width() const { return 2 * w + moments + middle; }
};

SideBySide side_by_side(const Frame& frame, const ui::Rect& rect, const Columnwise& c,
                        bool ranges) {
    SideBySide sides{.ranges = ranges, .middle = frame.px(ranges ? 56 : 40)};
    if (c.moments) sides.moments = 2 * strip_thickness(frame, Line::column, ranges) + frame.px(30);
    const float after = std::max(frame.line() + frame.px(4), strip_margin(frame, "", ranges));
    const float room = (rect.w - after - sides.moments - sides.middle) / 2;
    const float aspect =
        aspect_of(frame.trace.rows(c.result), frame.trace.cols(c.result), 0.4F, 1.1F);
    sides.w = std::max(0.0F, std::min(room, rect.h * widest(frame, aspect)));
    sides.h = std::min(rect.h, sides.w / 0.4F);
    return sides;
}

// Large type beside the strips must not make the matrices tiny.
SideBySide side_by_side(const Frame& frame, const ui::Rect& rect, const Columnwise& c) {
    const SideBySide whole = side_by_side(frame, rect, c, true),
                     plain = side_by_side(frame, rect, c, false);
    return whole.w >= kLeastPart * plain.w ? whole : plain;
}

void draw_columnwise(Frame& frame, const ui::Rect& rect, const Columnwise& c) {
    if (frame.trace.rows(c.result) == 1) return draw_stacked(frame, rect, c);
    const float edge = frame.line() + frame.px(4);
    const float strips =
        (strip_thickness(frame, Line::row) + frame.px(5)) * static_cast<float>(c.above.size());
    ui::Layout rest(frame.ui, rect);
    rest.top(std::max(edge, strips));
    rest.bottom(edge);
    rest.left(edge);
    const SideBySide sides = side_by_side(frame, rest, c);
    rest.right(std::max(edge, strip_margin(frame, "", sides.ranges)));
    const float x = rest.x + (rest.w - sides.width()) / 2, y = rest.y + (rest.h - sides.h) / 2;
    const ui::Rect left = rounded({x, y, sides.w, sides.h}),
                   right = rounded({x + sides.width() - sides.w, y, sides.w, sides.h});

    Matrix2D input = linked_matrix(frame, c.input, c.left_name);
    input.bar_below = true;
    draw_linked(frame, left, input);
    if (c.moments)
        draw_moments(frame,
                     {frame.ui, {left.x + left.w + frame.px(20), left.y, sides.moments, left.h}},
                     *c.moments, sides.ranges);
    if (!left.empty())
        ui::Canvas(frame.ui).arrow_right({right.x - sides.middle * 0.55F, left.center().y},
                                         frame.px(28), frame.colors().dim);
    draw_above(frame, right, c.above, sides.ranges);
    Matrix2D result = linked_matrix(frame, c.result, c.result_name);
    result.label_top = result.label_left = false;
    result.bar_below = true;
    result.below = std::string(info(c.result).title);
    result.revealed = static_cast<float>(frame.phase());
    draw_linked(frame, right, result);
}

}  // namespace

void stage_norm(Frame& frame, const ui::Rect& rect) {
    const Node& step = frame.node();
    draw_columnwise(frame, rect,
                    {.input = step.operands[0],
                     .result = step.result(),
                     .moments = step.results[1],
                     .above = gamma_and_beta(step.weights[0].name)});
}

// Each channel's running statistics from training are above the result too.
void stage_batch_norm(Frame& frame, const ui::Rect& rect) {
    const Node& step = frame.node();
    std::vector<Strip> above{strip_of(step.operands[1], Line::row, 0, "μ", "mean"),
                             strip_of(step.operands[1], Line::row, 1, "σ", "deviation")};
    for (Strip& strip : gamma_and_beta(step.weights[0].name)) above.push_back(std::move(strip));
    draw_columnwise(
        frame, rect,
        {.input = step.operands[0], .result = step.result(), .above = std::move(above)});
}

// The same for queries and for keys, whose mean and standard deviation are not kept.
void stage_qk_norm(Frame& frame, const ui::Rect& rect) {
    ui::Layout rest(frame.ui, rect);
    const ui::Rect half = rest.left(rest.w / 2);
    const std::vector<Tensor>& results = frame.node().results;
    draw_columnwise(frame, half,
                    {.input = Tensor::raw_query,
                     .result = results[0],
                     .above = gamma_and_beta(Tensor::query_norm_affine)});
    draw_columnwise(frame, rest,
                    {.input = Tensor::raw_key,
                     .result = results[1],
                     .above = gamma_and_beta(Tensor::key_norm_affine, ".k"),
                     .left_name = "stage.left.k",
                     .result_name = "stage.key"});
}

void stage_stretch(Frame& frame, const ui::Rect& rect) {
    const Node& step = frame.node();
    Strip factors = strip_of(step.operands[1], Line::row, 0, "λ", "factors");
    factors.markup = symbol_of(step.operands[1]);
    draw_columnwise(
        frame, rect,
        {.input = step.operands[0], .result = step.result(), .above = {std::move(factors)}});
}

}  // namespace headlight::screens
