#include <algorithm>
#include <cmath>

#include "views/stages.h"

namespace headlight::views {

namespace {

// While the motion runs, the cell that is being formed now.
struct Forming {
    bool active = false;
    int row = 0, col = 0;
    float revealed = 1;
};

Forming forming(const Scene& scene, Index rows, Index cols) {
    Forming f;
    const double phase = scene.phase();
    if (phase >= 1.0) return f;
    f.active = true;
    f.revealed = static_cast<float>(phase);
    const double at = phase * static_cast<double>(rows);
    f.row = static_cast<int>(at);
    f.col = static_cast<int>((at - f.row) * static_cast<double>(cols));
    return f;
}

void key_hint(Scene& scene, const ui::Rect& result) {
    ui::Canvas canvas(scene.ui);
    const ui::Rect line{result.x - scene.px(160), result.y + result.h + scene.px(3),
                        result.w + scene.px(320), scene.line()};
    canvas.label(
        line, "rows: queries, who reads  ·  columns: keys, who is read →",
        {.size = ui::Size::small, .color = scene.colors().dim, .align = ui::Align::center});
}

// What the result is and its shape, upright on its right; the shape alone where it is low.
void title_beside(Scene& scene, const ui::Rect& result, Tensor tensor, Index rows, Index cols) {
    const ui::TextStyle style{
        .face = ui::Face::mono, .size = ui::Size::small, .color = color_of(scene, tensor)};
    const std::string shape = std::to_string(rows) + " × " + std::to_string(cols);
    const ui::Rect beside{result.x + result.w + scene.px(4), result.y, scene.line(), result.h};
    ui::Canvas canvas(scene.ui);
    for (const std::string& text : {std::string(info(tensor).title) + "  " + shape, shape})
        if (canvas.measure(text, style) <= beside.h) return canvas.upright(beside, text, style);
}

struct Part {
    Tensor tensor;
    const char *suffix, *weight;
};
constexpr std::array<Part, 3> kParts{{{Tensor::query, ".q", "{qkv_weight:W}_{q}"},
                                      {Tensor::key, ".k", "{qkv_weight:W}_{k}"},
                                      {Tensor::value, ".v", "{qkv_weight:W}_{v}"}}};

// Where Q ends and K begins, in their colours, under the stacked result.
void mark_parts(Scene& scene) {
    const auto placed = scene.ui.names().find("stage.result");
    if (placed == scene.ui.names().end()) return;
    const auto& [where, window] = placed->second;
    const auto c = static_cast<float>(scene.trace.shape.channels());
    const auto x_of = [&, where = where, window = window](float col) {
        return where.x + std::clamp((col - window.col) / window.cols, 0.0F, 1.0F) * where.w;
    };
    ui::Canvas canvas(scene.ui);
    float first = 0;
    for (const Part& part : kParts) {
        const float left = x_of(first), right = x_of(first + c);
        first += c;
        if (right - left < 2) continue;
        const ui::Rect under{left + 1, where.y + where.h + scene.px(3), right - left - 2,
                             scene.px(4)};
        canvas.fill(under, color_of(scene, part.tensor), scene.px(2));
        canvas.label({under.x, under.y + scene.px(4), under.w, scene.line()},
                     info(part.tensor).symbol,
                     {.face = ui::Face::bold,
                      .size = ui::Size::small,
                      .color = color_of(scene, part.tensor),
                      .align = ui::Align::center});
    }
}

void draw_three_products(Scene& scene, ui::Rect rect) {
    const Index c = scene.trace.shape.channels();
    const float share = rect.w / static_cast<float>(kParts.size());
    Index first = 0;
    for (const Part& part : kParts) {
        Product product{.left = Tensor::tokens, .top = Tensor::qkv_weight, .result = Tensor::qkv};
        product.first_col = first;
        product.cols = c;
        product.suffix = part.suffix;
        product.part = part.tensor;
        product.top_markup = part.weight;
        draw_product(scene, rect.cut_left(share), product);
        first += c;
    }
}

}  // namespace

Corner corner_layout(Scene& scene, const ui::Rect& rect, Index rows, Index inner, Index cols) {
    const float edge = scene.line() + scene.px(4), gap = scene.px(10);
    ui::Rect rest = rect;
    rest.cut_left(edge);
    rest.cut_top(edge);
    rest.cut_bottom(scene.line() + scene.px(4));  // the line under the result
    const float across = static_cast<float>(cols), down = static_cast<float>(rows),
                deep = static_cast<float>(inner);
    const auto thickness = [&](float side, float shared) {
        return std::clamp(side * deep / (deep + shared), scene.px(44), side * 0.36F);
    };
    // The label of the result and its own edge need room between the operands.
    const float left = thickness(rest.w, across), top = thickness(rest.h - edge, down);
    ui::Rect free{0, 0, rest.w - left - gap, rest.h - top - gap};
    const float aspect = std::clamp(across / down, 0.55F, 2.4F);
    const float w = std::min(free.w, free.h * aspect), h = std::min(free.h, w / aspect);
    const float whole_w = left + gap + w, whole_h = top + gap + h;
    const float x = rest.x + (rest.w - whole_w) / 2, y = rest.y + (rest.h - whole_h) / 2;
    const auto whole = [](ui::Rect r) {  // whole pixels, so that edges are crisp and cells align
        return ui::Rect{std::round(r.x), std::round(r.y), std::round(r.w), std::round(r.h)};
    };
    return {whole({x, y + top + gap, left, h}), whole({x + left + gap, y, w, top}),
            whole({x + left + gap, y + top + gap, w, h})};
}

void draw_product(Scene& scene, const ui::Rect& rect, const Product& p) {
    const MatrixView left_view = scene.trace.view(p.left, 0, scene.head);
    const MatrixView result_view = scene.trace.view(p.result, 0, scene.head);
    const Index cols = p.cols > 0 ? p.cols : result_view.cols;
    const Corner place = corner_layout(scene, rect, result_view.rows, left_view.cols, cols);

    // One window for all three: zooming the result shows the same rows and columns of the operands.
    const std::string name = "stage.result" + p.suffix;
    gl::CellWindow& window =
        scene.ui.window(name, static_cast<int>(result_view.rows), static_cast<int>(cols));
    const auto first = static_cast<float>(p.first_col);
    const bool key_columns = info(p.result).cols == Axis::key_token;
    const Forming now = forming(scene, result_view.rows, cols);
    const bool present = p.result == scene.step_info().result;
    std::optional<int> row = now.active ? std::optional(now.row) : scene.focus.token;
    std::optional<int> col = now.active ? std::optional(now.col + static_cast<int>(p.first_col))
                             : present  ? scene.focus.col
                                        : std::nullopt;
    if (col && (*col < p.first_col || *col >= p.first_col + cols)) col.reset();

    Matrix2D left{.tensor = p.left, .head = scene.head, .name = "stage.left" + p.suffix};
    left.window = {window.row, 0, window.rows, static_cast<float>(left_view.cols)};
    left.row = row;
    left.label_left = p.first_col == 0;
    left.bar_below = true;
    left.spare_right = scene.line();  // the operand above writes its extent there
    const auto left_hit = draw_matrix(scene, place.left, left);

    Matrix2D top{.tensor = p.top,
                 .head = scene.head,
                 .transposed = p.top_transposed,
                 .name = "stage.top" + p.suffix};
    top.window = {0, window.col + first, static_cast<float>(left_view.cols), window.cols};
    top.col = col;
    top.part = p.cols;
    top.markup = p.top_markup;
    const auto top_hit = draw_matrix(scene, place.top, top);

    Matrix2D result{.tensor = p.result, .head = scene.head, .name = name};
    result.window = {window.row, window.col + first, window.rows, window.cols};
    result.row = row;
    result.col = col;
    result.revealed = now.revealed;
    result.label_top = result.label_left = false;
    // Elsewhere the line under the result is taken.
    result.bar_below =
        p.result == Tensor::qkv ? p.part.has_value() : !key_columns || scene.state.look.lecture;
    const auto hit = draw_matrix(scene, place.result, result);

    title_beside(scene, place.result, p.part.value_or(p.result), result_view.rows, cols);
    focus_result(scene, hit);
    focus_token(scene, left_hit);
    if (top_hit.hovered) {
        scene.memory.next_hovered.col = top_hit.col;
        if (key_columns) scene.memory.next_hovered.key_token = top_hit.col;
    }
    ui::zoom_and_pan(scene.ui, place.result, window, static_cast<int>(result_view.rows),
                     static_cast<int>(cols));
    if (key_columns && !scene.state.look.lecture) key_hint(scene, place.result);
}

void stage_product(Scene& scene, const ui::Rect& rect) {
    const StepInfo& step = scene.step_info();
    Product product{step.operands[0], step.operands[1], step.result};
    product.top_transposed = scene.step() != Step::mix;
    draw_product(scene, rect, product);
}

void stage_qkv(Scene& scene, const ui::Rect& rect) {
    ui::Rect rest = rect;
    ui::Rect bar = rest.cut_bottom(scene.line() + scene.px(8));
    bar.cut_top(scene.px(2));
    const float width = std::min(bar.w, scene.px(340) * scene.ui.text_scale());
    const int chosen = ui::segmented(
        scene.ui, "stage.products", {bar.center().x - width / 2, bar.y, width, bar.h},
        {"one stacked product", "three products"}, scene.memory.three_products ? 1 : 0);
    if (chosen >= 0) scene.memory.three_products = chosen == 1;

    if (scene.memory.three_products) return draw_three_products(scene, rest);
    draw_product(scene, rest,
                 {.left = Tensor::tokens, .top = Tensor::qkv_weight, .result = Tensor::qkv});
    mark_parts(scene);
}

}  // namespace headlight::views
