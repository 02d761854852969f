#include <algorithm>
#include <cmath>

#include "trace/token_rows.h"
#include "ui/equation.h"
#include "views/panels.h"
#include "views/stages.h"
#include "views/step_text.h"
#include "views/tensor_text.h"

namespace headlight::views {

namespace {

constexpr float kEdge = 22;  // units beside a matrix for the text on its edge

void draw_equation(Scene& scene, const ui::Rect& rect) {
    const auto glyphs = ui::parse_equation(equation_of(scene));
    scene.memory.next_lit_symbol = ui::equation(
        scene.ui, rect, glyphs, ui::Size::large, ui::Align::center, [&](const std::string& name) {
            const auto tensor = tensor_named(name);
            return tensor ? color_of(scene, *tensor) : scene.colors().text;
        });
}

void compare_banner(Scene& scene, const ui::Rect& rect) {
    const Compare compare = scene.state.look.compare;
    if (!scene.work.pinned_trace() || compare == Compare::now) return;
    if (compare == Compare::difference && scene.node().op == Op::frame) return;
    ui::Canvas canvas(scene.ui);
    canvas.label(
        rect,
        compare == Compare::before ? "showing A, the pinned result"
                                   : "showing the difference: now − A",
        {.size = ui::Size::small, .color = scene.colors().accent, .align = ui::Align::center});
}

ui::TextStyle extent_style(const Scene& scene) {
    return {.face = ui::Face::mono, .size = ui::Size::small, .color = scene.colors().dim};
}

// What an edge counts; the count alone where there is no room for words; never half a number.
std::string extent_text(Scene& scene, Tensor tensor, Axis axis, Index count, float room) {
    for (const std::string& text :
         {axis_text(scene.trace, tensor, axis, count), std::to_string(count)})
        if (ui::Canvas(scene.ui).measure(text, extent_style(scene)) <= room) return text;
    return "";
}

// Symbol, what the columns count, and the colour bar where there is room: then true.
bool label_above(Scene& scene, const ui::Rect& rect, const Matrix2D& m, const Shown& what,
                 Axis axis) {
    const float edge = scene.line();
    ui::Rect rest{rect.x, rect.y - edge - scene.px(2), std::max(rect.w, scene.px(60)), edge};
    const std::string markup = m.markup.empty() ? symbol_markup(scene, m.tensor, m.head) : m.markup;
    const auto glyphs = ui::parse_equation(markup + (m.transposed ? "^{T}" : ""));
    const float width = ui::equation_width(scene.ui, glyphs, ui::Size::body);
    const std::string hovered =
        ui::equation(scene.ui, rest.cut_left(width), glyphs, ui::Size::body, ui::Align::left,
                     [&](const std::string&) { return color_of(scene, m.tensor); });
    if (!hovered.empty()) scene.memory.next_lit_symbol = hovered;
    rest.cut_left(scene.px(10));
    if (m.part > 0 && axis == Axis::qkv_channel) axis = Axis::channel;  // Q, K or V alone
    const std::string extent =
        extent_text(scene, m.tensor, axis, m.part > 0 ? m.part : what.view.cols, rest.w);
    ui::Canvas canvas(scene.ui);
    const ui::TextStyle style = extent_style(scene);
    canvas.label(rest.cut_left(canvas.measure(extent, style) + 1), extent, style);
    rest.cut_left(scene.px(16));
    rest.cut_right(m.spare_right);
    const float most = scene.px(150) * scene.ui.text_scale();
    return ui::color_line(scene.ui, rest.cut_right(std::min(rest.w, most)), what.scale);
}

// The colour bar, behind what the matrix is where it says so.
void line_below(Scene& scene, const ui::Rect& rect, const Matrix2D& m, const Shown& what) {
    ui::Rect line{rect.x, rect.y + rect.h + scene.px(2), rect.w, scene.line()};
    if (!m.below.empty()) {
        const ui::TextStyle style{.size = ui::Size::small, .color = color_of(scene, m.tensor)};
        ui::Canvas canvas(scene.ui);
        // Where there is no room for both, the numbers matter more.
        const float words = canvas.measure(m.below, style) + scene.px(16);
        const float bar = scene.px(150) * scene.ui.text_scale();
        if (words + bar * 0.8F <= line.w) canvas.label(line.cut_left(words), m.below, style);
        line = line.cut_right(std::min(line.w, bar));
    }
    ui::color_line(scene.ui, line, what.scale);
}

// One stage for each kind of operation.
void dispatch(Scene& scene, const ui::Rect& rect) {
    switch (scene.node().op) {
        case Op::frame:
            return stage_source(scene, rect);
        case Op::gather:
            return stage_patches(scene, rect);
        case Op::stack:
            return stage_stack(scene, rect);
        case Op::add:
        case Op::positions:
            return stage_sum(scene, rect);
        case Op::project:
            return stage_qkv(scene, rect);
        case Op::linear:
        case Op::multiply:
        case Op::mix:
            return stage_product(scene, rect);
        case Op::classify:
            return stage_head(scene, rect);
        case Op::cut:
            return stage_heads(scene, rect);
        case Op::join:
            return stage_concat(scene, rect);
        case Op::norm:
            return stage_norm(scene, rect);
        case Op::norm_heads:
            return stage_qk_norm(scene, rect);
        case Op::scale:
            return stage_scale(scene, rect);
        case Op::mask:
            return stage_mask(scene, rect);
        case Op::softmax:
            return stage_softmax(scene, rect);
        case Op::stretch:
            return stage_stretch(scene, rect);
        case Op::activate:
            return stage_map(scene, rect);
        case Op::pool:
            return stage_pool(scene, rect);
    }
}

// Lights up the token that a hovered row stands for; of other tokens than this layer's the row
// alone.
std::optional<int> take_row(Scene& scene, Tensor tensor, int row) {
    Focus& next = scene.memory.next_hovered;
    if (!shares_tokens(scene.trace, tensor)) next.row = row;
    const Index token = token_of_row(scene.trace, tensor, row);
    if (token < 0) return std::nullopt;
    return next.token = static_cast<int>(token);
}

constexpr std::string_view kOtherShape =
    "A has another shape here: there is no difference to be shown.";

// As many of these words as one line has room for; none where not even the shortest fit: then the
// pointer says them.
std::string_view other_shape_in(const ui::Canvas& canvas, const ui::TextStyle& style, float room) {
    for (const std::string_view words : {kOtherShape, std::string_view("another shape in A"),
                                         std::string_view("≠ A"), std::string_view("≠")})
        if (canvas.measure(words, style) <= room) return words;
    return {};
}

}  // namespace

void no_difference(Scene& scene, const ui::Rect& rect) {
    ui::Canvas canvas(scene.ui);
    // A strip is lower than its words.
    if (std::min(rect.w, rect.h) > scene.line()) canvas.card(rect, scene.colors().card);
    ui::TextStyle style{.size = ui::Size::small, .color = scene.colors().dim};
    const ui::Rect inside = rect.inset(scene.px(8));
    const float tall = canvas.measure_wrapped(kOtherShape, style, inside.w).y;
    const bool words_fit = canvas.measure("difference", style) <= inside.w;
    if (words_fit && tall <= inside.h)
        return void(canvas.wrapped({inside.x, inside.center().y - tall / 2, inside.w, tall},
                                   kOtherShape, style));
    // Beside a matrix or above it there is room for a line.
    const bool upright = rect.h > rect.w;
    const std::string_view line = other_shape_in(canvas, style, upright ? inside.h : inside.w);
    style.align = ui::Align::center;
    upright ? canvas.upright(rect, line, style) : canvas.label(rect, line, style);
    if (rect.contains(ImGui::GetIO().MousePos)) scene.ui.tooltip(std::string(kOtherShape));
}

ui::HeatmapHit draw_matrix(Scene& scene, const ui::Rect& rect, const Matrix2D& m) {
    if (rect.empty()) return {};  // then there is nothing for its labels to stand at
    const Shown what =
        m.transposed ? shown_transposed(scene, m.tensor, m.head) : shown(scene, m.tensor, m.head);
    ui::Canvas canvas(scene.ui);
    if (what.cells.empty()) {
        if (!what.comparable) no_difference(scene, rect);
        return {};
    }
    const float edge = scene.line();
    const TensorInfo& tensor = info(m.tensor);
    const Axis row_axis = m.transposed ? tensor.cols : tensor.rows,
               col_axis = m.transposed ? tensor.rows : tensor.cols;
    const bool bar = m.label_top && label_above(scene, rect, m, what, col_axis);
    if (!bar && m.bar_below) line_below(scene, rect, m, what);
    if (m.label_left)
        canvas.upright({rect.x - edge - scene.px(2), rect.y, edge, rect.h},
                       extent_text(scene, m.tensor, row_axis, what.view.rows, rect.h),
                       extent_style(scene));

    ui::HeatmapSpec spec;
    spec.name = m.name;
    spec.cells = what.cells;
    spec.scale = what.scale;
    spec.window = m.window.rows > 0 ? m.window
                                    : gl::CellWindow{0, 0, static_cast<float>(what.cells.rows),
                                                     static_cast<float>(what.cells.cols)};
    spec.row = m.row;
    spec.col = m.col;
    spec.revealed = m.revealed;
    spec.outline_cell = m.outline_cell;
    const ui::HeatmapHit hit = ui::heatmap(scene.ui, rect, spec);
    // The strip below explains cells of the result; those of its operands say their value here.
    if (hit.hovered && m.tensor != scene.node().result()) {
        const int row = m.transposed ? hit.col : hit.row, col = m.transposed ? hit.row : hit.col;
        scene.ui.tooltip(
            std::string(tensor.title) + " [" + std::to_string(row) + ", " + std::to_string(col) +
            "]: " + ui::number(what.cells.at(hit.row, hit.col), 4) + "\ncolours from " +
            ui::number(what.scale.low) + " to " + ui::number(what.scale.high));
    }
    const bool lit = scene.memory.lit_symbol == tensor.name;
    if (lit || m.frame != 0)
        canvas.outline(rect.inset(-2), lit ? color_of(scene, m.tensor) : m.frame,
                       scene.px(lit ? 3.0F : 1.5F));
    return hit;
}

Matrix2D linked_matrix(const Scene& scene, Tensor tensor, std::string name) {
    Matrix2D m{.tensor = tensor, .head = scene.head, .name = std::move(name)};
    // Of one row alone it is clear which is meant.
    if (info(tensor).rows != Axis::one) m.row = focus_row(scene, tensor);
    m.col = scene.focus.col;
    return m;
}

gl::CellWindow& shared_window(Scene& scene) {
    const Tensor result = scene.node().result();
    return scene.ui.window("stage.result", static_cast<int>(scene.trace.rows(result)),
                           static_cast<int>(scene.trace.cols(result)));
}

void draw_linked(Scene& scene, const ui::Rect& rect, Matrix2D m) {
    gl::CellWindow& window = shared_window(scene);
    m.window = window;
    focus_result(scene, draw_matrix(scene, rect, m));
    ui::zoom_and_pan(scene.ui, rect, window, static_cast<int>(scene.trace.rows(m.tensor)),
                     static_cast<int>(scene.trace.cols(m.tensor)));
}

void focus_result(Scene& scene, const ui::HeatmapHit& hit) {
    if (!hit.hovered) return;
    Focus& next = scene.memory.next_hovered;
    const TensorInfo& result = info(scene.node().result());
    take_row(scene, result.id, hit.row);
    next.col = hit.col;
    if (result.cols == Axis::key_token) next.key_token = hit.col;
    if (hit.clicked) scene.say("cell", std::to_string(hit.row), std::to_string(hit.col));
}

void focus_token(Scene& scene, const ui::HeatmapHit& hit, Tensor tensor) {
    if (!hit.hovered) return;
    const auto token = take_row(scene, tensor, hit.row);
    if (hit.clicked && token) scene.say("focus", std::to_string(*token));
}

void stage(Scene& scene, const ui::Rect& rect) {
    ui::Canvas canvas(scene.ui);
    // What finds no room here has none beside it either.
    canvas.list()->PushClipRect(rect.min(), rect.max(), true);
    ui::Rect rest = rect.inset(scene.px(20), scene.px(8));
    const float equation_height = scene.ui.fonts().pixels(ui::Size::large) * 1.7F;
    draw_equation(scene, rest.cut_top(equation_height));
    if (scene.state.look.compare != Compare::now && scene.work.pinned_trace())
        compare_banner(scene, rest.cut_top(scene.line()));
    arithmetic_strip(scene, rest.cut_bottom(std::min(strip_height(scene), rect.h * 0.27F)));
    rest.cut_bottom(scene.px(8));
    scene.ui.name("stage", {rest, {0, 0, 0, 0}});
    dispatch(scene, rest.inset(scene.px(kEdge - 16), 0));
    canvas.list()->PopClipRect();
}

}  // namespace headlight::views
