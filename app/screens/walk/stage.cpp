#include <algorithm>
#include <array>
#include <cmath>

#include "encoder/score_maps.h"
#include "frame/export.h"
#include "frame/lecture_head.h"
#include "frame/mask_brush.h"
#include "frame/step_text.h"
#include "frame/tensor_text.h"
#include "trace/token_rows.h"
#include "ui/color_bar.h"
#include "ui/equation.h"
#include "ui/heatmap_view.h"
#include "walk/flights.h"
#include "walk/follow.h"
#include "walk/formula.h"
#include "walk/gradient_panel.h"
#include "walk/lit_term.h"
#include "walk/panels.h"
#include "walk/plane.h"
#include "walk/scale_choice.h"
#include "walk/stages.h"

namespace headlight::screens {

namespace {

constexpr float kEdge = 22;  // units beside a matrix for text along its edge

// In a lecture's header in smaller type if it fits, but never illegibly small for the last row.
void draw_equation(Frame& frame, ui::Rect rect) {
    const auto glyphs = ui::parse_equation(equation_of(frame));
    ui::Size size = ui::Size::large;
    if (frame.state.look.lecture) {
        if (frame.ui.zoomed()) return;  // the zoom map is there
        if (ui::equation_width(frame.ui, glyphs, size) > rect.w) size = ui::Size::body;
        if (ui::equation_width(frame.ui, glyphs, size) > rect.w) return;
    }
    rect = formula_line(frame, rect, ui::equation_width(frame.ui, glyphs, size));
    const std::string hovered =
        ui::equation(frame.ui, rect, glyphs, size, ui::Align::center, symbol_colors(frame));
    if (!hovered.empty()) frame.memory.next_lit_symbol = hovered;
}

float equation_width(const Frame& frame) {
    return ui::equation_width(frame.ui, ui::parse_equation(equation_of(frame)), ui::Size::large);
}

void compare_banner(Frame& frame, const ui::Rect& rect) {
    const Compare compare = frame.state.look.compare;
    if (!frame.work.pinned_trace() || compare == Compare::after) return;
    if (compare == Compare::difference && frame.node().op == Op::frame) return;
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle style{.color = frame.colors().accent, .align = ui::Align::center};
    canvas.label(
        rect,
        compare == Compare::before
            ? first_that_fits(canvas, {"showing “before”, the baseline", "“before”"}, style, rect.w)
            : first_that_fits(canvas, {"showing the difference: after − before", "after − before"},
                              style, rect.w),
        style);
}

// A label along an edge: the size, and the visible range.
struct Extent {
    Tensor tensor;
    Axis axis;
    Index count = 0;
    float from = 0, shown = 0;

