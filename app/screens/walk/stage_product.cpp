#include <algorithm>
#include <cmath>

#include "frame/step_text.h"
#include "frame/tensor_text.h"
#include "walk/stages.h"

namespace headlight::screens {

namespace {

// Of the QKV stage: one stacked product, or three.
struct QkvProducts {
    bool apart = false;
};

float bias_height(const Frame& frame) { return std::round(frame.px(12) * frame.ui.text_scale()); }

// During the animation, the cell being computed.
struct Forming {
    bool active = false;
    int row = 0, col = 0;
    float revealed = 1;
};

Forming forming(const Frame& frame, Index rows, Index cols) {
    Forming f;
    const double phase = frame.phase();
    if (phase >= 1.0) return f;
    f.active = true;
    f.revealed = static_cast<float>(phase);
    const double at = phase * static_cast<double>(rows);
    f.row = static_cast<int>(at);
    f.col = static_cast<int>((at - f.row) * static_cast<double>(cols));
    return f;
}

void key_hint(Frame& frame, const ui::Rect& result) {
    if (result.empty() || stage_is_row(frame)) return;
    const ui::Rect line{result.x - frame.px(160), result.y + result.h + frame.px(3) + frame.line(),
                        result.w + frame.px(320), frame.line()};
    ui::Canvas(frame.ui).label(
        line, "rows: queries, which attend  ·  columns: keys, which are attended to →",
        frame.small_dim(ui::Align::center));
}

// The result's name and shape, upright at its right; only the shape if it is low.
void title_beside(Frame& frame, const ui::Rect& result, Tensor tensor, Index rows, Index cols) {
    const ui::TextStyle style{
        .face = ui::Face::mono, .size = ui::Size::small, .color = color_of(frame, tensor)};
    const std::string shape = std::to_string(rows) + " × " + std::to_string(cols);
    const ui::Rect beside{result.x + result.w + frame.px(4), result.y, frame.line(), result.h};
    ui::Canvas canvas(frame.ui);
    for (const std::string& text : {std::string(title_of(frame, tensor)) + "  " + shape, shape})
        if (canvas.measure(text, style) <= beside.h) return canvas.upright(beside, text, style);
}

struct Part {
    Tensor tensor;
    const char *suffix, *weight;
};
constexpr std::array<Part, 3> kProjections{{{Tensor::query, ".q", "{qkv_weight:W}_{q}"},
                                            {Tensor::key, ".k", "{qkv_weight:W}_{k}"},
                                            {Tensor::value, ".v", "{qkv_weight:W}_{v}"}}};

// Number of columns of queries, keys or values, all heads together.
Index columns_of(const Frame& frame, Tensor part) {
    const AttentionShape& shape = frame.trace.shape;
    return part == Tensor::value ? shape.values() : shape.channels();
}

// Marks the borders of Q, K and V in their colors under the stacked result.
void mark_parts(Frame& frame) {
    const auto placed = frame.ui.names().find("stage.result");
    if (placed == frame.ui.names().end()) return;
    const auto& [where, window] = placed->second;
    const auto x_of = [&, where = where, window = window](float col) {
        return where.x + std::clamp((col - window.col) / window.cols, 0.0F, 1.0F) * where.w;
    };
    ui::Canvas canvas(frame.ui);
    float first = 0;
    for (const Part& part : kProjections) {
        const auto cols = static_cast<float>(columns_of(frame, part.tensor));
        const float left = x_of(first), right = x_of(first + cols);
        first += cols;
        if (right - left < 2) continue;
        const ui::Rect under{left + 1, where.y + where.h + frame.px(3), right - left - 2,
                             frame.px(4)};
        canvas.fill(under, color_of(frame, part.tensor), frame.px(2));
        canvas.label({under.x, under.y + frame.px(3), under.w, frame.line()},
                     info(part.tensor).symbol,
                     {.face = ui::Face::bold,
                      .size = ui::Size::small,
                      .color = color_of(frame, part.tensor),
                      .align = ui::Align::center});
    }
}

void draw_three_products(Frame& frame, ui::Layout rect) {
    const float share = rect.w / static_cast<float>(kProjections.size());
    Index first = 0;
    for (const Part& part : kProjections) {
        Product product{
            .left = frame.node().operands[0], .top = Tensor::qkv_weight, .result = Tensor::qkv};
        product.first_col = first;
        product.cols = columns_of(frame, part.tensor);
        product.suffix = part.suffix;
        product.part = part.tensor;
        product.top_markup = part.weight;
        draw_product(frame, rect.left(share), product);
        first += product.cols;
    }
}

// Height of the upper operand: high enough for its numbers, if the result has enough height for its
// own.
float high_for_numbers(const Frame& frame, float usual, float both, Index inner, Index rows) {
    const float line = ui::cell_for_numbers(frame.ui).y;
    const float wanted = std::ceil(line * static_cast<float>(inner));
    return wanted + line * static_cast<float>(rows) <= both ? std::max(usual, wanted) : usual;
}

// For a single row, which is drawn low; the rest goes to the upper operand.
Corner low_corner(Frame& frame, ui::Rect rest, Index inner, Index cols, float gap) {
    const float high = std::round(frame.px(40) * frame.ui.text_scale());
    const float across = static_cast<float>(cols), deep = static_cast<float>(inner);
    const float left = std::clamp(rest.w * deep / (deep + across), rest.w * 0.22F, rest.w * 0.42F);
    const float w = rest.w - left - gap;
    const float top = std::max(0.0F, std::min(rest.h - high - gap, w * 1.1F));
    const float y = rest.y + (rest.h - top - gap - high) / 2;
    return {whole({rest.x, y + top + gap, left, high}), whole({rest.x + left + gap, y, w, top}),
            whole({rest.x + left + gap, y + top + gap, w, high})};
}

// Between the upper operand and the result, to which it is added row by row.
void draw_bias(Frame& frame, const Corner& place, const Matrix2D& result, Tensor bias) {
    Strip strip{.tensor = bias,
                .name = "stage.bias" + result.name.substr(std::string("stage.result").size())};
    strip.markup = symbol_markup(frame, bias, 0);
    strip.first = result.window.col;
    strip.count = result.window.cols;
    strip.lit = result.col;
    const float high = bias_height(frame),
                between = (place.result.y - place.top.y - place.top.h - high) / 2;
    draw_strip(frame,
               whole({place.result.x, place.result.y - between - high, place.result.w, high}),
               strip);
}

}  // namespace

Corner corner_layout(Frame& frame, const ui::Rect& rect, Index rows, Index inner, Index cols,
                     float gap, float below) {
    const float edge = frame.line() + frame.px(4);
    ui::Layout rest(frame.ui, rect);
    rest.left(edge);
    rest.top(edge);
    rest.bottom(below);
    if (rows == 1) return low_corner(frame, rest, inner, cols, gap);
    const float across = static_cast<float>(cols), down = static_cast<float>(rows),
                deep = static_cast<float>(inner);
    // If space is short, each operand gets a part even if it is not legible.
    const auto thickness = [&](float side, float shared) {
        return std::min(std::max(side * deep / (deep + shared), frame.px(44)), side * 0.36F);
    };
    // The result's label and edge need space between the operands.
    const float left = thickness(rest.w, across),
                usual = thickness(std::max(0.0F, rest.h - edge), down),
                top = high_for_numbers(frame, usual, rest.h - edge - gap, inner, rows);
    const ui::Rect free{0, 0, std::max(0.0F, rest.w - left - gap),
                        std::max(0.0F, rest.h - top - gap)};
    const float aspect = aspect_of(rows, cols, 0.55F, 2.4F);
    const float natural = std::min(free.w, free.h * widest(frame, aspect)),
                h = std::min(free.h, natural / aspect),
                w = wide_for_numbers(frame, rows, cols, {natural, h}, free.w);
    const float whole_w = left + gap + w, whole_h = top + gap + h;
    const float x = rest.x + (rest.w - whole_w) / 2, y = rest.y + (rest.h - whole_h) / 2;
    return {whole({x, y + top + gap, left, h}), whole({x + left + gap, y, w, top}),
            whole({x + left + gap, y + top + gap, w, h})};
}

namespace {

// Where the pictures of a product lie, and what all three of them show.
struct ProductView {
    Corner place;
    // Of the result: zooming it shows the same rows and columns of the operands.
    gl::CellWindow& window;
    float x, gap;  // of the whole product; between its pictures
    Index rows, inner, cols;
    Forming now;
    std::optional<int> row{}, col{};  // lit
};

void draw_left_operand(Frame& frame, const Product& p, const ProductView& view) {
    const ui::Rect& place = view.place.left;
    Matrix2D left{.tensor = p.left, .head = frame.head, .name = "stage.left" + p.suffix};
    left.window = {view.window.row, 0, view.window.rows, static_cast<float>(view.inner)};
    left.row = view.row;
    left.label_left = p.first_col == 0 && view.rows > 1;
    // A narrow one has room for its color bar only on its left.
    left.bar_below = place.w >= frame.px(110) * frame.ui.text_scale();
    if (!left.bar_below)
        left.bar_beside = {view.x, place.y + place.h + frame.px(2),
                           std::max(0.0F, place.x + place.w - view.gap - view.x), frame.line()};
    left.spare_right = frame.line();  // the operand above writes its extent there
    focus_token(frame, draw_matrix(frame, place, left), p.left);
}

ui::HeatmapHit draw_top_operand(Frame& frame, const Product& p, const ProductView& view) {
    const ui::Rect& place = view.place.top;
    Matrix2D top{.tensor = p.top,
                 .head = frame.head,
                 .transposed = p.top_transposed,
                 .name = "stage.top" + p.suffix};
    top.window = {0, view.window.col + static_cast<float>(p.first_col + p.top_first),
                  static_cast<float>(view.inner), view.window.cols};
    if (view.col) top.col = *view.col + static_cast<int>(p.top_first);
    top.part = p.cols;
    top.markup = p.top_markup;
    // The corner between the operands is free, except for the left one's symbol where the upper one
    // is low.
    const float end = place.h < 2 * frame.line() ? view.place.left.x : place.x - frame.line();
    top.bar_beside = {view.x, place.y, std::max(0.0F, end - frame.px(8) - view.x), frame.line()};
    return draw_matrix(frame, place, top);
}

// `parts`: over the color bar stands where Q, K and V begin.
void draw_product_result(Frame& frame, const Product& p, const ProductView& view, bool parts,
                         std::optional<Tensor> bias) {
    const ui::Rect& place = view.place.result;
    Matrix2D result{.tensor = p.result, .head = frame.head, .name = "stage.result" + p.suffix};
    result.window = {view.window.row, view.window.col + static_cast<float>(p.first_col),
                     view.window.rows, view.window.cols};
    result.row = view.row;
    result.col = view.col;
    result.revealed = view.now.revealed;
    result.label_top = result.label_left = false;
    result.bar_below = !parts;
    if (parts)
        result.bar_beside = {place.x, place.y + place.h + frame.px(5) + frame.line(), place.w,
                             frame.line()};
    if (view.rows == 1)
        result.below =
            std::string(title_of(frame, p.result)) + "  1 × " + std::to_string(view.cols);
    if (bias) draw_bias(frame, view.place, result, *bias);
    focus_result(frame, draw_matrix(frame, place, result));
    if (view.rows > 1) title_beside(frame, place, p.part.value_or(p.result), view.rows, view.cols);
}

}  // namespace

void draw_product(Frame& frame, ui::Layout rect, const Product& p) {
    const Index rows = frame.trace.rows(p.result), inner = frame.trace.cols(p.left);
    const Index cols = p.cols > 0 ? p.cols : frame.trace.cols(p.result);
    auto bias = frame.node().bias();
    if (bias && !frame.trace.has(*bias)) bias.reset();
    const float gap = bias ? bias_height(frame) + frame.px(16) : frame.px(10);
    if (bias) rect.right(strip_margin(frame, symbol_markup(frame, *bias, 0)) - frame.line());
    const bool key_columns = info(p.result).cols == Axis::key_token;
    // The color bar, with the borders of Q, K and V above it, or the meaning of rows and columns
    // below.
    const bool parts = p.result == Tensor::qkv && !p.part,
               hint = p.hint && key_columns && !frame.state.look.lecture;
    const float below = frame.line() + frame.px(4) + (parts || hint ? frame.line() : 0);
    const int down = static_cast<int>(rows), across = static_cast<int>(cols);
    ProductView view{
        corner_layout(frame, rect, rows, inner, cols, gap, std::max(below, room_below(frame))),
        frame.ui.window("stage.result" + p.suffix, down, across),
        rect.x,
        gap,
        rows,
        inner,
        cols,
        forming(frame, rows, cols)};
    const Forming& now = view.now;
    const int first = static_cast<int>(p.first_col);
    view.row = now.active ? std::optional(now.row) : focus_row(frame, p.result);
    if (rows == 1) view.row.reset();  // it is clear which is meant
    view.col = now.active ? std::optional(now.col + first) : frame.focus.col;
    if (view.col && (*view.col < first || *view.col >= first + cols)) view.col.reset();

    draw_left_operand(frame, p, view);
    const ui::HeatmapHit top_hit = draw_top_operand(frame, p, view);
    draw_product_result(frame, p, view, parts, bias);
    if (top_hit.hovered) {
        frame.memory.next_hovered.col = top_hit.col - static_cast<int>(p.top_first);
        if (key_columns) frame.memory.next_hovered.key_token = top_hit.col;
    }
    ui::zoom_and_pan(frame.ui, view.place.result, view.window, down, across);
    if (hint) key_hint(frame, view.place.result);
}

void stage_product(Frame& frame, const ui::Rect& rect) {
    const Node& step = frame.node();
    Product product{step.operands[0], step.operands[1], step.result()};
    product.top_transposed = step.op != Op::mix;
    if (step.op == Op::point) product.top_first = frame.trace.layout.prefix();
    draw_product(frame, {frame.ui, rect}, product);
}

namespace {

// Takes its space off the bottom.
void choose_products(Frame& frame, ui::Layout& rest, QkvProducts& products) {
    ui::Layout bar = rest.last_row(8);
    bar.skip_top(2);
    const float width = std::min(bar.w, frame.px(340) * frame.ui.text_scale());
    const int chosen =
        ui::segmented(frame.ui, "stage.products", {bar.center().x - width / 2, bar.y, width, bar.h},
                      {"one stacked product", "three products"}, products.apart ? 1 : 0);
    if (chosen >= 0) products.apart = chosen == 1;
}

}  // namespace

void stage_qkv(Frame& frame, const ui::Rect& rect) {
    ui::Layout rest(frame.ui, rect);
    auto& products = frame.memory.own<QkvProducts>();
    // In a lecture the matrices take the space of the choice, which stays in effect.
    const bool chooses = frame.in_lesson() || frame.state.look.experiment_open() || products.apart;
    if (chooses && !frame.state.look.lecture) choose_products(frame, rest, products);
    if (products.apart) return draw_three_products(frame, rest);
    draw_product(
        frame, rest,
        {.left = frame.node().operands[0], .top = Tensor::qkv_weight, .result = Tensor::qkv});
    mark_parts(frame);
}

}  // namespace headlight::screens
