#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "positions_screen/view.h"
#include "ui/progress_bar.h"

// How well positions can be predicted from the residual stream after each layer.
namespace headlight::screens {

namespace {

std::string words_at(const Frame& frame, const Readout& found, std::size_t l) {
    const auto first = static_cast<std::size_t>(frame.trace.model->token_transformers());
    std::string words = l == 0 ? "before the first layer"
                               : "after " + frame.trace.model->layers[first + l - 1].name;
    for (const auto& [name, values] : {std::pair{"row", &found.row}, {"column", &found.column}})
        if (!std::isnan((*values)[l]))
            words += fmt::format("\n{}: R² = {:.3f}", name, (*values)[l]);
    const std::string fitted =
        found.taught > 0
            ? fmt::format("The map is fitted to {} random scenes and tested on {} others.",
                          found.taught, found.tested)
            : "The map for each patch is fitted to all other patches.";
    return words +
           "\n1: a linear map (ridge regression) recovers a patch's place from its token. 0: it "
           "cannot.\n" +
           fitted;
}

// The progress over the scenes, and a button to stop.
void scenes_under_way(Frame& frame, ui::Layout rect) {
    ui::Canvas(frame.ui).label(
        rect.row(0, 6),
        fmt::format("Fitting to {} scenes, testing on others…", frame.state.look.readout_scenes),
        frame.small_dim());
    ui::progress_bar(frame.ui, rect.top(frame.px(6), 8), studies_of(frame).progress(kReadout));
    ui::Layout row = rect.top(frame.line() * 1.4F);
    if (row.button_left("positions.readout.stop", "Stop")) set_once(frame, "readout_scenes", "0");
}

// What the curves do not show: how far they go below 0, and patches that were not used.
std::string left_out(const Frame& frame, const Readout& found) {
    double least = 0;
    for (const auto* values : {&found.row, &found.column})
        for (const double value : *values)
            if (!std::isnan(value)) least = std::min(least, value);
    std::string words;
    if (least < 0) words = fmt::format("lowest {:.2f}, drawn as 0", least);
    const Index all = frame.trace.grid.count();
    if (found.patches < all && found.taught == 0)
        words += fmt::format("{}fitted to {} of {} patches", words.empty() ? "" : "; ",
                             found.patches, all);
    return words;
}

void curves(Frame& frame, ui::Layout rect, const Readout& found) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle dim = frame.small_dim();
    // If another line leaves no space for the plot, only the tooltip has this text.
    const std::string said = rect.h < frame.line() * 5 ? "" : left_out(frame, found);
    const ui::Rect below = rect.bottom(said.empty() ? 0 : frame.line());
    ui::Layout words = rect.last_row();
    // Values below 0 mean that nothing can be predicted; they are drawn as 0.
    const std::size_t last = found.row.size() - 1;
    const ui::Plot plot{ui::beside_levels(frame.ui, rect, {"1", "0"}), static_cast<int>(last)};
    ui::grid(frame.ui, plot);
    frame.ui.name("positions.readout", {plot.rect, {}});
    // "Row" has the same hue as in the profile beside it.
    const ImU32 row = frame.colors().accent, column = frame.colors().hue(ui::Hue::key);
    ui::curve(frame.ui, plot, found.row, row);
    ui::curve(frame.ui, plot, found.column, column);
    ui::TextStyle legend = dim;
    legend.color = row;
    words.words_left("row", legend, 16);
    legend.color = column;
    words.words_left("column", legend, 16);
    ui::TextStyle end = dim;
    end.align = ui::Align::right;
    const std::string layers = fmt::format("after {} layer{}", last, last == 1 ? "" : "s");
    if (canvas.measure(layers, end) <= words.w) canvas.label(words, layers, end);
    if (!said.empty()) canvas.label(below, said, dim);
    frame.ui.report("positions.readout.row", fmt::format("{:.6f}", found.row.back()));
    frame.ui.report("positions.readout.column", fmt::format("{:.6f}", found.column.back()));
    frame.ui.report("positions.readout.left_out", said);
    frame.ui.report("positions.readout.tested", std::to_string(found.tested));
    if (const int layer = plot.step_under(ImGui::GetIO().MousePos); layer >= 0)
        frame.ui.tooltip(words_at(frame, found, static_cast<std::size_t>(layer)));
}

// Chooses the plot: the probe on this picture or on scenes, the added table and the tokens, or the
// waves that tell two positions apart.
void choice_of_plot(Frame& frame, const ui::Rect& rect) {
    constexpr int kUsualScenes = 32;
    const Look& look = frame.state.look;
    const bool readout = look.position_plot == PositionPlot::readout;
    const int now = look.position_plot == PositionPlot::apart   ? 3
                    : look.position_plot == PositionPlot::added ? 2
                    : look.readout_scenes > 0                   ? 1
                                                                : 0;
    const std::vector<std::string_view> names{"picture", "scenes", "added", "apart"};
    // A list, if the buttons do not fit side by side.
    float least = frame.px(190);
    if (look.lecture) {
        least = 0;
        for (const std::string_view name : names)
            least += ui::Canvas(frame.ui).measure(name, {}) + frame.px(12);
    }
    const int chosen = rect.w < least ? ui::choice(frame.ui, "positions.plot", rect, names, now)
                                      : ui::segmented(frame.ui, "positions.plot", rect, names, now);
    if (chosen < 0 || chosen == now) return;
    if (chosen == 3) return set_once(frame, "position_plot", "apart");
    if (chosen == 2) return set_once(frame, "position_plot", "added");
    if (!readout) set_once(frame, "position_plot", "readout");
    if (chosen == 0 && look.readout_scenes > 0) set_once(frame, "readout_scenes", "0");
    if (chosen == 1 && look.readout_scenes == 0)
        set_once(frame, "readout_scenes", std::to_string(kUsualScenes));
}

}  // namespace

