#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "positions_screen/view.h"

// How much of the position is left in the stream after each layer.
namespace headlight::screens {

namespace {

std::string words_at(const Frame& frame, const Readout& found, std::size_t l) {
    const auto first = static_cast<std::size_t>(frame.trace.model->token_transformers());
    std::string words = l == 0 ? "before the first layer"
                               : "after " + frame.trace.model->layers[first + l - 1].name;
    for (const auto& [name, values] : {std::pair{"row", &found.row}, {"column", &found.column}})
        if (!std::isnan((*values)[l]))
            words += fmt::format("\n{}: R² = {:.3f}", name, (*values)[l]);
    return words +
           "\n1: a patch's place can be read off its token by a linear map fitted to all others "
           "(ridge regression); 0: it cannot.";
}

}  // namespace

void readout_part(Frame& frame, ui::Rect rect, PositionsMemory& memory) {
    ui::Canvas canvas(frame.ui);
    canvas.caption(rect.cut_top(frame.line()), "PLACE READ OFF, R²");
    rect.cut_top(frame.px(4));
    const auto trace = frame.shared(frame.trace);
    memory.reader->ask({trace});
    const auto said = memory.reader->last();
    const ui::TextStyle dim{.size = ui::Size::small, .color = frame.colors().dim};
    if (!said || said->question.trace != trace)
        return canvas.label(rect.cut_top(frame.line()), "Computing…", dim);
    const Readout& found = said->answer;
    if (found.row.empty())
        return static_cast<void>(canvas.wrapped(
            rect, said->error.empty() ? "There is no stream of these patches." : said->error, dim));
    ui::Rect words = rect.cut_bottom(frame.line());
    // Below 0 nothing can be read: it is drawn as nothing.
    const Plot plot = plot_in(frame, rect, {"1", "0"}, 0, 1);
    const std::size_t last = found.row.size() - 1;
    const ImU32 across = frame.colors().accent, down = frame.colors().hue(ui::Hue::query);
    curve(frame, plot, found.column, last, across);
    curve(frame, plot, found.row, last, down);
    ui::TextStyle legend = dim;
    legend.color = across;
    canvas.label(words.cut_left(canvas.measure("column", legend) + frame.px(16)), "column", legend);
    legend.color = down;
    canvas.label(words.cut_left(canvas.measure("row", legend) + frame.px(16)), "row", legend);
    ui::TextStyle end = dim;
    end.align = ui::Align::right;
    const std::string layers = fmt::format("after {} layers", last);
    if (canvas.measure(layers, end) <= words.w) canvas.label(words, layers, end);
    frame.ui.report("positions.readout.row", fmt::format("{:.6f}", found.row.back()));
    frame.ui.report("positions.readout.column", fmt::format("{:.6f}", found.column.back()));
    if (!plot.rect.contains(ImGui::GetIO().MousePos)) return;
    const float part = (ImGui::GetIO().MousePos.x - plot.rect.x) / std::max(1.0F, plot.rect.w);
    const auto layer = static_cast<std::size_t>(std::round(part * static_cast<float>(last)));
    frame.ui.tooltip(words_at(frame, found, std::min(layer, last)));
}

}  // namespace headlight::screens
