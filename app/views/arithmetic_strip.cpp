#include <algorithm>
#include <cmath>
#include <cstdio>

#include "trace/token_rows.h"
#include "ui/equation.h"
#include "views/arithmetic.h"
#include "views/panels.h"
#include "views/tensor_text.h"

namespace headlight::views {

namespace {

std::string exact(float value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.9g", static_cast<double>(value));
    return text.data();
}

void report(Scene& scene, const Arithmetic& a) {
    std::string left, right;
    for (const Term& term : a.terms) {
        left += (left.empty() ? "" : " ") + exact(term.left);
        right += (right.empty() ? "" : " ") + exact(term.right);
    }
    ui::Context& ui = scene.ui;
    ui.report("arithmetic.row", std::to_string(a.row));
    ui.report("arithmetic.col", std::to_string(a.col));
    ui.report("arithmetic.left", left);
    ui.report("arithmetic.right", right);
    ui.report("arithmetic.terms", std::to_string(a.terms.size()));
    ui.report("arithmetic.sum", exact(static_cast<float>(a.sum)));
    ui.report("arithmetic.bias", a.has_bias ? exact(a.bias) : "");
    ui.report("arithmetic.recomputed", exact(static_cast<float>(a.recomputed)));
    ui.report("arithmetic.shown", exact(a.shown));
    ui.report("arithmetic.agrees", a.agrees ? "true" : "false");
}

// How a number comes about, with as many digits as there is room for; the last part is the number.
struct Sum {
    std::string before, result;
    float width = 0;
    bool cut = false;  // no room: only the result
};
Sum fitted(const Scene& scene, const Arithmetic& a, float room) {
    const ui::Canvas canvas(scene.ui);
    const ui::TextStyle mono{.face = ui::Face::mono, .size = ui::Size::small};
    Sum line;
    for (const int digits : {4, 3, 2}) {
        line = {outcome(scene, a, digits), ui::number(a.shown, digits)};
        line.width = canvas.measure(line.before + line.result, mono);
        if (line.width <= room) return line;
    }
    line.cut = true;
    line.before.clear();
    line.width = canvas.measure(line.before + line.result, mono);
    return line;
}

// False where only the result has found room.
bool header(Scene& scene, const ui::Rect& rect, const Arithmetic& a) {
    ui::Canvas canvas(scene.ui);
    const auto glyphs =
        ui::parse_equation(symbol_markup(scene, a.result, scene.head) + " [" +
                           std::to_string(a.row) + ", " + std::to_string(a.col) + "]");
    const float width = ui::equation_width(scene.ui, glyphs, ui::Size::body);
    ui::equation(scene.ui, rect, glyphs, ui::Size::body, ui::Align::left,
                 [&](const std::string&) { return color_of(scene, a.result); });
    const Sum line = fitted(scene, a, rect.w - width - scene.px(16));
    const ui::TextStyle mono{.face = ui::Face::mono, .size = ui::Size::small};
    ui::TextStyle strong = mono;
    strong.color = scene.colors().accent;
    const float y = rect.y + (rect.h - scene.ui.fonts().pixels(ui::Size::small)) / 2;
    const float x = rect.x + rect.w - line.width;
    canvas.text({x + canvas.text({x, y}, line.before, mono), y}, line.result, strong);
    const float room = rect.w - width - line.width - scene.px(32);
    if (room > scene.px(60))
        canvas.label({rect.x + width + scene.px(16), rect.y, room, rect.h},
                     place_in_words(scene, a),
                     {.size = ui::Size::small, .color = scene.colors().dim});
    return !line.cut;
}

// In large type: how the number comes about, on a line of its own and with less air.
void tight_line(Scene& scene, const ui::Rect& rect, const Arithmetic& a) {
    std::string text = outcome(scene, a, 2);
    for (auto at = text.find("  "); at != std::string::npos; at = text.find("  "))
        text.erase(at, 1);
    ui::Canvas(scene.ui).label(
        rect, text, {.face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::right});
}

void checked(Scene& scene, const ui::Rect& rect, const Arithmetic& a, bool numbers) {
    ui::Canvas canvas(scene.ui);
    const ImU32 color = a.agrees ? scene.colors().ok : scene.colors().error;
    const std::string text =
        a.agrees ? "recomputed = shown" : "recomputed " + ui::number(a.recomputed, 6) + " ≠ shown";
    const float width = canvas.measure(text, {.size = ui::Size::small});
    const float x = rect.x + rect.w - width;
    canvas.label({x, rect.y, width + 1, rect.h}, text, {.size = ui::Size::small, .color = color});
    ui::icon(canvas, a.agrees ? ui::Icon::check : ui::Icon::close,
             {x - scene.px(12), rect.center().y}, scene.ui.fonts().pixels(ui::Size::small) * 0.8F,
             color);
    canvas.label({rect.x, rect.y, rect.w - width - scene.px(40), rect.h},
                 footnote(scene, a, numbers),
                 {.size = ui::Size::small, .color = scene.colors().dim});
}

void verdict_icon(Scene& scene, const ui::Rect& rect, const Arithmetic& a) {
    ui::Canvas canvas(scene.ui);
    ui::icon(canvas, a.agrees ? ui::Icon::check : ui::Icon::close, rect.center(), rect.h * 0.55F,
             a.agrees ? scene.colors().ok : scene.colors().error);
}

void hint(Scene& scene, const ui::Rect& rect, const std::string& text) {
    ui::Canvas(scene.ui).label(
        rect, text,
        {.size = ui::Size::small, .color = scene.colors().dim, .align = ui::Align::center});
}

bool is_mean(const Scene& scene) {
    const Pooling pooling = scene.trace.model->pooling;
    return pooling == Pooling::patches || pooling == Pooling::class_and_patches;
}

// What is said where there is no cell to be explained; empty where there is one.
std::string instead_of_arithmetic(const Scene& scene) {
    const bool lecture = scene.state.look.lecture;
    if (scene.node().op == Op::frame)
        return lecture ? "→ goes on to the next step."
                       : "Hover the picture to read its pixels. → goes on to the next step, Space "
                         "plays them all.";
    if (scene.difference())
        return lecture ? "Only “now” and “A” have arithmetic."
                       : "The difference now − A is shown. Choose “now” or “A” to see a cell's "
                         "arithmetic.";
    const Tensor tensor = scene.node().result();
    if (!scene.trace.has(tensor))  // the patches of an attention-only import
        return "This file holds attention maps only; no numbers lead to them.";
    if (focus_row(scene, tensor) && scene.focus.col) return "";
    return std::string("Hover a cell to see where its number comes from") +
           (shares_tokens(scene.trace, tensor) ? "; click to keep it." : ".");
}

void draw_arithmetic(Scene& scene, ui::Rect rest, const Arithmetic& a) {
    ui::Rect head = rest.cut_top(scene.line(ui::Size::body));
    const bool lecture = scene.state.look.lecture;
    // Of attention-only import nothing is recomputed, so nothing is said to agree.
    const bool given = is_imported(scene);
    if (lecture && !given) verdict_icon(scene, head.cut_right(scene.line()), a);
    if (!header(scene, head, a)) tight_line(scene, rest.cut_top(scene.line()), a);
    const ui::Rect foot = lecture ? ui::Rect{} : rest.cut_bottom(scene.line());
    const bool numbers = arithmetic_bars(scene, rest, a);
    if (lecture) return;
    if (given) return hint(scene, foot, "Read from the file, which holds attention maps only.");
    checked(scene, foot, a, numbers);
}

}  // namespace

float strip_height(const Scene& scene) {
    const bool lecture = scene.state.look.lecture;  // spares the footnote
    const float words = scene.line(ui::Size::body) + (lecture ? 0 : scene.line()) + scene.px(20);
    if (adds_products(scene.node().op)) return words + scene.line() * 2 + scene.px(66);
    switch (scene.node().op) {
        case Op::norm:
        case Op::norm_heads:
            return words + scene.px(76) + (lecture ? scene.line() : 0);
        case Op::pool:
            return words + (is_mean(scene) ? scene.px(76) : 0);
        default:
            return words;
    }
}

void arithmetic_strip(Scene& scene, const ui::Rect& rect) {
    ui::Canvas(scene.ui).card(rect, scene.colors().card);
    if (const std::string words = instead_of_arithmetic(scene); !words.empty())
        return hint(scene, rect, words);
    if (scene.head >= scene.trace.shape.heads) return;
    const Tensor tensor = scene.node().result();
    const MatrixView result = shown(scene, tensor, scene.head).view;
    const int row = *focus_row(scene, tensor), col = *scene.focus.col;
    if (row >= result.rows || col >= result.cols) return;
    const Arithmetic a = explain_cell(scene.trace, scene.node(), scene.head, row, col, result);
    report(scene, a);
    draw_arithmetic(scene, rect.inset(scene.px(16), scene.px(8)), a);
}

}  // namespace headlight::views
