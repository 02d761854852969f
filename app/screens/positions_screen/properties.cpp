#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "frame/capitals.h"
#include "positions/positions.h"
#include "positions_screen/view.h"
#include "ui/color_bar.h"

// The properties of the table: all pairs, and how they fall off with the offset.
namespace headlight::screens {

std::string name_of_kind(const Frame& frame, const PositionsView& view,
                         const PositionChoice& choice) {
    const bool own = choice.kind == PositionKind::model;
    if (own && view.bias != nullptr) return "THE MODEL'S BIAS";
    if (own && view.table->turns) return "THE MODEL'S ROTATION";
    if (own && frame.trace.model->positions.table != nullptr) return "THE MODEL'S";
    const PositionKind made =
        frame.trace.model->positions.formula.value_or(PositionKind::sinusoidal);
    return capitals(std::string(info(own ? made : choice.kind).label));
}

namespace {

// Cosine, product or distance.
void choice_of_measure(Frame& frame, const ui::Rect& rect) {
    const auto now = static_cast<int>(frame.state.look.pair_measure);
    const bool roomy = rect.w >= frame.px(210);
    const int chosen =
        ui::segmented(frame.ui, "positions.pairs", rect,
                      roomy ? std::vector<std::string_view>{"cosine", "product", "distance"}
                            : std::vector<std::string_view>{"cos", "prod", "dist"},
                      now);
    if (chosen >= 0 && chosen != now)
        set_once(frame, "pair_measure", std::string(name_of(static_cast<PairMeasure>(chosen))));
}

}  // namespace

float pairs_height(Frame& frame, float side) { return side + frame.line() * 3.4F + frame.px(14); }

void pairs_part(Frame& frame, ui::Layout rect, const PositionsView& view, PositionsMemory& memory) {
    caption_that_fits(
        frame.ui, rect.row(0, 4),
        {fmt::format("ALL PAIRS: {}", capitals(std::string(name_of_measure(frame)))), "ALL PAIRS"});
    choice_of_measure(frame, rect.top(frame.line() * 1.4F, 6));
    const ui::Rect bar = rect.last_row(0, 4);
    Shown shown;
    shown.set_cells(view.table->pairs);
    ui::HeatmapSpec spec;
    spec.name = "positions.cosines";
    spec.cells = shown.cells;
    spec.scale = likeness_scale(frame, view, *view.table);
    spec.window = frame.ui.window(spec.name, spec.cells.rows, spec.cells.cols);
    spec.row = view.patch;
    spec.outline_cell = false;
    const ui::Rect place = rect.fit(1);
    const auto hit = ui::heatmap(frame.ui, place, spec);
    ui::zoom_and_pan(frame.ui, place, frame.ui.window(spec.name, spec.cells.rows, spec.cells.cols),
                     spec.cells.rows, spec.cells.cols);
    ui::color_line(frame.ui, bar, spec.scale);
    if (!hit.hovered) return;
    focus_on_patch(frame, hit.row);
    memory.next_hovered_offset = view.between(hit.row, hit.col);
    frame.ui.tooltip(fmt::format("{}\nwith {}: {} {}", name_and_place(frame, hit.row),
                                 name_and_place(frame, hit.col), name_of_measure(frame),
                                 ui::number(shown.view(hit.row, hit.col), 3)));
    if (hit.clicked) pin_patch(frame, hit.row);
}

namespace {

// The range of the curves: a cosine's, or from the smallest to the largest value, and zero.
struct Ends {
    double low = -1, high = 1;
};
Ends ends_of(const Frame& frame, const OffsetProfile& profile) {
    Ends ends;
    if (frame.state.look.pair_measure == PairMeasure::cosine) return ends;
    ends = {0, 0};
    for (const auto* values : {&profile.along_row, &profile.down_column})
        for (const double value : *values) {
            if (!std::isfinite(value)) continue;
            ends.low = std::min(ends.low, value);
            ends.high = std::max(ends.high, value);
        }
    if (ends.high <= ends.low) ends.high = ends.low + 1;
    return ends;
}

// Below the plot: what the curves are, and how far apart their ends are.
void profile_legend(Frame& frame, ui::Layout words, const ui::Plot& plot,
                    const PositionsView& view) {
    ui::Canvas canvas(frame.ui);
    ui::TextStyle legend{.size = ui::Size::small, .color = frame.colors().accent};
    const float under = words.x + words.w - plot.rect.x;  // as wide as the plot
    const auto fits = [&](std::string_view text, float width) {
        return canvas.measure(text, legend) + frame.px(16) < width;
    };
    const bool roomy = fits("along a row, down a column", under);
    const std::string_view row = roomy ? "along a row" : "row",
                           column = roomy ? "down a column" : "column";
    if (fits("row, column", under)) words.left(plot.rect.x - words.x);
    words.words_left(row, legend, roomy ? 16 : 10);
    legend.color = frame.colors().hue(ui::Hue::key);
    if (view.table->profile.down_column.size() > 1)  // of a row of words there is nothing below
        words.words_left(column, legend, 8);
    const ui::TextStyle end = frame.mono_dim(ui::Align::right);
    const int longest = std::max(view.rows, view.cols);
    const std::string token = frame.trace.image ? "patch" : "token",
                      tokens = frame.trace.image ? "patches" : "tokens",
                      apart = longest == 1   ? "one " + token + " alone"
                              : longest == 2 ? "one " + token + " apart"
                                             : fmt::format("{} {} apart", plot.last, tokens);
    if (canvas.measure(apart, end) <= words.w) canvas.label(words, apart, end);
}

// The numbers at the offset under the pointer.
void profile_tip(Frame& frame, const ui::Plot& plot, const OffsetProfile& profile,
                 PositionsMemory& memory) {
    const int offset = plot.step_under(ImGui::GetIO().MousePos);
    if (offset < 0) return;
    const auto k = static_cast<std::size_t>(offset);
    std::string words = fmt::format("{} apart", k);
    if (k < profile.along_row.size())
        words += fmt::format("\nalong a row {:.3f}", profile.along_row[k]);
    if (k < profile.down_column.size())
        words += fmt::format("\ndown a column {:.3f}", profile.down_column[k]);
    memory.next_hovered_offset = Offset{offset, 0};
    frame.ui.tooltip(words);
}

}  // namespace

void profile_part(Frame& frame, ui::Layout rect, const PositionsView& view,
                  PositionsMemory& memory) {
    if (view.table->turns) {
        rotation_part(frame, rect.right(rect.w / 2, 16), view);
    }
    const std::string by = capitals(std::string(name_of_measure(frame)));
    caption_that_fits(frame.ui, rect.row(0, 4), {by + " BY OFFSET", by});
    const ui::Layout words = rect.last_row();
    const OffsetProfile& profile = view.table->profile;
    const Ends ends = ends_of(frame, profile);
    const bool of_cosines = frame.state.look.pair_measure == PairMeasure::cosine;
    const std::string high = of_cosines ? "1" : ui::number(ends.high, 2),
                      low = of_cosines ? "−1" : ui::number(ends.low, 2),
                      middle = of_cosines ? "0" : ui::number((ends.low + ends.high) / 2, 2);
    const std::size_t longest = std::max(profile.along_row.size(), profile.down_column.size());
    const ui::Plot plot{ui::beside_levels(frame.ui, rect, {high, middle, low}),
                        static_cast<int>(std::max<std::size_t>(2, longest)) - 1, ends.low,
                        ends.high};
    ui::grid(frame.ui, plot);
    frame.ui.name("positions.profile", {plot.rect, {}});
    ui::curve(frame.ui, plot, profile.along_row, frame.colors().accent);
    if (profile.along_row.size() > 1)
        frame.ui.report("positions.offset.1", fmt::format("{:.6f}", profile.along_row[1]));
    ui::curve(frame.ui, plot, profile.down_column, frame.colors().hue(ui::Hue::key));
    profile_legend(frame, words, plot, view);
    profile_tip(frame, plot, profile, memory);
}

}  // namespace headlight::screens
