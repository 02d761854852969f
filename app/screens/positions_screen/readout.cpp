#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "positions_screen/view.h"

// How much of the position is left in the stream after each layer.
namespace headlight::screens {

namespace {

// Below nothing can be read: it is drawn as nothing.
void line_of(Frame& frame, const ui::Rect& rect, const std::vector<double>& values, ImU32 color) {
    std::vector<ImVec2> points;
    const auto last = static_cast<float>(std::max<std::size_t>(1, values.size() - 1));
    for (std::size_t l = 0; l < values.size(); ++l) {
        if (std::isnan(values[l])) return;
        const auto part = static_cast<float>(std::clamp(values[l], 0.0, 1.0));
        points.push_back(
            {rect.x + rect.w * static_cast<float>(l) / last, rect.y + rect.h * (1 - part)});
    }
    ui::Canvas(frame.ui).path(std::move(points), color, frame.px(2));
}

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

// The room of the lines between their words.
ui::Rect plot(Frame& frame, ui::Rect rect) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle small{
        .face = ui::Face::mono, .size = ui::Size::small, .color = frame.colors().dim};
    const ui::Rect side = rect.cut_left(canvas.measure("0", small) + frame.px(8));
    const float line = frame.line();
    canvas.text({side.x, side.y - line / 2}, "1", small);
    canvas.text({side.x, side.y + side.h - line / 2}, "0", small);
    for (const float part : {0.0F, 0.5F, 1.0F})
        canvas.line({rect.x, rect.y + rect.h * part}, {rect.x + rect.w, rect.y + rect.h * part},
                    frame.colors().border);
    return rect;
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
    const ui::Rect inside = plot(frame, rect);
    const ImU32 across = frame.colors().accent, down = frame.colors().hue(ui::Hue::query);
    line_of(frame, inside, found.column, across);
    line_of(frame, inside, found.row, down);
    ui::TextStyle legend = dim;
    legend.color = across;
    canvas.label(words.cut_left(canvas.measure("column", legend) + frame.px(16)), "column", legend);
    legend.color = down;
    canvas.label(words.cut_left(canvas.measure("row", legend) + frame.px(16)), "row", legend);
    ui::TextStyle end = dim;
    end.align = ui::Align::right;
    const std::string layers = fmt::format("after {} layers", found.row.size() - 1);
    if (canvas.measure(layers, end) <= words.w) canvas.label(words, layers, end);
    frame.ui.report("positions.readout.row", fmt::format("{:.6f}", found.row.back()));
    frame.ui.report("positions.readout.column", fmt::format("{:.6f}", found.column.back()));
    if (!inside.contains(ImGui::GetIO().MousePos)) return;
    const float part = (ImGui::GetIO().MousePos.x - inside.x) / std::max(1.0F, inside.w);
    const auto last = static_cast<float>(found.row.size() - 1);
    frame.ui.tooltip(words_at(frame, found, static_cast<std::size_t>(std::round(part * last))));
}

}  // namespace headlight::screens
