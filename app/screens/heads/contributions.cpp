#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "frame/capitals.h"
#include "frame/classes.h"
#include "heads/plot.h"
#include "heads/view.h"

// The contribution of every part of the model to its logit, side by side.
namespace headlight::screens {

namespace {

struct Part {
    std::string name;
    double value = 0;
    ImU32 color = 0;
    std::optional<int> attention_of = std::nullopt;  // index of the block
};

// In the order in which the model adds them.
std::vector<Part> parts_of(const Frame& frame, const Contributions& all) {
    const ui::Palette& colors = frame.colors();
    const Model& model = *frame.trace.model;
    const auto first = static_cast<std::size_t>(model.alike_from());
    // Before the last merge there are other tokens, to which the output cannot be decomposed.
    const std::string start = model.has_merges() ? "all up to " + model.layers[first - 1].name
                                                 : std::string("the input of the first layer");
    std::vector<Part> parts{{start, all.input, colors.dim}};
    for (std::size_t b = first; b < all.mlp.size(); ++b) {
        const std::string& layer = model.layers[b].name;
        parts.push_back(
            {layer + ", its attention", all.attention(b), colors.accent, static_cast<int>(b)});
        if (model.layers[b].mlp_out.exists())
            parts.push_back({layer + ", its MLP", all.mlp[b], colors.hue(ui::Hue::weight)});
    }
    parts.push_back({"the biases at the end", all.end, colors.dim});
    return parts;
}

// The bar of the displayed head's layer.
std::optional<int> lit_of(const HeadsView& view, const std::vector<Part>& parts) {
    const auto lit = std::ranges::find(parts, view.shown.layer, &Part::attention_of);
    if (lit == parts.end()) return std::nullopt;
    return static_cast<int>(lit - parts.begin());
}

void legend(Frame& frame, ui::Layout row) {
    const ui::Palette& colors = frame.colors();
    for (const auto& [words, color] : {std::pair{"attention", colors.accent},
                                       {"MLP", colors.hue(ui::Hue::weight)},
                                       {"start, end", colors.dim}}) {
        const ui::TextStyle style{.size = ui::Size::small, .color = color};
        row.words_left(words, style, 12);
    }
}

// Text below the bars.
void frozen_line(Frame& frame, const ui::Rect& row, const Contributions& found) {
    const std::string words = frozen_words(frame, found.frozen);
    const ui::TextStyle style = frame.small_dim();
    ui::Canvas canvas(frame.ui);
    const FrozenRow& first = found.frozen.front();
    const std::string brief =
        found.frozen.size() > 1 ? "norm frozen at each row"
                                : fmt::format("norm frozen: μ {}, σ {}", ui::number(first.mean, 3),
                                              ui::number(first.deviation, 3));
    label_that_fits(canvas, row, {words, brief}, style);
    frame.ui.report("heads.contributions.frozen", words);
    if (row.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        frame.ui.tooltip(first_capital(words) +
                         ".\nThe sum is exact for this image, because the norm before the "
                         "classifier is frozen. Each part, minus its own mean, is divided by the "
                         "same standard deviation, √(variance + ε).\nWithout a part, the norm "
                         "would change, so the logit would not fall by exactly that contribution.");
}

}  // namespace

std::string frozen_words(const Frame& frame, const std::vector<FrozenRow>& rows) {
    const FrozenRow& first = rows.front();
    if (rows.size() == 1) {
        const std::string where = first.token
                                      ? with_article(token_name(frame.trace.layout, *first.token))
                                      : std::string("the pooled tokens");
        return fmt::format("final norm frozen at {}: mean {}, standard deviation {}", where,
                           ui::number(first.mean, 3), ui::number(first.deviation, 3));
    }
    const auto [low, high] = std::ranges::minmax(rows, {}, &FrozenRow::deviation);
    return fmt::format("final norm frozen at {} rows: standard deviation {} to {}", rows.size(),
                       ui::number(low.deviation, 3), ui::number(high.deviation, 3));
}

void contributions_card(Frame& frame, ui::Layout rect, const HeadsView& view) {
    ui::Layout inside = card(frame, rect, "PARTS OF THE LOGIT");
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle words = frame.small_dim();
    if (!view.contributions) return canvas.label(inside.row(), "Computing…", words);
    const auto* found = answer_of(view.contributions);
    if (!found) {
        canvas.wrapped(inside, view.contributions->error, words);
        frame.ui.report("heads.contributions.error", view.contributions->error);
        return;
    }
    const std::vector<Part> parts = parts_of(frame, *found);
    const Index answer = view.contributions->question.of_class;
    canvas.label(inside.last_row(),
                 fmt::format("sum {:.3f}: the logit of {}", found->sum(),
                             class_name(*frame.trace.model, answer)),
                 words);
    if (!found->frozen.empty()) frozen_line(frame, inside.last_row(), *found);
    legend(frame, inside.last_row(0, 2));
    std::vector<ui::Bar> bars;
    for (const Part& part : parts) bars.push_back({static_cast<float>(part.value), part.color});
    double low = 0, high = 0;
    for (const Part& part : parts)
        if (std::isfinite(part.value)) {
            low = std::min(low, part.value);
            high = std::max(high, part.value);
        }
    const ui::Rect place = with_ends(frame, inside, fmt::format("{:+.1f}", high),
                                     low < 0 ? fmt::format("{:+.1f}", low) : "0");
    const int hovered = ui::bars(frame.ui, "heads.contributions", place, bars, lit_of(view, parts));
    if (hovered >= 0) {
        const Part& part = parts[static_cast<std::size_t>(hovered)];
        frame.ui.tooltip(fmt::format("{}: {:+.3f}{}", part.name, part.value,
                                     found->frozen.empty() ? "" : ", with the final norm frozen"));
    }
    frame.ui.report("heads.contributions", fmt::format("{:.6f}", found->sum()));
}

}  // namespace headlight::screens
