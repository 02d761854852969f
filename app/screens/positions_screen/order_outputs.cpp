#include <fmt/format.h>

#include <algorithm>

#include "positions_screen/order.h"
#include "ui/color_bar.h"

// The outputs for the same patches in two orders, and their difference.
namespace headlight::screens {

namespace {

// As much text as fits.
std::string words_of_effect(Frame& frame, const OrderEffect& effect, bool same,
                            const ui::TextStyle& style, float room) {
    const std::string brief = fmt::format("off by {:.2g}{}", effect.most, same ? " ✓" : ""),
                      whole = fmt::format("sorted back, off by {:.2g}; largest value {:.3g}{}",
                                          effect.most, effect.largest, same ? " ✓" : "");
    return first_that_fits(ui::Canvas(frame.ui), {whole, brief}, style, room);
}

struct EffectRow {
    std::string name, words, brief;
    const OrderEffect* effect = nullptr;
    bool same = false;
};

void row_words(Frame& frame, ui::Layout& rect, const EffectRow& row) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle words{.size = ui::Size::small},
        number{.face = ui::Face::mono,
               .size = ui::Size::small,
               .color = row.same ? frame.colors().ok : frame.colors().error};
    label_that_fits(canvas, rect.row(), {row.words, row.brief}, words);
    canvas.label(rect.row(), words_of_effect(frame, *row.effect, row.same, number, rect.w), number);
}

// Column title above, with as much text as fits.
void column_title(Frame& frame, const ui::Rect& rect, std::string_view words,
                  std::string_view brief) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle style = frame.small_dim();
    canvas.label(rect, canvas.measure(words, style) <= rect.w ? words : brief, style);
}

// With a shared color range, so that a zero difference looks like zero; titles above, color bar
// below.
void row_matrices(Frame& frame, ui::Layout rect, const EffectRow& row, const OrderView& shown) {
    const OrderEffect& effect = *row.effect;
    const auto reach = static_cast<float>(effect.largest);
    const float gap = frame.px(6), wide = (rect.w - 2 * gap) / 3;
    const std::string name = "positions.order." + row.name;
    const Index prefix = shown.found->prefix;
    const float around = 2 * frame.line() + frame.px(6);
    if (rect.h >= around + frame.px(24)) {
        const ui::Rect titles = rect.row();
        const auto title = [&](int column, std::string_view words, std::string_view brief) {
            const float x = titles.x + static_cast<float>(column) * (wide + gap);
            column_title(frame, {x, titles.y, wide, titles.h}, words, brief);
        };
        title(0, "Output, patches in order", "in order");
        title(1, "Output, patches moved", "moved");
        title(2, "Difference, sorted back", "difference");
        ui::color_line(frame.ui, rect.last_row(0, 4), signed_scale(frame, -reach, reach));
    }
    output_matrix(frame, rect.left(wide), {name + ".plain", "Output for the original order"},
                  effect.plain.output, reach, prefix, nullptr, shown.view);
    rect.left(gap);
    output_matrix(frame, rect.left(wide), {name + ".changed", "Output for the new order"},
                  effect.changed.output, reach, prefix, &shown.found->order, shown.view);
    rect.left(gap);
    output_matrix(frame, rect, {name + ".difference", "The difference, sorted back"},
                  effect.difference, reach, prefix, nullptr, shown.view);
}

void effect_row(Frame& frame, ui::Layout rect, const EffectRow& row, const OrderView& shown) {
    const float least = frame.px(28);
    frame.ui.name("positions.order." + row.name, {rect, {}});
    if (rect.h >= 2 * frame.line() + least) {
        row_words(frame, rect, row);
        rect.skip_top(3);
        return row_matrices(frame, rect, row, shown);
    }
    // Side by side if space is low; if it is narrow too, only text.
    if (rect.w >= frame.px(330) && rect.h >= least) {
        row_matrices(frame, rect.left(rect.w * 0.42F, 10), row, shown);
    }
    row_words(frame, rect, row);
}

}  // namespace

void output_matrix(Frame& frame, const ui::Rect& rect, const OutputName& name,
                   const SharedResult& output, float reach, Index prefix,
                   const std::vector<Index>* homes, const PositionsView& view) {
    const MatrixView cells = output->view();
    Shown shown;
    shown.set_cells(output);
    ui::HeatmapSpec spec;
    spec.name = name.name;
    spec.cells = shown.cells;
    spec.scale = signed_scale(frame, -reach, reach);
    spec.window = {0, 0, static_cast<float>(cells.rows), static_cast<float>(cells.cols)};
    spec.numbers = cells.rows <= 16;  // for words; there are too many patches
    Index row = view.patch;
    if (homes != nullptr) row = std::ranges::find(*homes, Index{view.patch}) - homes->begin();
    spec.row = static_cast<int>(prefix + row);
    const auto hit = ui::heatmap(frame.ui, rect, spec);
    if (!hit.hovered) return;
    const Index place = hit.row - prefix;
    const Index patch =
        place < 0 || homes == nullptr ? place : (*homes)[static_cast<std::size_t>(place)];
    std::string whose = patch < 0 ? fmt::format("token {}", hit.row)
                                  : name_and_place(frame, static_cast<int>(patch));
    if (place != patch)
        whose += ", now at " + (frame.trace.image ? row_and_column(place, view.cols)
                                                  : fmt::format("place {}", place));
    frame.ui.tooltip(fmt::format("{}\n{}, channel {}: {}\n{} tokens × {} channels, colors ±{}",
                                 name.words, whose, hit.col, ui::number(cells(hit.row, hit.col), 3),
                                 cells.rows, cells.cols, ui::number(reach, 3)));
    if (patch < 0) return;
    focus_on_patch(frame, static_cast<int>(patch));
    if (hit.clicked) pin_patch(frame, static_cast<int>(patch));
}

std::string why_other(const OrderStudy& study) {
    return study.told_by.empty() ? ""
                                 : fmt::format(", because {} reveals the order", study.told_by);
}

void order_outputs(Frame& frame, ui::Layout rect, const OrderView& shown) {
    const OrderStudy& found = *shown.found;
    const bool without = is_same(found, Positions::none),
               with = is_same(found, Positions::as_they_are);
    std::vector<EffectRow> rows{{"without",
                                 without ? "no positions: the same output, reordered"
                                         : "no positions: the output changes" + why_other(found),
                                 without ? "no positions: the same" : "no positions: changes",
                                 &found.without_positions, without}};
    if (shown.adds)
        rows.push_back({"with",
                        with ? "with its positions: the same output"
                             : "with its positions: the output changes",
                        with ? "positions: the same" : "positions: changes", &found.with_positions,
                        with});
    const float each = rect.stacked(0, rows.size(), 8).h;
    for (const EffectRow& row : rows) {
        frame.ui.report("positions.order." + row.name, row.same ? "same" : "other");
        frame.ui.report("positions.order." + row.name + ".most",
                        fmt::format("{:.3e}", row.effect->most));
        effect_row(frame, rect.top(each, 8), row, shown);
    }
}

}  // namespace headlight::screens
