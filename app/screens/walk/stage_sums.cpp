#include <algorithm>
#include <cmath>

#include "attention/mask.h"
#include "program/values.h"
#include "walk/stages.h"

namespace headlight::screens {

namespace {

// Matrices of the result's shape side by side, with operators between them.
struct Row {
    std::vector<ui::Rect> places;
    float sign = 0;  // width between two
};

Row row_layout(Frame& frame, const ui::Rect& rect, std::size_t count, float least, float most,
               float sign_units) {
    const Tensor result = frame.node().result();
    const float aspect = aspect_of(frame.trace.rows(result), frame.trace.cols(result), least, most);
    const float edge = frame.line() + frame.px(4);
    ui::Layout rest(frame.ui, rect);
    rest.top(edge);
    rest.left(edge);
    rest.bottom(edge);
    Row row;
    row.sign = frame.px(sign_units) * frame.ui.text_scale();
    const auto n = static_cast<float>(count);
    const float room = std::max(0.0F, (rest.w - row.sign * (n - 1)) / n),
                natural = std::min(room, rest.h * widest(frame, aspect)),
                h = std::min(rest.h, natural / aspect);
    const float w = wide_for_numbers(frame, frame.trace.rows(result), frame.trace.cols(result),
                                     {natural, h}, room);
    float x = rest.x + (rest.w - w * n - row.sign * (n - 1)) / 2;
    for (std::size_t i = 0; i < count; ++i, x += w + row.sign)
        row.places.push_back(
            {std::round(x), std::round(rest.y + (rest.h - h) / 2), std::round(w), std::round(h)});
    return row;
}

void sign_between(Frame& frame, const ui::Rect& left, float width, std::string_view sign) {
    ui::Canvas(frame.ui).label({left.x + left.w, left.y, width, left.h}, sign,
                               {.size = ui::Size::large, .align = ui::Align::center});
}

}  // namespace

void stage_sum(Frame& frame, const ui::Rect& rect) {
    const Node& step = frame.node();
    std::vector<Tensor> terms;
    for (const Tensor operand : step.operands)
        if (frame.trace.has(operand)) terms.push_back(operand);
    terms.push_back(step.result());
    const Row row = row_layout(frame, rect, terms.size(), 0.4F, 0.8F, 44);
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const bool last = i + 1 == terms.size();
        const std::string name = last ? "stage.result" : i == 0 ? "stage.left" : "stage.right";
        Matrix2D m = linked_matrix(frame, terms[i], name);
        m.label_left = i == 0;
        m.bar_below = true;
        if (last) m.revealed = static_cast<float>(frame.phase());
        draw_linked(frame, row.places[i], m);
        if (!last) sign_between(frame, row.places[i], row.sign, i + 2 == terms.size() ? "=" : "+");
    }
}

namespace {

// An elementwise step: the matrix before, an arrow with the operation above and the reason below,
// and the matrix after.
struct Between {
    std::string what, why;
};
constexpr float kMuchLarger = 1.4F;
constexpr float kLinesAbove = 2.4F;  // height of the words there

// Around the arrow, or above it over both matrices.
void draw_words(Frame& frame, const ui::Rect& arrow, const ui::Rect& both, bool above,
                const Between& words) {
    const float line = frame.line(), y = arrow.center().y,
                top = arrow.y - line * 1.4F - kLinesAbove * line;
    const ui::Rect what = above ? ui::Rect{both.x, top, both.w, line * 1.4F}
                                : ui::Rect{arrow.x, y - line * 1.9F, arrow.w, line * 1.4F},
                   why = above ? ui::Rect{both.x, top + line * 1.4F, both.w, line}
                               : ui::Rect{arrow.x, y + frame.px(12), arrow.w, line};
    ui::Canvas canvas(frame.ui);
    canvas.label(what, words.what,
                 {.face = ui::Face::mono,
                  .size = ui::Size::body,
                  .color = frame.colors().accent,
                  .align = ui::Align::center});
    canvas.arrow_right(arrow.center(), frame.px(40), frame.colors().dim);
    canvas.label(why, words.why, frame.small_dim(ui::Align::center));
}

void draw_between(Frame& frame, const ui::Rect& rect, const Between& words) {
    const Node& step = frame.node();
    ui::Layout below(frame.ui, rect);
    below.top(kLinesAbove * frame.line());
    const Row beside = row_layout(frame, rect, 2, 0.5F, 1.6F, 150),
              closer = row_layout(frame, below, 2, 0.5F, 1.6F, 44);
    // Large type between small matrices would make these tiny.
    const bool above = closer.places[0].w > kMuchLarger * beside.places[0].w;
    const Row& row = above ? closer : beside;
    Matrix2D m = linked_matrix(frame, step.operands[0], "stage.left");
    m.bar_below = true;
    draw_linked(frame, row.places[0], m);
    m.tensor = step.result();
    m.name = "stage.result";
    m.label_left = false;
    m.revealed = static_cast<float>(frame.phase());
    draw_linked(frame, row.places[1], m);
    const ui::Rect& left = row.places[0];
    if (!left.empty())
        draw_words(frame, {left.x + left.w, left.y, row.sign, left.h}, rect, above, words);
}

}  // namespace

void stage_scale(Frame& frame, const ui::Rect& rect) {
    const AttentionConfig& config = frame.trace.config;
    const std::string why = config.scale ? "scale " + number_text(*config.scale)
                                         : "1/√" + std::to_string(config.head_dim());
    const std::string by_temperature =
        config.temperature == 1.0F ? "" : " / T " + number_text(config.temperature);
    const float factor = frame.node().get<ScaleParameters>().factor;
    draw_between(frame, rect, {frame.of_after("× " + number_text(factor)), why + by_temperature});
}

void stage_unit(Frame& frame, const ui::Rect& rect) {
    draw_between(frame, rect, {frame.of_after("/ length"), "of its row"});
}

void stage_largest(Frame& frame, const ui::Rect& rect) {
    draw_between(frame, rect, {frame.of_after("argmax"), "all to the largest"});
}

void stage_share(Frame& frame, const ui::Rect& rect) {
    draw_between(frame, rect, {frame.of_after("/ Σ"), "of its row"});
}

void stage_dropout(Frame& frame, const ui::Rect& rect) {
    const float p = frame.node().get<DropoutParameters>().p;
    draw_between(frame, rect, {frame.of_after("0, or / " + ui::number(1 - p, 3)), "at random"});
}

void stage_turn(Frame& frame, const ui::Rect& rect) {
    draw_between(frame, rect, {"transpose", "rows ↔ columns"});
}

void stage_mask(Frame& frame, const ui::Rect& rect) {
    const auto& [rules, given, window] = frame.node().get<MaskParameters>();
    const std::string several = std::to_string(rules.size()) + " rules together";
    std::string why = rules.size() > 1 ? several : label_of(rules);
    if (window.exists()) {
        const std::string side = std::to_string(window.size);
        const bool shifted = windows_of(frame.trace, &frame.node())->is_shifted();
        why = side + " × " + side + (shifted ? ", shifted" : " tokens") +
              (rules.empty() ? "" : ", and " + why);
    }
    draw_between(frame, rect, {"+ (−∞)", why});
}

}  // namespace headlight::screens
