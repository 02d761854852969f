#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analysis/arithmetic.h"
#include "ui/equation.h"
#include "views/panels.h"

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

std::string count(std::string_view what, Index n) {
    return std::string(what) + " " + std::to_string(n);
}

// Whose row it is; empty for a row that speaks for the whole image.
std::string row_in_words(const Scene& scene, const Arithmetic& a) {
    if (a.result == Tensor::pixels) return count("pixel row", a.row);
    // The layout is that of the layer looked at; a token transformer's is not that of the end.
    const bool other_tokens = place_of(scene.step()) == StepPlace::end &&
                              scene.trace.block < scene.trace.model->token_transformers();
    if (other_tokens && info(a.result).rows == Axis::token) return count("token", a.row);
    const Index token = token_of_row(scene.trace, info(a.result).rows, a.row);
    return token < 0 ? "" : token_name(scene.trace.layout, token);
}

std::string col_in_words(const Scene& scene, const Arithmetic& a) {
    switch (info(a.result).cols) {
        case Axis::feature:
            return count(a.kind == StepKind::gather ? "number" : "channel", a.col);
        case Axis::qkv_channel: {
            const Index c = scene.trace.shape.channels();
            constexpr std::array<const char*, 3> parts{"query", "key", "value"};
            return parts[static_cast<std::size_t>(a.col / c)] + count(" channel", a.col % c);
        }
        case Axis::hidden:
            return count("hidden channel", a.col);
        case Axis::class_index: {
            if (scene.trace.model->head_is_embedding) return count("number", a.col);
            const auto& names = scene.trace.model->class_names;
            const auto index = static_cast<std::size_t>(a.col);
            return index < names.size() ? names[index] : count("class", a.col);
        }
        default:
            return count("channel", a.col);
    }
}

// What the row and the column of a cell stand for.
std::string place_in_words(const Scene& scene, const Arithmetic& a) {
    const std::string row = row_in_words(scene, a);
    if (info(a.result).cols == Axis::key_token)
        return "query: " + row + "  ·  key: " + token_name(scene.trace.layout, a.col);
    if (a.result == Tensor::pixels) return row;
    return row + (row.empty() ? "" : "  ·  ") + col_in_words(scene, a);
}

std::string curve_of(const Arithmetic& a) {
    if (a.result == Tensor::pooler) return "tanh";
    constexpr std::array<const char*, 6> names{"GELU", "GELU", "quick GELU",
                                               "SiLU", "ReLU", "SiLU"};
    return names[static_cast<std::size_t>(a.activation)];
}

bool is_mean(const Scene& scene) {
    const Pooling pooling = scene.trace.model->pooling;
    return pooling == Pooling::patches || pooling == Pooling::class_and_patches;
}

// Attention-only import: the file's numbers come from nothing that it holds.
bool is_imported(const Scene& scene) { return scene.trace.model->is_maps(); }