ReadoutQuestion readout_question(const Frame& frame) {
    const int scenes = frame.state.look.readout_scenes;
    const auto trace = frame.shared(frame.trace);
    return scenes > 0 ? question_of_scenes(trace->model, frame.recipe, scenes)
                      : ReadoutQuestion{.trace = trace};
}

void readout_part(Frame& frame, ui::Layout rect, const PositionsView& view, PositionsMemory& memory,
                  std::optional<ui::Rect> choices) {
    ui::Canvas canvas(frame.ui);
    const ui::Rect title = rect.row(0, 4);
    choice_of_plot(frame, choices ? *choices : rect.top(frame.line() * 1.4F));
    rect.top(frame.line() * 0.6F);
    if (frame.state.look.position_plot == PositionPlot::added) {
        caption_that_fits(frame.ui, title, {"ADDED TO THE PATCHES: ANGLES", "ADDED: ANGLES"});
        return added_part(frame, rect);
    }
    if (frame.state.look.position_plot == PositionPlot::apart) {
        caption_that_fits(frame.ui, title, {"TWO POSITIONS TOLD APART", "TOLD APART"});
        return apart_part(frame, rect, view, memory);
    }
    caption_that_fits(frame.ui, title, {"PLACE RECOVERED, R²", "PLACE, R²"});
    const int scenes = frame.state.look.readout_scenes;
    const ReadoutQuestion wanted = readout_question(frame);
    const auto said = studies_of(frame).ask(kReadout, wanted);
    const ui::TextStyle dim = frame.small_dim();
    if (!said || !(said->question == wanted)) {
        if (scenes > 0) return scenes_under_way(frame, rect);
        return canvas.label(rect.row(), "Computing…", dim);
    }
    const Readout& found = said->answer;
    if (found.row.empty())
        return static_cast<void>(canvas.wrapped(
            rect,
            !said->error.empty()              ? said->error
            : frame.trace.model->has_merges() ? "Layers merge the patches, so no patch has its "
                                                "own residual stream."
                                              : "These patches have no residual stream.",
            dim));
    curves(frame, rect, found);
}

}  // namespace headlight::screens
