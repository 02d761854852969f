#include <algorithm>
#include <cmath>

#include "frame/picture.h"
#include "ops/arithmetic.h"
#include "program/values.h"
#include "walk/stages.h"

// One row for the whole picture: the pooling query, and its further steps. Rows are stacked, so
// that columns line up.
namespace headlight::screens {

namespace {

// The operation between two rows, or before the first.
void sign(Frame& frame, const ui::Rect& rect, const std::string& words) {
    ui::Canvas(frame.ui).label(rect, words,
                               {.face = ui::Face::mono,
                                .size = ui::Size::body,
                                .color = frame.colors().accent,
                                .align = ui::Align::center});
}

struct RowOf {
    Tensor tensor;
    std::string before;  // the operation that leads to it from the row above
};

void draw_rows(Frame& frame, const ui::Rect& rect, const std::vector<RowOf>& rows) {
    const float edge = frame.line() + frame.px(4), between = frame.line() * 2.2F;
    const auto count = static_cast<float>(rows.size());
    const float words = count * 2 * edge + (count - 1) * between;
    const float low =
        std::clamp((rect.h - words) / count, 0.0F, frame.px(44) * frame.ui.text_scale());
    ui::Layout rest(frame.ui,
                    rect.inset(frame.px(40), std::max(0.0F, (rect.h - words - count * low) / 2)));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!rows[i].before.empty()) sign(frame, rest.top(between), rows[i].before);
        rest.top(edge);
        const bool last = i + 1 == rows.size();
        Matrix2D m = linked_matrix(frame, rows[i].tensor,
                                   last     ? "stage.result"
                                   : i == 0 ? "stage.left"
                                            : "stage.right");
        m.label_left = false;
        m.bar_below = true;
        if (last) m.revealed = static_cast<float>(frame.phase());
        draw_linked(frame, whole(rest.top(low)), m);
        rest.top(edge);
    }
}

// The head's attention over the picture, large.
void probe_picture(Frame& frame, const ui::Rect& rect) {
    const Image& image = *frame.trace.image;
    const ui::Rect place =
        rect.fit(static_cast<float>(image.width) / static_cast<float>(image.height));
    if (place.empty()) return;
    const Shown map = shown_probe_map(frame, {Reader::Kind::head, frame.head});
    PictureSpec picture{.name = "stage.picture", .key_token = frame.focus.key_token};
    picture.grid = frame.state.look.grid;
    picture.opacity = 0.75F;
    if (!map.cells.empty()) picture.overlay = &map;
    draw_picture(frame, place, picture);
}

struct Bars {
    std::string name, title, outcome;
    std::vector<ui::Bar> values;
};

void draw_bars(Frame& frame, ui::Layout rect, const Bars& bars) {
    ui::Canvas canvas(frame.ui);
    ui::Layout head = rect.row(ui::Size::body);
    const ui::TextStyle mono{
        .face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::right};
    const ui::TextStyle words = frame.small_dim();
    head.words_right(bars.outcome, mono, 12);
    if (canvas.measure(bars.title, words) <= head.w) canvas.label(head, bars.title, words);
    rect.skip_top(2);
    rect.skip_bottom(4);
    const int hovered = ui::bars(frame.ui, bars.name, rect, bars.values, frame.focus.col);
    if (hovered < 0) return;
    frame.memory.next_hovered.col = frame.memory.next_hovered.key_token = hovered;
    if (ImGui::IsMouseClicked(0)) frame.say("cell", "0", std::to_string(hovered));
}

// s − max, its exp and the weights, as a layer's softmax shows them for a row.
void draw_way(Frame& frame, ui::Layout rect) {
    const int col = std::min(frame.focus.col.value_or(0),
                             static_cast<int>(frame.trace.cols(frame.node().result())) - 1);
    const Arithmetic a = explain_cell(frame.trace, frame.node(), frame.head, 0, col);
    if (a.terms.empty()) return;
    const MatrixView shares = frame.trace.view(frame.node().result(), 0, frame.head);
    const auto n = [](double v, int digits = 3) { return ui::number(v, digits); };
    const auto at = static_cast<std::size_t>(a.col);
    const ImU32 ink = frame.colors().hue(ui::Hue::attention),
                quiet = ui::with_alpha(frame.colors().dim, 0.8F);
    std::vector<Bars> all{
        {"stage.shifted",
         "S minus its largest value " + n(a.row_max),
         "s − max = " + n(a.terms[at].left - a.row_max),
         {}},
        {"stage.exp", "exp of each; their sum Σ = " + n(a.sum), "exp = " + n(a.numerator, 4), {}},
        {"stage.shares",
         "divided by Σ: they add up to 1",
         "A[" + std::to_string(a.col) + "] = " + n(shares(0, a.col), 4),
         {}}};
    for (std::size_t i = 0; i < a.terms.size(); ++i) {
        all[0].values.push_back({a.terms[i].left - a.row_max, quiet});
        all[1].values.push_back({a.terms[i].value, ink});
        all[2].values.push_back({shares(0, static_cast<Index>(i)), ink});
    }
    const float each = rect.h / static_cast<float>(all.size());
    if (each < frame.line(ui::Size::body) * 2) return draw_bars(frame, rect, all.back());
    for (const Bars& bars : all) draw_bars(frame, rect.top(each), bars);
}

}  // namespace

bool stage_is_row(const Frame& frame) {
    return info(frame.node().result()).rows == Axis::probe ||
           (frame.node().id == Step::pool && frame.node().op == Op::add);
}

void stage_learned(Frame& frame, const ui::Rect& rect) {
    draw_rows(frame, rect, {{frame.node().result(), ""}});
}

void stage_row_sum(Frame& frame, const ui::Rect& rect) {
    const Node& step = frame.node();
    draw_rows(frame, rect, {{step.operands[0], ""}, {step.operands[1], "+"}, {step.result(), "="}});
}

void stage_row_scale(Frame& frame, const ui::Rect& rect) {
    const Node& step = frame.node();
    const std::string factor = "× " + number_text(step.get<ScaleParameters>().factor) + "  =  1/√" +
                               std::to_string(frame.trace.shape.head_dim);
    draw_rows(frame, rect, {{step.operands[0], ""}, {step.result(), frame.of_after(factor)}});
}

void stage_row_softmax(Frame& frame, const ui::Rect& rect) {
    const float edge = frame.line() + frame.px(4);
    ui::Layout rest(frame.ui, rect);
    // The row itself below, so that its colors can be compared with the picture's.
    ui::Layout below = rest.bottom(frame.px(30) * frame.ui.text_scale() + room_below(frame));
    rest.bottom(edge + frame.px(6));
    const ui::Rect left = rest.left(rest.w * 0.46F, 28);
    probe_picture(frame, left);
    if (!frame.difference()) draw_way(frame, rest);
    below.bottom(room_below(frame));
    Matrix2D m = linked_matrix(frame, frame.node().result(), "stage.result");
    m.label_left = false;
    m.bar_below = true;
    m.revealed = static_cast<float>(frame.phase());
    draw_linked(frame, whole(below.inset(frame.px(12), 0)), m);
}

}  // namespace headlight::screens