// The sum in words of numbers, e.g. "Σ = −0.188  + b 0.02 = −0.168".
std::string outcome(const Scene& scene, const Arithmetic& a, int digits) {
    const auto n = [&](double v) { return ui::number(v, digits); };
    switch (a.kind) {
        case StepKind::product:
            return a.has_bias ? "Σ = " + n(a.sum) + "   + b " + n(a.bias) + "  =  " : "Σ  =  ";
        case StepKind::sum:
            if (a.terms.size() < 2) return "";
            return n(a.terms[0].value) + "  +  " + n(a.terms[1].value) + "  =  ";
        case StepKind::scale:
            return n(a.sum) + "  ×  " + n(a.factor) + "  =  ";
        case StepKind::softmax:
            if (is_imported(scene)) return "as the file has it:  ";
            return n(a.numerator) + "  /  " + n(a.sum) + "  =  ";
        case StepKind::gather: {
            if (a.padding) return "outside the picture:  ";
            if (a.left != Tensor::pixels) return "the same number:  ";
            const Index side = scene.trace.grid.settings.size;
            const auto channel = static_cast<std::size_t>(a.col / (side * side));
            const Trace& trace = scene.trace;
            return "(pixel " + n(a.sum) + "  −  mean " + n(trace.mean[channel]) + ")  /  std " +
                   n(trace.std[channel]) + "  =  ";
        }
        case StepKind::cut:
        case StepKind::stack:
            return "the same number:  ";
        case StepKind::norm:
            return "(" + n(a.sum) + "  −  μ " + n(a.mean) + ")  /  σ " + n(a.deviation) +
                   "  ·  γ " + n(a.gamma) + "  +  β " + n(a.beta) + "  =  ";
        case StepKind::map: {
            const std::string curve = curve_of(a) + "(" + n(a.terms[0].value) + ")";
            return curve + (a.terms.size() > 1 ? "  ·  " + n(a.terms[1].value) : "") + "  =  ";
        }
        case StepKind::stretch:
            return n(a.terms[0].left) + "  ×  " + n(a.terms[0].right) + "  =  ";
        case StepKind::pool:
            if (a.terms.size() == 1) return "the same number:  ";
            return "Σ " + n(a.sum) + "  /  " + std::to_string(a.terms.size()) + "  =  ";
        case StepKind::source:
            return "";
    }
    return "";
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

// The numbers that a norm, or a mean, has gone over: one bar each.
void row_bars(Scene& scene, const ui::Rect& rect, const std::vector<float>& row,
              std::optional<int> lit, std::string_view what) {
    std::vector<ui::Bar> values;
    for (const float value : row)
        values.push_back(
            {value, ui::mix(scene.colors().hue(ui::Hue::key), scene.colors().card, 0.35F)});
    const int hovered =
        ui::bars(scene.ui, "arithmetic.bars", rect.inset(0, scene.px(4)), values, lit);
    if (hovered >= 0)
        scene.ui.tooltip(std::string(what) + " " + std::to_string(hovered) + ": " +
                         ui::number(row[static_cast<std::size_t>(hovered)], 4));
}

// The whole row that μ and σ are of, and between which values x − μ is less than one σ.
void norm_bars(Scene& scene, const ui::Rect& rect, const Arithmetic& a) {
    const MatrixView input = scene.trace.view(a.left, 0, scene.head);
    if (a.row >= input.rows) return;
    const std::vector<float> row(input.row(a.row), input.row(a.row) + input.cols);
    const auto [least, most] = std::minmax_element(row.begin(), row.end());
    const float low = std::min(0.0F, *least), high = std::max(0.0F, *most);
    const ui::Rect plot = rect.inset(0, scene.px(4));
    row_bars(scene, rect, row, static_cast<int>(a.col), "channel");
    if (!(high > low) || !std::isfinite(high - low)) return;
    const auto y_of = [&](double v) {
        return plot.y + (high - static_cast<float>(v)) / (high - low) * plot.h;
    };
    ui::Canvas canvas(scene.ui);
    const ImU32 accent = scene.colors().accent;
    const float top = std::max(plot.y, y_of(a.mean + a.deviation)),
                bottom = std::min(plot.y + plot.h, y_of(a.mean - a.deviation));
    canvas.fill({plot.x, top, plot.w, bottom - top}, ui::with_alpha(accent, 0.10F));
    canvas.line({plot.x, y_of(a.mean)}, {plot.x + plot.w, y_of(a.mean)}, accent, scene.px(1.25F));
}

void pool_bars(Scene& scene, const ui::Rect& rect, const Arithmetic& a) {
    std::vector<float> row;
    for (const Term& term : a.terms) row.push_back(term.value);
    row_bars(scene, rect, row, std::nullopt, "patch");
}

// Bars of all terms; under each its two factors while there is room for numbers: then true.
bool term_bars(Scene& scene, const ui::Rect& rect, const Arithmetic& a) {
    ui::Canvas canvas(scene.ui);
    const ui::TextStyle mono{.face = ui::Face::mono, .size = ui::Size::small};
    const float each = rect.w / static_cast<float>(a.terms.size());
    float widest = canvas.measure("−0.00", mono);
    if (each > widest)
        for (const Term& term : a.terms)
            for (const float factor : {term.left, term.right})
                widest = std::max(widest, canvas.measure(ui::number(factor, 2), mono));
    const bool numbers = each > widest + scene.px(4) && rect.h > scene.line() * 3;
    ui::Rect rest = rect;
    const ui::Rect below = numbers ? rest.cut_bottom(scene.line() * 2) : ui::Rect{};
    const ImU32 left = color_of(scene, a.left), right = color_of(scene, a.right);
    std::vector<ui::Bar> values;
    for (const Term& term : a.terms)
        values.push_back({term.value, term.value >= 0 ? scene.colors().accent
                                                      : scene.colors().hue(ui::Hue::key)});
    const int hovered =
        ui::bars(scene.ui, "arithmetic.bars", rest.inset(0, scene.px(4)), values, std::nullopt);
    if (hovered >= 0) {
        const Term& term = a.terms[static_cast<std::size_t>(hovered)];
        scene.ui.tooltip("term " + std::to_string(hovered) + ": " + ui::number(term.left, 4) +
                         " × " + ui::number(term.right, 4) + " = " + ui::number(term.value, 4));
    }
    if (!numbers) return false;
    for (std::size_t i = 0; i < a.terms.size(); ++i) {
        ui::Rect cell{below.x + each * static_cast<float>(i), below.y, each, scene.line()};
        ui::TextStyle ink = mono;
        ink.align = ui::Align::center;
        ink.color = left;
        canvas.label(cell, ui::number(a.terms[i].left, 2), ink);
        cell.y += scene.line();
        ink.color = right;
        canvas.label(cell, ui::number(a.terms[i].right, 2), ink);
    }
    return true;
}

// True when the factors stand under their bars.
bool bars(Scene& scene, const ui::Rect& rect, const Arithmetic& a) {
    if (rect.h <= scene.px(16)) return false;
    if (a.kind == StepKind::product) return term_bars(scene, rect, a);
    if (a.kind == StepKind::norm) norm_bars(scene, rect, a);
    if (a.kind == StepKind::pool && a.terms.size() > 1) pool_bars(scene, rect, a);
    return false;
}

std::string footnote(const Scene& scene, const Arithmetic& a, bool numbers) {
    const std::string n = std::to_string(a.terms.size());
    const auto symbol = [](Tensor t) { return std::string(letter_of(t)); };
    switch (a.kind) {
        case StepKind::product:
            return "Bars: " + symbol(a.left) + " × " + symbol(a.right) + ", the " + n +
                   " terms of this cell's sum. " +
                   (numbers ? "Numbers: the two factors." : "Hover one for its factors.");
        case StepKind::sum:
            return a.terms.size() < 2 ? "Taken over; nothing is added."
                                      : "Cell by cell: left plus right.";
        case StepKind::scale:
            return "Every cell times the same factor.";
        case StepKind::softmax:
            if (is_imported(scene)) return "The file holds the maps alone; nothing is computed.";
            return "exp(s − max), divided by the sum of the same over all " + n + " keys.";
        case StepKind::gather:
            if (a.left != Tensor::pixels)
                return a.padding ? "Padding: a zero beyond the finer grid."
                                 : "Taken over from a token of the finer grid.";
            return a.padding ? "Padding: a zero in the place of a pixel."
                             : "One pixel in one channel, centred and scaled.";
        case StepKind::stack:
            return a.left == Tensor::prefix_tokens ? "Learned, the same for every image."
                                                   : "Taken over; nothing is computed.";
        case StepKind::norm:
            return "Bars: the " + std::to_string(scene.trace.cols(a.left)) + " numbers of this " +
                   (scene.step() == Step::qk_norm ? "head's row" : "row") +
                   "; line: their mean μ; band: ± one σ.";
        case StepKind::map:
            return a.terms.size() > 1 ? "The gate's curve, times the other half of the row."
                                      : "One number in, one out.";
        case StepKind::stretch:
            return "Every channel times its own learned factor.";
        case StepKind::pool:
            return a.terms.size() == 1 ? "Taken over from one token; nothing is computed."
                                       : "The mean over all " + n + " patches.";
        case StepKind::cut:
            return scene.step() == Step::heads
                       ? "Taken over from [Q K V]; nothing is computed."
                       : "Taken over from head " +
                             std::to_string(a.col / scene.trace.shape.head_dim + 1) +
                             "; nothing is computed.";
        case StepKind::source:
            return "";
    }
    return "";
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

}  // namespace

float strip_height(const Scene& scene) {
    const bool lecture = scene.state.look.lecture;  // spares the footnote
    const float words = scene.line(ui::Size::body) + (lecture ? 0 : scene.line()) + scene.px(20);
    switch (scene.step_info().kind) {
        case StepKind::product:
            return words + scene.line() * 2 + scene.px(66);
        case StepKind::norm:
            return words + scene.px(76) + (lecture ? scene.line() : 0);
        case StepKind::pool:
            return words + (is_mean(scene) ? scene.px(76) : 0);
        default:
            return words;
    }
}

void arithmetic_strip(Scene& scene, const ui::Rect& rect) {
    ui::Canvas canvas(scene.ui);
    canvas.card(rect, scene.colors().card);
    if (scene.step() == Step::image)
        return hint(scene, rect,
                    scene.state.look.lecture
                        ? "→ goes on to the next step."
                        : "Hover the picture to read its pixels. → goes on to the next step, Space "
                          "plays them all.");
    if (scene.difference())
        return hint(
            scene, rect,
            "The difference now − A is shown. Choose “now” or “A” to see a cell's arithmetic.");
    const Tensor tensor = scene.step_info().result;
    if (!scene.trace.has(tensor))  // the patches of an attention-only import
        return hint(scene, rect, "This file holds attention maps only; no numbers lead to them.");
    const std::optional<int> row = focus_row(scene, tensor);
    if (!row || !scene.focus.col)
        return hint(scene, rect,
                    "Hover a cell to see where its number comes from; click to keep it.");
    if (scene.head >= scene.trace.shape.heads) return;
    const MatrixView result = shown(scene, tensor, scene.head).view;
    if (*row >= result.rows || *scene.focus.col >= result.cols) return;
    const Arithmetic a =
        explain_cell(scene.trace, scene.step(), scene.head, *row, *scene.focus.col, result);
    report(scene, a);
    ui::Rect rest = rect.inset(scene.px(16), scene.px(8));
    ui::Rect head = rest.cut_top(scene.line(ui::Size::body));
    const bool lecture = scene.state.look.lecture;
    // Of attention-only import nothing is recomputed, so nothing is said to agree.
    const bool given = is_imported(scene);
    if (lecture && !given) verdict_icon(scene, head.cut_right(scene.line()), a);
    if (!header(scene, head, a)) tight_line(scene, rest.cut_top(scene.line()), a);
    const ui::Rect foot = lecture ? ui::Rect{} : rest.cut_bottom(scene.line());
    const bool numbers = bars(scene, rest, a);
    if (lecture) return;
    if (given) return hint(scene, foot, "Read from the file, which holds attention maps only.");
    checked(scene, foot, a, numbers);
}

}  // namespace headlight::views
