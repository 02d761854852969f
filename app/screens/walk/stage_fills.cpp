#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "analysis/blocked_weights.h"
#include "frame/tensor_text.h"
#include "walk/stages.h"

// The effect of −100, −9·10¹⁵ and −∞ on two rows: one with some keys blocked, and one with all.
namespace headlight::screens {

namespace {

struct BlockedRow {
    std::string name, title, short_title;
    std::vector<float> scores;  // before the mask
    std::vector<std::uint8_t> blocked;
};

struct BlockingWords {
    Blocking how;
    const char *title, *pytorch;
};
constexpr std::array<BlockingWords, 3> kBlockings{{
    {Blocking::minus_100, "S − 100", "S = S - 100 * blocked"},
    {Blocking::minus_9e15, "−9e15", "S.masked_fill(blocked, -9e15)"},
    {Blocking::minus_infinity, "−∞", "S.masked_fill(blocked, -inf)"},
}};
static_assert(rows_fit(kBlockings, &BlockingWords::how, &BlockingWords::title,
                       &BlockingWords::pytorch));

const Node* mask_node(const Frame& frame) {
    const auto found = std::ranges::find(frame.trace.nodes, Op::mask, &Node::op);
    return found == frame.trace.nodes.end() ? nullptr : &*found;
}

std::vector<std::uint8_t> blocked_of(const Mask& mask, Index query) {
    std::vector<std::uint8_t> blocked;
    for (Index key = 0; key < mask.keys; ++key)
        blocked.push_back(mask.blocks(0, query, key) ? 1 : 0);
    return blocked;
}

bool is_partly(const std::vector<std::uint8_t>& blocked) {
    const auto count = std::ranges::count(blocked, 1);
    return count > 0 && count < std::ssize(blocked);
}

// The focused row if some of its keys are blocked, otherwise the first such row.
Index partly_blocked_row(const Frame& frame, const Mask& mask) {
    const Index focus = focus_row(frame, Tensor::attention).value_or(0);
    if (is_partly(blocked_of(mask, focus))) return focus;
    for (Index query = 0; query < mask.queries; ++query)
        if (is_partly(blocked_of(mask, query))) return query;
    return focus;
}

std::vector<BlockedRow> rows_of(const Frame& frame, const Mask& mask, const MatrixView& scores) {
    const Index query = partly_blocked_row(frame, mask);
    const std::vector<float> row(scores.row(query), scores.row(query) + scores.cols);
    const std::vector<std::uint8_t> blocked = blocked_of(mask, query);
    const auto count = std::ranges::count(blocked, 1);
    const std::string who = name_of_token(frame.trace, Side::query, query);
    return {{"some", fmt::format("{}, {} of {} keys masked", who, count, blocked.size()),
             fmt::format("{} of {} masked", count, blocked.size()), row, blocked},
            {"all", fmt::format("{}, all {} keys masked", who, blocked.size()),
             fmt::format("all {} masked", blocked.size()), row,
             std::vector<std::uint8_t>(row.size(), 1)}};
}

std::string small_number(double value) {
    if (std::isnan(value)) return "NaN";
    if (value == 0) return "exactly 0";
    return value < 1e-3 ? fmt::format("{:.1e}", value) : ui::number(value, 3);
}

std::string words_of_row(const BlockedWeights& row, const BlockedRow& of) {
    if (std::isnan(row.sum)) return "NaN: 0 divided by 0. Headlight sets this row to 0.";
    if (of.name == "all") {
        const auto [least, most] = std::ranges::minmax(row.weights);
        return most - least < 1e-7F ? "all weights equal: " + small_number(most)
                                    : "the same as without a mask: largest " + small_number(most);
    }
    return "masked keys get " + small_number(row.to_blocked);
}

// The longest text that fits.
std::string fitting_words_of_row(const ui::Canvas& canvas, const BlockedWeights& row,
                                 const BlockedRow& of, const ui::TextStyle& style, float width) {
    const std::string whole = words_of_row(row, of);
    if (std::isnan(row.sum))
        return first_that_fits(canvas, {whole, "NaN: 0 divided by 0", "NaN: 0 / 0", "0 / 0"}, style,
                               width);
    if (of.name == "all")
        return first_that_fits(canvas, {whole, "as without a mask", "as unmasked"}, style, width);
    const std::string number = row.to_blocked == 0 ? "0" : small_number(row.to_blocked);
    return first_that_fits(canvas, {whole, "masked: " + number, number}, style, width);
}

void weights_as_bars(Frame& frame, ui::Layout rect, const BlockingWords& way,
                     const BlockedRow& of) {
    const BlockedWeights row = weights_blocked_by(way.how, of.scores, of.blocked);
    const std::string words = words_of_row(row, of),
                      name = "fills." + std::string(name_of(way.how)) + "." + of.name;
    frame.ui.name(name, {rect, {0, 0, 0, 0}});
    frame.ui.report(name, words);
    ui::Canvas canvas(frame.ui);
    canvas.card(rect, frame.colors().card);
    rect = rect.inset(frame.px(10), frame.px(6));
    const bool broken = std::isnan(row.sum);
    const ui::TextStyle style{.size = ui::Size::small,
                              .color = broken ? frame.colors().error : frame.colors().text};
    canvas.label(rect.last_row(), fitting_words_of_row(canvas, row, of, style, rect.w), style);
    if (broken)
        return canvas.label(rect, "NaN",
                            {.face = ui::Face::mono,
                             .size = ui::Size::large,
                             .color = frame.colors().error,
                             .align = ui::Align::center});
    std::vector<ui::Bar> bars;
    for (std::size_t i = 0; i < row.weights.size(); ++i)
        bars.push_back({row.weights[i], of.blocked[i] != 0
                                            ? frame.colors().error
                                            : frame.colors().hue(ui::Hue::attention)});
    const int hovered = ui::bars(frame.ui, name + ".bars", rect, bars, std::nullopt);
    if (hovered < 0) return;
    const auto at = static_cast<std::size_t>(hovered);
    frame.ui.tooltip(name_of_token(frame.trace, Side::key, hovered) + ": score " +
                     ui::number(of.scores[at], 4) + (of.blocked[at] != 0 ? ", masked" : "") +
                     ", weight " + fmt::format("{:.4g}", row.weights[at]));
}

// The method's name and its line of PyTorch, on the left.
void way_words(Frame& frame, ui::Layout rect, const BlockingWords& way) {
    ui::Canvas canvas(frame.ui);
    ui::TextStyle title{.face = ui::Face::bold, .size = ui::Size::large};
    if (canvas.measure(way.title, title) > rect.w) title.size = ui::Size::body;
    if (canvas.measure(way.title, title) > rect.w) title.size = ui::Size::small;
    canvas.label(rect.row(ui::Size::large), way.title, title);
    if (frame.state.look.lecture) return;
    const ui::TextStyle mono = frame.mono_dim();
    const auto lines = static_cast<float>(canvas.wrapped_lines(way.pytorch, mono, rect.w).size());
    if (lines * canvas.wrapped_step(mono) <= rect.h) canvas.wrapped(rect, way.pytorch, mono);
}

void draw_fills(Frame& frame, ui::Layout rect, const std::vector<BlockedRow>& rows) {
    const float words = std::min(rect.w * 0.24F, frame.px(190) * frame.ui.text_scale());
    ui::Layout heads = rect.row(6);
    heads.left(words, 10);
    const float wide = heads.column(0, 2, 10).w;
    ui::Canvas canvas(frame.ui);
    ui::TextStyle style{.color = frame.colors().dim};
    const auto fit = [&](std::string BlockedRow::*title) {
        return std::ranges::all_of(
            rows, [&](const std::string& text) { return canvas.measure(text, style) <= wide; },
            title);
    };
    const auto title = fit(&BlockedRow::title) ? &BlockedRow::title : &BlockedRow::short_title;
    if (!fit(title)) style.size = ui::Size::small;
    for (const BlockedRow& row : rows) canvas.label(heads.left(wide, 10), row.*title, style);
    const float each = rect.stacked(0, 3, 10).h;
    for (const BlockingWords& way : kBlockings) {
        ui::Layout line = rect.top(each, 10);
        way_words(frame, line.left(words, 10), way);
        for (const BlockedRow& row : rows) weights_as_bars(frame, line.left(wide, 10), way, row);
    }
}

}  // namespace

void stage_fills(Frame& frame, const ui::Rect& rect) {
    const Node* node = mask_node(frame);
    const auto mask = mask_of(frame.trace);
    if (node == nullptr || mask == nullptr) return;
    const Shown before = shown(frame, node->operands[0], frame.head);
    if (before.cells.empty()) return;
    draw_fills(frame, {frame.ui, rect}, rows_of(frame, *mask, before.view));
}

}  // namespace headlight::screens
