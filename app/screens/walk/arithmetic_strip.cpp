#include <cstdio>
#include <memory>

#include "frame/lecture_head.h"
#include "frame/tensor_text.h"
#include "trace/token_rows.h"
#include "ui/equation.h"
#include "ui/layout.h"
#include "walk/arithmetic.h"
#include "walk/panels.h"
#include "walk/recomputed.h"

namespace headlight::screens {

namespace {

std::string exact(float value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.9g", static_cast<double>(value));
    return text.data();
}

std::string factors(const std::vector<Term>& terms, float Term::*factor) {
    std::string all;
    for (const Term& term : terms) all += (all.empty() ? "" : " ") + exact(term.*factor);
    return all;
}

void report(Frame& frame, const Arithmetic& a) {
    ui::Context& ui = frame.ui;
    ui.report("arithmetic.row", std::to_string(a.row));
    ui.report("arithmetic.col", std::to_string(a.col));
    const auto terms = std::make_shared<const std::vector<Term>>(a.terms);
    ui.report_later("arithmetic.left", [terms] { return factors(*terms, &Term::left); });
    ui.report_later("arithmetic.right", [terms] { return factors(*terms, &Term::right); });
    ui.report("arithmetic.terms", std::to_string(a.terms.size()));
    ui.report("arithmetic.sum", exact(static_cast<float>(a.sum)));
    ui.report("arithmetic.bias", a.has_bias ? exact(a.bias) : "");
    ui.report("arithmetic.recomputed", exact(static_cast<float>(a.recomputed)));
    ui.report("arithmetic.shown", exact(a.shown));
    ui.report("arithmetic.agrees", a.agrees ? "true" : "false");
}

// The computation of a value as parts of text; the last part is the result.
struct Sum {
    std::string before, result;
    float width = 0;
    bool exact = true;  // the displayed numbers give the displayed result
    bool cut = false;   // no space: only the result
};

// `digits`: of the numbers before the result; `of_result`: of the result. Says so if the displayed
// numbers do not give it.
Sum sum_of(const Frame& frame, const Arithmetic& a, int digits, int of_result) {
    const Outcome found = outcome(frame, a, digits);
    Sum line{found.words, number_in_line(a.shown, of_result)};
    line.exact = !found.value || number_in_line(*found.value, of_result) == line.result;
    if (const std::size_t sign = line.before.rfind('='); !line.exact && sign != std::string::npos)
        line.before.replace(sign, 1, "≈");
    line.width = ui::Canvas(frame.ui).measure(line.before + line.result,
                                              {.face = ui::Face::mono, .size = ui::Size::body});
    return line;
}

Sum result_alone(const Frame& frame, const Arithmetic& a, float room) {
    Sum line;
    for (const int digits : {4, 3, 2}) {
        line = sum_of(frame, a, digits, digits);
        line.before.clear();
        line.width = ui::Canvas(frame.ui).measure(line.result,
                                                  {.face = ui::Face::mono, .size = ui::Size::body});
        if (line.width <= room) break;
    }
    line.cut = true;
    return line;
}

// With as many digits as fit, and more digits for the terms if they then give the result.
Sum fitted(const Frame& frame, const Arithmetic& a, float room) {
    constexpr int kDigits = 4;
    for (const int digits : {kDigits, kDigits + 1, kDigits + 2})
        if (Sum line = sum_of(frame, a, digits, kDigits); line.exact && line.width <= room)
            return line;
    for (const int digits : {kDigits, 3, 2})
        if (Sum line = sum_of(frame, a, digits, digits); line.width <= room) return line;
    return result_alone(frame, a, room);
}

// In large type, on a line of its own: with less spacing.
Sum tight(const Frame& frame, const Arithmetic& a) {
    Sum line = sum_of(frame, a, 2, 2);
    for (auto at = line.before.find("  "); at != std::string::npos; at = line.before.find("  "))
        line.before.erase(at, 1);
    line.width = ui::Canvas(frame.ui).measure(line.before + line.result,
                                              {.face = ui::Face::mono, .size = ui::Size::body});
    return line;
}

// At the right.
void draw_sum(Frame& frame, const ui::Rect& rect, const Sum& line) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle mono{.face = ui::Face::mono, .size = ui::Size::body};
    ui::TextStyle strong = mono;
    strong.color = frame.colors().accent;
    const float y = rect.y + (rect.h - frame.ui.fonts().pixels(ui::Size::body, ui::Face::mono)) / 2;
    const float x = rect.x + rect.w - line.width;
    canvas.text({x + canvas.text({x, y}, line.before, mono), y}, line.result, strong);
    frame.ui.report("arithmetic.line", line.before + line.result);
}

// Beside the name of the cell, or on the line below if there is one and the computation needs it.
// Returns whether it took that line.
bool header(Frame& frame, const ui::Rect& rect, const ui::Rect& below, const Arithmetic& a) {
    ui::Canvas canvas(frame.ui);
    const auto glyphs =
        ui::parse_equation(symbol_markup(frame, a.result, frame.head) + " [" +
                           std::to_string(a.row) + ", " + std::to_string(a.col) + "]");
    const float width = ui::equation_width(frame.ui, glyphs, ui::Size::body);
    ui::equation(frame.ui, rect, glyphs, ui::Size::body, ui::Align::left,
                 [&](const std::string&) { return color_of(frame, a.result); });
    Sum line = fitted(frame, a, rect.w - width - frame.px(16));
    bool takes_below = false;
    if (line.cut)
        if (const Sum apart = tight(frame, a); !below.empty() && apart.width <= below.w) {
            draw_sum(frame, below, apart);
            line = {};
            takes_below = true;
        }
    if (!takes_below) draw_sum(frame, rect, line);
    const float room = rect.w - width - line.width - frame.px(32);
    const ui::TextStyle dim{.size = ui::Size::body, .color = frame.colors().dim};
    const std::string place = place_in_words(frame, a);
    if (canvas.measure(place, dim) <= room)
        canvas.label({rect.x + width + frame.px(16), rect.y, room, rect.h}, place, dim);
    return takes_below;
}

// In attention-only import nothing is computed, and a query whose keys are all masked has weights 0
// by definition. So there is nothing to check.
bool is_defined(const Frame& frame, const Arithmetic& a) {
    return is_imported(frame) || a.row_blocked;
}

void note_below(Frame& frame, const ui::Rect& place, const Arithmetic& a, bool numbers) {
    ui::Canvas canvas(frame.ui);
    std::string note = footnote(frame, a, numbers);
    ui::TextStyle style{.size = ui::Size::body, .color = frame.colors().dim};
    if (canvas.measure(note, style) > place.w) style.size = ui::Size::small;
    // Drops whole sentences that do not fit.
    for (std::size_t end = note.rfind(". ");
         end != std::string::npos && canvas.measure(note, style) > place.w; end = note.rfind(". "))
        note.resize(end + 1);
    // Then what follows a semicolon. A note that is still too long is left out.
    if (const std::size_t end = note.find("; ");
        end != std::string::npos && canvas.measure(note, style) > place.w)
        note = note.substr(0, end) + ".";
    if (canvas.measure(note, style) <= place.w) canvas.label(place, note, style);
}

void checked(Frame& frame, const ui::Rect& rect, const Arithmetic& a, bool numbers) {
    if (is_defined(frame, a)) return note_below(frame, rect, a, numbers);
    ui::Canvas canvas(frame.ui);
    const std::string text = recomputed_words(a.agrees, a.recomputed);
    const float width = canvas.measure(text, {.size = ui::Size::body});
    const float x = rect.x + rect.w - width;
    canvas.label({x, rect.y, width + 1, rect.h}, text,
                 {.size = ui::Size::body, .color = recomputed_color(frame, a.agrees)});
    draw_recomputed(frame, {x - frame.px(24), rect.y, frame.px(24), rect.h}, a.agrees,
                    frame.ui.fonts().pixels(ui::Size::body) * 0.8F,
                    "Recomputed from its operands, the value is the one shown.");
    frame.ui.report("arithmetic.checked", a.agrees ? "equal" : "different");
    note_below(frame, {rect.x, rect.y, rect.w - width - frame.px(40), rect.h}, a, numbers);
}

// Only the first sentence where there is no room for more.
void hint(Frame& frame, const ui::Rect& rect, const std::string& text) {
    ui::Canvas canvas(frame.ui);
    const std::size_t end = text.find(". ");
    ui::label_that_fits(
        canvas, rect, {text, end == text.npos ? text : text.substr(0, end + 1)},
        {.size = ui::Size::body, .color = frame.colors().dim, .align = ui::Align::center});
}

bool is_mean(const Frame& frame) {
    const Pooling pooling = frame.trace.model->pooling;
    return pooling == Pooling::patches || pooling == Pooling::class_and_patches;
}

// The text if there is no cell to explain; otherwise empty.
std::string instead_of_arithmetic(const Frame& frame) {
    const bool lecture = frame.state.look.lecture;
    if (frame.node().op == Op::frame)
        return lecture ? "→ goes on to the next step."
                       : "Hover the picture to read its pixels. Space plays all steps.";
    if (frame.node().op == Op::curve) return "Draw on the curve to change it.";
    if (frame.difference())
        return lecture ? "Only “before” and “after” have arithmetic."
                       : "You see the difference after − before. Choose “before” or “after” to see "
                         "a cell's arithmetic.";
    const Tensor tensor = frame.node().result();
    if (!frame.trace.has(tensor))  // for example the patches of an attention-only import
        return "This file holds only attention maps, without the numbers behind them.";
    if (focus_row(frame, tensor) && frame.focus.col) return "";
    return std::string("Hover a cell to see where its number comes from") +
           (shares_tokens(frame.trace, tensor) ? "; click to keep it." : ".");
}

void draw_arithmetic(Frame& frame, ui::Layout rest, const Arithmetic& a) {
    ui::Layout head = rest.row(ui::Size::body);
    const bool lecture = frame.state.look.lecture;
    if (lecture && !is_defined(frame, a)) {
        const ui::Rect sign = head.right(frame.line());
        verdict_icon(frame, sign.center(), a.agrees, sign.h * 0.55F);
    }
    // Beside the note below, there may be no space for another line.
    const float line = frame.line(ui::Size::body), taken = lecture ? 0 : line;
    const ui::Rect below{rest.x, rest.y, rest.w, rest.h - taken >= frame.line() ? line : 0};
    if (header(frame, head, below, a)) rest.top(line);
    const ui::Rect foot = lecture ? ui::Rect{} : rest.last_row(ui::Size::body);
    const bool numbers = arithmetic_bars(frame, rest, a);
    if (lecture) return;
    if (is_imported(frame))
        return hint(frame, foot, "From the file, which holds only attention maps.");
    checked(frame, foot, a, numbers);
}

}  // namespace