    [[nodiscard]] bool whole() const { return shown >= static_cast<float>(count) - 0.01F; }
    [[nodiscard]] Index first() const {
        return std::max<Index>(0, static_cast<Index>(std::floor(from + 0.01F)));
    }
    [[nodiscard]] Index last() const {
        return std::min(count, static_cast<Index>(std::ceil(from + shown - 0.01F))) - 1;
    }
};

// Variants from longest to shortest; numbers are never cut.
std::vector<std::string> extent_words(const Trace& trace, const Extent& e) {
    if (!e.whole()) {
        const std::string range =
            axis_range_text(trace, e.tensor, {e.axis, e.first(), e.last(), e.count});
        return {range, range.substr(range.find(' ') + 1),
                std::to_string(e.first()) + "–" + std::to_string(e.last())};
    }
    const std::string all = axis_text(trace, e.tensor, e.axis, e.count);
    const std::string prefix = prefix_text(trace);
    const bool of_tokens = e.axis == Axis::token && shares_tokens(trace, e.tensor);
    std::vector<std::string> words{all, std::to_string(e.count)};
    if (of_tokens && !prefix.empty()) words.insert(words.begin(), all + "  ·  " + prefix);
    return words;
}

std::string extent_text(Frame& frame, const Extent& extent, float room) {
    for (const std::string& text : extent_words(frame.trace, extent))
        if (ui::Canvas(frame.ui).measure(text, frame.mono_dim()) <= room) return text;
    return "";
}

// A small map of a zoomed matrix's visible cells, with a description if it fits beside the
// equation, and a button to reset the zoom.
void zoom_sign(Frame& frame, ui::Layout rect) {
    const auto zoomed = frame.ui.zoomed();
    if (!zoomed) return;
    const ui::Rect whole = rect;
    const TensorInfo& result = info(frame.node().result());
    const auto& [window, rows, cols] = *zoomed;
    const Extent down{result.id, result.rows, rows, window.row, window.rows},
        across{result.id, result.cols, cols, window.col, window.cols};
    ui::Canvas canvas(frame.ui);
    const char* label = "Show all  Esc";
    const ui::Rect button = rect.right(ui::button_width(frame.ui, label));
    const float high = frame.line() + frame.px(8);
    if (ui::button(frame.ui, "zoom.reset", {button.x, button.center().y - high / 2, button.w, high},
                   label, ui::ButtonLook::outlined, "Shows all cells of the matrix again"))
        frame.ui.show_all_cells();
    rect.skip_right(8);
    const float side = std::min(rect.h - frame.px(4), frame.px(44) * frame.ui.text_scale());
    const ui::Rect map = rect.right(side * 1.3F, 8).fit(aspect_of(rows, cols, 0.5F, 1.3F));
    canvas.fill(map, frame.colors().card);
    canvas.outline(map, frame.colors().dim);
    const auto part = [](float at, int of) { return at / static_cast<float>(of); };
    const ui::Rect seen{map.x + part(window.col, cols) * map.w,
                        map.y + part(window.row, rows) * map.h,
                        std::max(frame.px(3), part(window.cols, cols) * map.w),
                        std::max(frame.px(3), part(window.rows, rows) * map.h)};
    canvas.fill(seen, frame.colors().accent);
    frame.ui.name("zoom.map", {map, window});
    const std::string words[] = {
        axis_range_text(frame.trace, down.tensor, {down.axis, down.first(), down.last(), rows}),
        "× " + axis_range_text(frame.trace, across.tensor,
                               {across.axis, across.first(), across.last(), cols})};
    frame.ui.report("zoom", words[0] + " " + words[1]);
    ui::TextStyle style = frame.mono_dim();
    style.align = ui::Align::right;
    rect.left(whole.w / 2 + equation_width(frame) / 2 + frame.px(16));
    if (std::max(canvas.measure(words[0], style), canvas.measure(words[1], style)) > rect.w) return;
    float y = rect.center().y - frame.line();
    for (const std::string& text : words) {
        canvas.label({rect.x, y, rect.w, frame.line()}, text, style);
        y += frame.line();
    }
}

// Symbol, meaning of the columns, and the color bar if it fits; then returns true.
bool label_above(Frame& frame, const ui::Rect& rect, const Matrix2D& m, const Shown& what,
                 Axis axis) {
    const float edge = frame.line();
    ui::Layout rest(frame.ui, {rect.x, rect.y - edge - frame.px(2),
                               std::max(rect.w, frame.px(60) * frame.ui.text_scale()), edge});
    const std::string markup = m.markup.empty() ? symbol_markup(frame, m.tensor, m.head) : m.markup;
    const auto glyphs = ui::parse_equation(markup + (m.transposed ? "^{T}" : ""));
    const ui::Size size = ui::symbol_size(frame.ui);
    const float width = ui::equation_width(frame.ui, glyphs, size);
    const std::string hovered =
        ui::equation(frame.ui, rest.left(width), glyphs, size, ui::Align::left,
                     [&](const std::string&) { return color_of(frame, m.tensor); });
    if (!hovered.empty()) frame.memory.next_lit_symbol = hovered;
    rest.skip_left(10);
    if (m.part > 0 && axis == Axis::qkv_channel) axis = Axis::channel;  // only Q, K or V
    const Index count = m.part > 0 ? m.part : what.view.cols;
    const float shown = m.window.rows > 0 ? m.window.cols : static_cast<float>(count);
    // For a part, counted from its start.
    const float from =
        m.part > 0 ? std::fmod(m.window.col, static_cast<float>(count)) : m.window.col;
    const std::string extent =
        extent_text(frame, {m.tensor, axis, count, from, shown}, rest.w - m.spare_right);
    const ui::TextStyle style = frame.mono_dim();
    rest.words_left(extent, style);
    if (what.scale_is_chosen && m.bar_below) return false;  // it needs more space
    rest.skip_left(16);
    rest.right(m.spare_right);
    const float most = frame.px(150) * frame.ui.text_scale();
    return ui::color_line(frame.ui, rest.right(std::min(rest.w, most)), what.scale);
}

// The color bar with its numbers, and the choice of another scale if it fits.
void chosen_scale_below(Frame& frame, const ui::Rect& rect, const Matrix2D& m, const Shown& what) {
    ui::Layout line(
        frame.ui, {rect.x, rect.y + rect.h + frame.px(6), rect.w, ui::color_bar_height(frame.ui)});
    const float choice = scale_choice_width(frame);
    if (offers_scales(frame) && line.w > choice + frame.px(110) * frame.ui.text_scale()) {
        const ui::Rect place = line.right(choice);
        scale_choice(frame, {place.x, place.y, place.w, frame.line() + frame.px(4)},
                     m.name + ".scale");
        line.skip_right(12);
    }
    ui::color_bar(frame.ui, line, what.scale, "", m.name);
}

// The color bar, after a description of the matrix if it has one.
void line_below(Frame& frame, const ui::Rect& rect, const Matrix2D& m, const Shown& what) {
    if (what.scale_is_chosen) return chosen_scale_below(frame, rect, m, what);
    ui::Layout line(frame.ui, {rect.x, rect.y + rect.h + frame.px(2), rect.w, frame.line()});
    if (!m.below.empty()) {
        const ui::TextStyle style{.size = ui::Size::small, .color = color_of(frame, m.tensor)};
        ui::Canvas canvas(frame.ui);
        // If both do not fit, the numbers take precedence.
        const float words = canvas.measure(m.below, style) + frame.px(16);
        const float bar = frame.px(150) * frame.ui.text_scale();
        if (words + bar * 0.8F <= line.w) canvas.label(line.left(words), m.below, style);
        line = line.right(std::min(line.w, bar));
    }
    ui::color_line(frame.ui, line, what.scale);
}

bool counts_tokens(const Frame& frame, Axis axis, Index count) {
    return (axis == Axis::token || axis == Axis::key_token) &&
           count == frame.trace.layout.count() && frame.trace.layout.class_tokens > 0;
}

// Row 0 of tokens and column 0 of keys are the class token, which is no patch. Marks it if it is
// visible; the text along the edge names it.
void mark_class_token(Frame& frame, const ui::Rect& rect, const Matrix2D& m,
                      const MatrixView& cells, const gl::CellWindow& window) {
    const TensorInfo& tensor = info(m.tensor);
    const Axis down = m.transposed ? tensor.cols : tensor.rows,
               across = m.transposed ? tensor.rows : tensor.cols;
    const ImU32 ink = frame.colors().hue(ui::Hue::weight);
    const float thick = frame.px(3) * std::sqrt(frame.ui.text_scale()), gap = frame.px(2);
    ui::Canvas canvas(frame.ui);
    if (counts_tokens(frame, across, cells.cols) && window.col < 1) {
        const float wide = (1 - window.col) / window.cols * rect.w;
        canvas.fill({rect.x, rect.y - gap - thick, std::max(wide, thick), thick}, ink);
    }
    if (!counts_tokens(frame, down, cells.rows) || window.row >= 1) return;
    const float high = (1 - window.row) / window.rows * rect.h;
    const ui::Rect mark{rect.x - gap - thick, rect.y, thick, std::max(high, thick)};
    canvas.fill(mark, ink);
    frame.ui.name("cls." + m.name, {mark, {0, 0, 0, 0}});
}

// One stage for each kind of operation.
void dispatch(Frame& frame, const ui::Rect& rect) {
    switch (frame.node().op) {
        case Op::frame:
            return stage_source(frame, rect);
        case Op::gather:
            return frame.step() == Step::merge_gather ? stage_merge(frame, rect)
                                                      : stage_patches(frame, rect);
        case Op::given:
            return stage_vectors(frame, rect);
        case Op::array:
        case Op::drawn:
            return stage_array(frame, rect);
        case Op::curve:
            return stage_signal(frame, rect);
        case Op::windows:
            return stage_windows(frame, rect);
        case Op::stack:
            return stage_stack(frame, rect);
        case Op::add:
            if (stage_is_row(frame)) return stage_row_sum(frame, rect);
            if (!stage_shows_tokens(frame)) return stage_sum(frame, rect);
            return vectors_of(frame) ? stage_vectors(frame, rect) : stage_signal(frame, rect);
        case Op::relative:
        case Op::positions:
            return stage_sum(frame, rect);
        case Op::project:
            return stage_qkv(frame, rect);
        case Op::linear:
        case Op::linear_heads:
        case Op::features:
        case Op::multiply:
        case Op::additive:
        case Op::mix:
        case Op::point:
            return stage_product(frame, rect);
        case Op::classify:
            return stage_head(frame, rect);
        case Op::cut:
            return stage_heads(frame, rect);
        case Op::join:
            return stage_concat(frame, rect);
        case Op::norm:
            return stage_norm(frame, rect);
        case Op::batch_norm:
            return stage_batch_norm(frame, rect);
        case Op::norm_heads:
            return stage_qk_norm(frame, rect);
        case Op::rotate:
            return stage_rotate(frame, rect);
        case Op::unit:
            return stage_unit(frame, rect);
        case Op::learned_keys:
            return stage_sum(frame, rect);
        case Op::largest:
            return stage_largest(frame, rect);
        case Op::share:
            return stage_share(frame, rect);
        case Op::dropout:
            return stage_dropout(frame, rect);
        case Op::turn:
            return stage_turn(frame, rect);
        case Op::scale:
            return stage_is_row(frame) ? stage_row_scale(frame, rect) : stage_scale(frame, rect);
        case Op::mask:
            return stage_mask(frame, rect);
        case Op::softmax:
            return stage_is_row(frame) ? stage_row_softmax(frame, rect)
                                       : stage_softmax(frame, rect);
        case Op::stretch:
            return stage_stretch(frame, rect);
        case Op::activate:
            return stage_map(frame, rect);
        case Op::learned:
            return stage_learned(frame, rect);
        case Op::pool:
            return stage_pool(frame, rect);
    }
}

// Highlights the token of a hovered row; if the row is no token of this layer, only the row.
std::optional<int> take_row(Frame& frame, Tensor tensor, int row) {
    Focus& next = frame.memory.next_hovered;
    if (!shares_tokens(frame.trace, tensor)) next.row = row;
    const Index token = token_of_row(frame.trace, tensor, row);
    if (token < 0) return std::nullopt;
    hover_token(frame, side_of(frame.trace, tensor), token);
    return static_cast<int>(token);
}

constexpr std::string_view kOtherShape =
    "There is no difference, because “before” had no matrix of this shape here.";

// A difference of only zeros would look as if it were missing.
void say_where_equal(Frame& frame, const ui::Rect& rect, const Shown& what) {
    if (what.summary == nullptr) return;
    const Statistics& s = what.summary->statistics;
    if (s.min != 0 || s.max != 0 || s.nan > 0 || s.infinite > 0) return;
    ui::Canvas canvas(frame.ui);
    for (const char* words : {"the same as before, in every cell", "the same", "="}) {
        const float wide = canvas.measure(words, {}) + frame.px(20), high = frame.line() * 1.4F;
        const ui::Rect box{rect.center().x - wide / 2, rect.center().y - high / 2, wide, high};
        if (wide > rect.w || high > rect.h) continue;
        canvas.card(box, frame.colors().card);
        return canvas.label(box, words, {.align = ui::Align::center});
    }
}

// The longest of these texts that fits on one line; empty if even the shortest does not, which
// leaves it to the tooltip.
std::string_view other_shape_in(const ui::Canvas& canvas, const ui::TextStyle& style, float room) {
    for (const std::string_view words : {kOtherShape, std::string_view("no such matrix before"),
                                         std::string_view("≠ before"), std::string_view("≠")})
        if (canvas.measure(words, style) <= room) return words;
    return {};
}

void dispatch_scores_view(Frame& frame, const ui::Rect& rect) {
    switch (frame.state.look.scores_view) {
        case ScoresView::present:
            return dispatch(frame, rect);
        case ScoresView::all:
            return stage_six_scores(frame, rect);
        case ScoresView::widths:
            return stage_score_widths(frame, rect);
    }
}

// For a single attention layer, the scores have one of three views: Look::scores_view. In a lecture
// the view takes the space of the choice.
void dispatch_scores(Frame& frame, ui::Layout rect) {
    if (shows_softmax_bench(frame)) return stage_softmax_bench(frame, rect);
    const bool several =
        frame.step() == Step::products && has_scores_to_choose(frame.trace) && !frame.difference();
    if (!several) return dispatch(frame, rect);
    const bool chooses = frame.in_lesson() || frame.state.look.experiment_open() ||
                         frame.state.look.scores_view != ScoresView::present;
    if (frame.state.look.lecture || !chooses) return dispatch_scores_view(frame, rect);
    constexpr std::array<std::string_view, 3> words{"these scores", "all six kinds", "why 1/√d"};
    const ui::Canvas canvas(frame.ui);
    float wide = 0;
    for (const std::string_view word : words)
        wide = std::max(wide, canvas.measure(word, {}) + frame.px(20));
    const ScoresView view = frame.state.look.scores_view;
    const ui::Rect row = rect.row(6);
    if (row.empty()) return;
    const int chosen = ui::segmented(frame.ui, "scores.view", row.fit(3 * wide / row.h),
                                     {words.begin(), words.end()}, static_cast<int>(view));
    if (chosen >= 0) {
        frame.set("scores_view", std::string(name_of(static_cast<ScoresView>(chosen))));
        frame.memory.gesture_ended = true;
    }
    rect.skip_top(8);
    dispatch_scores_view(frame, rect);
}

}  // namespace

float room_below(const Frame& frame) { return ui::color_bar_height(frame.ui) + frame.px(8); }

float aspect_of(Index rows, Index cols, float least, float most) {
    return std::clamp(static_cast<float>(cols) / static_cast<float>(rows), least, most);
}

float widest(const Frame& frame, float aspect) {
    return frame.state.look.lecture ? std::max(aspect, 0.95F) : aspect;
}

float wide_for_numbers(Frame& frame, Index rows, Index cols, ImVec2 size, float most) {
    const ImVec2 cell = ui::cell_for_numbers(frame.ui);
    const float wanted = std::ceil(cell.x * static_cast<float>(cols));
    const bool fits = wanted <= most && cell.y * static_cast<float>(rows) <= size.y;
    return fits ? std::max(size.x, wanted) : size.x;
}

void no_difference(Frame& frame, const ui::Rect& rect) {
    ui::Canvas canvas(frame.ui);
    // A strip is lower than its text.
    if (std::min(rect.w, rect.h) > frame.line()) canvas.card(rect, frame.colors().card);
    ui::TextStyle style{.color = frame.colors().dim};
    const ui::Rect inside = rect.inset(frame.px(8));
    const float tall = canvas.measure_wrapped(kOtherShape, style, inside.w).y;
    const bool words_fit = canvas.measure("difference", style) <= inside.w;
    if (words_fit && tall <= inside.h)
        return void(canvas.wrapped({inside.x, inside.center().y - tall / 2, inside.w, tall},
                                   kOtherShape, style));
    // There is space for a line beside or above a matrix.
    const bool upright = rect.h > rect.w;
    const std::string_view line = other_shape_in(canvas, style, upright ? inside.h : inside.w);
    style.align = ui::Align::center;
    upright ? canvas.upright(rect, line, style) : canvas.label(rect, line, style);
    if (rect.contains(ImGui::GetIO().MousePos)) frame.ui.tooltip(std::string(kOtherShape));
}

// Registers the names of rows, for copying.
void say_whose(Frame& frame, const Matrix2D& m) {
    auto& exported = frame.memory.own<Export>();
    if (!exported.wanted) return;
    if (!m.transposed)
        exported.rows[m.name] = [&trace = frame.trace, tensor = m.tensor](int row) {
            const Index token = token_of_row(trace, tensor, row);
            return token < 0 ? "" : name_of_token(trace, side_of(trace, tensor), token);
        };
    if (m.tensor == frame.node().result() && m.row && m.col)
        exported.cell = Export::Cell{m.name, *m.row, *m.col};
}

// Highlights in its operand the factor of the term whose bar is hovered in the arithmetic.
void light_term(Frame& frame, const ui::Rect& rect, const Matrix2D& m,
                const ui::HeatmapSpec& spec) {
    for (const LitFactor& factor : frame.memory.own<LitTerm>().factors) {
        if (factor.tensor != m.tensor || factor.head != m.head) continue;
        const auto row = static_cast<float>(m.transposed ? factor.col : factor.row),
                   col = static_cast<float>(m.transposed ? factor.row : factor.col);
        const float w = rect.w / spec.window.cols, h = rect.h / spec.window.rows;
        const float least = frame.px(6);
        const ui::Rect cell{rect.x + (col - spec.window.col) * w,
                            rect.y + (row - spec.window.row) * h, w, h};
        if (!rect.contains(cell.center())) continue;
        const float wide = std::max(w, least), high = std::max(h, least);
        ui::Canvas(frame.ui).mark(
            {cell.center().x - wide / 2, cell.center().y - high / 2, wide, high},
            frame.colors().text, frame.px(2));
        frame.ui.report("factor." + m.name,
                        std::to_string(factor.row) + " " + std::to_string(factor.col));
    }
}

ui::HeatmapHit draw_matrix(Frame& frame, const ui::Rect& rect, const Matrix2D& m) {
    if (rect.empty()) return {};  // its labels would have no place
    Shown what =
        m.transposed ? shown_transposed(frame, m.tensor, m.head) : shown(frame, m.tensor, m.head);
    if (m.window.rows > 0) fit_to_view(frame, m.name, m.tensor, m.window, what);
    ui::Canvas canvas(frame.ui);
    if (what.cells.empty()) {
        if (!what.comparable) no_difference(frame, rect);
        return {};
    }
    const float edge = frame.line();
    const TensorInfo& tensor = info(m.tensor);
    const Axis row_axis = m.transposed ? tensor.cols : tensor.rows,
               col_axis = m.transposed ? tensor.rows : tensor.cols;
    const bool bar = m.label_top && label_above(frame, rect, m, what, col_axis);
    if (!bar && m.bar_below) line_below(frame, rect, m, what);
    if (!bar && !m.bar_beside.empty()) {
        ui::Layout beside(frame.ui, m.bar_beside);
        ui::color_line(frame.ui, beside.right(frame.px(150) * frame.ui.text_scale()), what.scale);
    }
    const float rows_shown = m.window.rows > 0 ? m.window.rows : static_cast<float>(what.view.rows);
    if (m.label_left)
        canvas.upright(
            {rect.x - edge - frame.px(2), rect.y, edge, rect.h},
            extent_text(frame, {m.tensor, row_axis, what.view.rows, m.window.row, rows_shown},
                        rect.h),
            frame.mono_dim());

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
    mark_class_token(frame, rect, m, what.view, spec.window);
    say_whose(frame, m);
    const ui::HeatmapHit hit = ui::heatmap(frame.ui, rect, spec);
    light_term(frame, rect, m, spec);
    fly_in(frame, rect, m, spec);
    // The strip below explains cells of the result; operands show their value here.
    if (hit.hovered && m.tensor != frame.node().result()) {
        const int row = m.transposed ? hit.col : hit.row, col = m.transposed ? hit.row : hit.col;
        frame.ui.tooltip(std::string(tensor.title) + " [" + std::to_string(row) + ", " +
                         std::to_string(col) +
                         "]: " + ui::number(what.cells.at(hit.row, hit.col), 4) + "\ncolors from " +
                         what.scale.low_text() + " to " + what.scale.high_text());
    }
    if (frame.difference() && m.tensor != Tensor::pixels) say_where_equal(frame, rect, what);
    const bool lit = frame.memory.lit_symbol == tensor.name;
    if (lit || m.frame != 0)
        canvas.outline(rect.inset(-2), lit ? color_of(frame, m.tensor) : m.frame,
                       frame.px(lit ? 3.0F : 1.5F));
    return hit;
}

Matrix2D linked_matrix(const Frame& frame, Tensor tensor, std::string name) {
    Matrix2D m{.tensor = tensor, .head = frame.head, .name = std::move(name)};
    // A single row needs no highlight.
    if (info(tensor).rows != Axis::one) m.row = focus_row(frame, tensor);
    m.col = frame.focus.col;
    return m;
}

gl::CellWindow& shared_window(Frame& frame) {
    const Tensor result = frame.node().result();
    return frame.ui.window("stage.result", static_cast<int>(frame.trace.rows(result)),
                           static_cast<int>(frame.trace.cols(result)));
}

void draw_linked(Frame& frame, const ui::Rect& rect, Matrix2D m) {
    gl::CellWindow& window = shared_window(frame);
    m.window = window;
    const ui::HeatmapHit hit = draw_matrix(frame, rect, m);
    if (paint_cells(frame, rect, window, hit)) {
        hover_result(frame, hit);
    } else {
        focus_result(frame, hit);
    }
    ui::zoom_and_pan(frame.ui, rect, window, static_cast<int>(frame.trace.rows(m.tensor)),
                     static_cast<int>(frame.trace.cols(m.tensor)));
}

void hover_result(Frame& frame, const ui::HeatmapHit& hit) {
    if (!hit.hovered) return;
    Focus& next = frame.memory.next_hovered;
    const TensorInfo& result = info(frame.node().result());
    take_row(frame, result.id, hit.row);
    next.col = hit.col;
    if (result.cols == Axis::key_token) next.key_token = hit.col;
}

void focus_result(Frame& frame, const ui::HeatmapHit& hit) {
    hover_result(frame, hit);
    if (hit.hovered && hit.clicked)
        frame.say("cell", std::to_string(hit.row), std::to_string(hit.col));
}

void focus_token(Frame& frame, const ui::HeatmapHit& hit, Tensor tensor) {
    if (!hit.hovered) return;
    const auto token = take_row(frame, tensor, hit.row);
    if (hit.clicked && token) pin_token(frame, side_of(frame.trace, tensor), *token);
}

constexpr float kLeastWithStrip = 280;  // minimum height in units for the arithmetic on a phone

void stage(Frame& frame, const ui::Rect& rect, ui::Rect equation) {
    ui::Layout rest(frame.ui, rect, 20, 8);
    if (!frame.state.look.lecture) equation = rest.top(equation_height(frame.ui));
    // What does not fit must not cover its surroundings.
    ImGui::PushClipRect(rect.min(), rect.max(), true);
    if (frame.state.look.compare != Compare::after && frame.work.pinned_trace())
        compare_banner(frame, rest.row());
    if (const float tall = follow_height(frame, rest.w); tall > 0) {
        follow_sentence(frame, rest.top(tall, 8));
    }
    const bool gradient = shows_gradient(frame);
    // In a low window the chain rule replaces the arithmetic, and on a phone the matrices do.
    if (has_strip(frame) && !shows_softmax_bench(frame) && !view_has_no_cells(frame) &&
        !(gradient && frame.low) && !(frame.small && rect.h < frame.px(kLeastWithStrip))) {
        // A lecture's bars must fit below its large numbers if a stop points at them.
        const bool bars = is_spoken_of(frame, "arithmetic.bars");
        const float most = rect.h * (bars ? 0.38F : 0.27F);
        arithmetic_strip(frame, rest.bottom(std::min(strip_height(frame), most), 8));
    }
    if (gradient && !frame.state.look.lecture) {
        chain_strip(frame, rest.bottom(std::min(chain_strip_height(frame), rect.h * 0.25F), 8));
    }
    if (gradient) {
        gradient_beside(frame, rest.right(rest.w * 0.36F, 16));
    }
    frame.ui.name("stage", {rest, {0, 0, 0, 0}});
    rest = rest.inset(frame.px(kEdge - 16), 0);
    begin_flights(frame, rect);
    if (!stage_view(frame, rest)) dispatch_scores(frame, rest);
    end_flights(frame);
    ImGui::PopClipRect();
    draw_equation(frame, equation);  // after the visible cells are known
    zoom_sign(frame, {frame.ui, equation});
}

}  // namespace headlight::screens
