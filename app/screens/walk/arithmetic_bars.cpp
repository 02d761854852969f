#include <algorithm>
#include <cmath>
#include <utility>

#include "frame/tensor_text.h"
#include "ui/heatmap_view.h"
#include "ui/plot.h"
#include "walk/arithmetic.h"
#include "walk/lit_term.h"

namespace headlight::screens {

namespace {

// The values that a norm or a mean is over: one bar each.
void row_bars(Frame& frame, const ui::Rect& rect, const std::vector<float>& row,
              std::optional<int> lit, std::string_view what) {
    std::vector<ui::Bar> values;
    for (const float value : row)
        values.push_back(
            {value, ui::mix(frame.colors().hue(ui::Hue::key), frame.colors().card, 0.35F)});
    const int hovered =
        ui::bars(frame.ui, "arithmetic.bars", rect.inset(0, frame.px(4)), values, lit);
    if (hovered >= 0)
        frame.ui.tooltip(std::string(what) + " " + std::to_string(hovered) + ": " +
                         ui::number(row[static_cast<std::size_t>(hovered)], 4));
}

// The whole row that μ and σ are of, and the range where |x − μ| is less than σ.
void norm_bars(Frame& frame, const ui::Rect& rect, const Arithmetic& a) {
    const MatrixView input = frame.trace.view(a.left, 0, frame.head);
    if (a.row >= input.rows) return;
    const std::vector<float> row(input.row(a.row), input.row(a.row) + input.cols);
    const auto [least, most] = std::minmax_element(row.begin(), row.end());
    const double low = std::min(0.0F, *least), high = std::max(0.0F, *most);
    row_bars(frame, rect, row, static_cast<int>(a.col), "channel");
    if (!(high > low) || !std::isfinite(high - low)) return;
    const ui::Axes plot{rect.inset(0, frame.px(4)), {}, {low, high}};
    ui::Canvas canvas(frame.ui);
    const ImU32 accent = frame.colors().accent;
    canvas.fill(plot.bar(0, 1, a.mean + a.deviation, a.mean - a.deviation, 0),
                ui::with_alpha(accent, 0.10F));
    canvas.line(plot.at(0, a.mean), plot.at(1, a.mean), accent, frame.px(1.25F));
}

void pool_bars(Frame& frame, const ui::Rect& rect, const Arithmetic& a) {
    std::vector<float> row;
    for (const Term& term : a.terms) row.push_back(term.value);
    row_bars(frame, rect, row, std::nullopt, "patch");
}

// In a product of rows with columns, term k is left[row, k] times right[k, col]; or times
// right[col, k] in a product of rows with rows, as for all weights and keys.
void light_factors(Frame& frame, const Arithmetic& a, int term) {
    auto& lit = frame.memory.own<LitTerm>().factors;
    const std::vector<LitFactor> before = std::exchange(lit, {});
    if (term >= 0) {
        const auto head_of = [&](Tensor tensor) { return info(tensor).per_head ? frame.head : 0; };
        const bool of_columns = a.op == Op::mix;
        lit.push_back({a.left, head_of(a.left), a.row, term});
        // A separate weight of each head is elsewhere.
        if (a.op != Op::linear_heads)
            lit.push_back(
                {a.right, head_of(a.right), of_columns ? term : a.col, of_columns ? a.col : term});
    }
    if (before != lit) frame.ui.ask_for_frame();
}

// Bars of all terms, with the two factors under each if they fit; then returns true.
bool term_bars(Frame& frame, const ui::Rect& rect, const Arithmetic& a) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle mono{.face = ui::Face::mono, .size = ui::Size::small};
    const float each = rect.w / static_cast<float>(a.terms.size());
    float widest = canvas.measure("−0.00", mono);
    if (each > widest)
        for (const Term& term : a.terms)
            for (const float factor : {term.left, term.right})
                widest = std::max(widest, canvas.measure(ui::number(factor, 2), mono));
    const bool numbers = each > widest + frame.px(4) && rect.h > frame.line() * 3;
    ui::Layout rest(frame.ui, rect);
    const ui::Rect below = numbers ? rest.bottom(frame.line() * 2) : ui::Rect{};
    const ImU32 left = color_of(frame, a.left), right = color_of(frame, a.right);
    std::vector<ui::Bar> values;
    for (const Term& term : a.terms)
        values.push_back({term.value, term.value >= 0 ? frame.colors().accent
                                                      : frame.colors().hue(ui::Hue::key)});
    const int hovered =
        ui::bars(frame.ui, "arithmetic.bars", rest.inset(0, frame.px(4)), values, std::nullopt);
    light_factors(frame, a, hovered);
    if (hovered >= 0) {
        const Term& term = a.terms[static_cast<std::size_t>(hovered)];
        frame.ui.tooltip("term " + std::to_string(hovered) + ": " + ui::number(term.left, 4) +
                         " × " + ui::number(term.right, 4) + " = " + ui::number(term.value, 4));
    }
    if (!numbers) return false;
    for (std::size_t i = 0; i < a.terms.size(); ++i) {
        ui::Rect cell{below.x + each * static_cast<float>(i), below.y, each, frame.line()};
        ui::TextStyle ink = mono;
        ink.align = ui::Align::center;
        ink.color = left;
        canvas.label(cell, ui::number(a.terms[i].left, 2), ink);
        cell.y += frame.line();
        ink.color = right;
        canvas.label(cell, ui::number(a.terms[i].right, 2), ink);
    }
    return true;
}

}  // namespace

bool arithmetic_bars(Frame& frame, const ui::Rect& rect, const Arithmetic& a) {
    if (rect.h <= frame.px(16)) return false;
    if (adds_products(a.op)) return !a.terms.empty() && term_bars(frame, rect, a);
    if (a.op == Op::norm || a.op == Op::norm_heads) norm_bars(frame, rect, a);
    if (a.op == Op::pool && a.terms.size() > 1) pool_bars(frame, rect, a);
    return false;
}

}  // namespace headlight::screens
