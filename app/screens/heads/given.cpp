#include <algorithm>
#include <cmath>
#include <string>

#include "frame/shown.h"
#include "frame/tiling.h"
#include "heads/given.h"
#include "ui/color_bar.h"
#include "ui/heatmap_view.h"

// All heads of a layer on given tokens instead of a picture.
namespace headlight::screens {

namespace {

// For a feature map, the focused token's row is laid out as its grid.
bool is_feature_map(const Frame& frame) {
    const PatchGrid& grid = frame.trace.grid;
    return grid.rows > 1 && grid.cols > 1 && !is_cross(frame.trace) &&
           frame.trace.layout.prefix() + grid.count() == frame.trace.shape.keys;
}

// The weights of one head: queries by keys, or one query over the map.
Shown weights_of_head(Frame& frame, int head) {
    Shown all = shown(frame, Tensor::attention, head);
    if (all.cells.empty() || !is_feature_map(frame)) return all;
    const PatchGrid& grid = frame.trace.grid;
    const Index token = std::min<Index>(frame.focus.token.value_or(0), all.view.rows - 1);
    all.set_cells(
        {all.view.row(token) + frame.trace.layout.prefix(), grid.rows, grid.cols, grid.cols},
        all.cells.version, all.cells.keeper);
    return all;
}

void draw_given_head(Frame& frame, ui::Layout rect, int head) {
    const bool chosen = head == frame.state.selection.head;
    ui::Canvas canvas(frame.ui);
    canvas.label(rect.row(), "Head " + std::to_string(head + 1),
                 {.face = chosen ? ui::Face::bold : ui::Face::words, .size = ui::Size::small});
    const Shown weights = weights_of_head(frame, head);
    if (weights.cells.empty()) return;
    const bool map = is_feature_map(frame);
    const int prefix = static_cast<int>(frame.trace.layout.prefix());
    ui::HeatmapSpec spec;
    spec.name = "heads.given." + std::to_string(head + 1);
    spec.cells = weights.cells;
    spec.scale = weights.scale;
    spec.window = {0, 0, static_cast<float>(weights.cells.rows),
                   static_cast<float>(weights.cells.cols)};
    if (!map) spec.row = frame.focus.token;
    spec.outline_cell = false;
    const ui::HeatmapHit hit = ui::heatmap(frame.ui, rect, spec);
    if (chosen) canvas.outline(rect.inset(-frame.px(2)), frame.colors().head(head), frame.px(2));
    if (!hit.hovered) return;
    const int key = map ? prefix + hit.row * frame.trace.grid.cols + hit.col : hit.col;
    const int query = map ? frame.focus.token.value_or(0) : hit.row;
    frame.ui.tooltip(name_of_token(frame.trace, Side::query, query) + " to " +
                     name_of_token(frame.trace, Side::key, key) + ": " +
                     ui::number(weights.cells.at(hit.row, hit.col), 4));
    // A map belongs to one query, chosen by clicking; the pointer is over a key.
    if (!map) hover_token(frame, Side::query, query);
    if (!hit.clicked) return;
    pin_token(frame, Side::query, map ? key : query);
    frame.say("head", std::to_string(head + 1));
}

std::string given_words(const Frame& frame) {
    const std::string who = name_of_token(frame.trace, Side::query, frame.focus.token.value_or(0));
    return is_feature_map(frame)
               ? "What " + who + " attends to in each head, over the cells of the feature map"
               : "Attention weights of all heads: rows are queries, columns are keys";
}

}  // namespace

void heads_of_given_tokens(Frame& frame, ui::Layout rect) {
    rect = rect.inset(frame.px(24), frame.px(16));
    ui::Layout head = rect.row(ui::Size::body, 10);
    const std::string back = "Back to the picture";
    if (frame.state.on_picture && head.button_right("tokens.picture", back)) frame.say("picture");
    const std::string words = frame.trace.has(Tensor::attention)
                                  ? given_words(frame)
                                  : "These tokens have no attention weights to show.";
    ui::Canvas(frame.ui).label(head, words, {.color = frame.colors().dim});
    frame.ui.report("heads.given", words);
    if (!frame.trace.has(Tensor::attention)) return;
    ui::Layout foot = rect.bottom(ui::color_bar_height(frame.ui));
    rect.skip_top(8);
    rect.skip_bottom(10);
    const auto count = static_cast<int>(frame.trace.shape.heads);
    const Shown first = weights_of_head(frame, 0);
    if (first.cells.empty()) return;
    const float aspect = std::clamp(
        static_cast<float>(first.cells.cols) / static_cast<float>(first.cells.rows), 0.5F, 3.0F);
    const float gap = frame.px(16);
    const Tiling tiles = largest_tiles(frame, rect, count, aspect, gap);
    const float w = tiles.tall * aspect, h = tiles.tall + frame.line();
    for (int i = 0; i < count; ++i)
        draw_given_head(frame,
                        {frame.ui,
                         {std::round(rect.x + static_cast<float>(i % tiles.across) * (w + gap)),
                          std::round(rect.y + static_cast<float>(i / tiles.across) * (h + gap)),
                          std::round(w), std::round(h)}},
                        i);
    ui::color_bar(frame.ui, foot.left(std::min(foot.w, frame.px(420))), first.scale, "",
                  "heads.given");
}

}  // namespace headlight::screens