// Independent of hovering, so that the matrix above does not change its size under the pointer.
bool has_strip(const Frame& frame) {
    // The controls for improvising take its space.
    if (frame.state.look.lecture && frame.state.look.improvise) return false;
    return !frame.state.look.lecture || !frame.in_lesson() || frame.state.selection.col.has_value();
}

float strip_height(const Frame& frame) {
    const float line = frame.line(ui::Size::body);
    const float bars = frame.line() * 2 + frame.px(66);
    if (frame.state.look.lecture && is_spoken_of(frame, "arithmetic.bars"))
        return 2 * line + frame.px(20) + bars;  // the sum may need a line of its own
    if (frame.state.look.lecture) return frame.ui.fonts().pixels(ui::Size::body) + frame.px(12);
    const float words = 2 * line + frame.px(20);
    if (adds_products(frame.node().op)) return words + bars;
    switch (frame.node().op) {
        case Op::norm:
        case Op::norm_heads:
            return words + frame.px(76);
        case Op::pool:
            return words + (is_mean(frame) ? frame.px(76) : 0);
        default:
            return words;
    }
}

void arithmetic_strip(Frame& frame, const ui::Rect& rect) {
    frame.ui.keep_clear(rect);
    ui::Canvas(frame.ui).card(rect, frame.colors().card);
    if (const std::string words = instead_of_arithmetic(frame); !words.empty())
        return hint(frame, rect, words);
    if (frame.head >= frame.trace.shape.heads) return;
    const Tensor tensor = frame.node().result();
    const MatrixView result = shown(frame, tensor, frame.head).view;
    const int row = *focus_row(frame, tensor), col = *frame.focus.col;
    if (row >= result.rows || col >= result.cols) return;
    const Arithmetic a = explain_cell(frame.trace, frame.node(), frame.head, row, col, result);
    report(frame, a);
    draw_arithmetic(frame, {frame.ui, rect, 16, 8}, a);
}

}  // namespace headlight::screens
