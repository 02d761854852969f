#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "frame/capitals.h"
#include "frame/export.h"
#include "frame/head_switch.h"
#include "heads/baseline.h"
#include "heads/grid_layout.h"
#include "heads/hues.h"
#include "heads/lines.h"
#include "heads/memory.h"
#include "heads/order.h"
#include "heads/pan.h"
#include "heads/patch_share.h"
#include "program/ordinals.h"
#include "ui/color_bar.h"

// A map for every head.
namespace headlight::screens {

namespace {

// The largest value of all, for a full bar.
double most_of(const HeadsView& view) {
    double most = 0;
    for (const HeadTile& tile : view.tiles)
        if (tile.number && std::isfinite(*tile.number))
            most = std::max(most, std::abs(*tile.number));
    return most;
}

// If there are too few hues, uses pairs; a single head has none.
void draw_group(Frame& frame, const ui::Rect& rect, const HeadTile& tile) {
    ui::Canvas canvas(frame.ui);
    if (tile.hue < 0) return canvas.fill(rect, frame.colors().border, frame.px(1));
    canvas.fill(rect, frame.colors().head(tile.hue), frame.px(1));
    const int round = tile.hue / ui::kHeadHues;
    if (round == 0) return;
    canvas.fill({rect.x, rect.y, rect.w, rect.h * 0.4F}, frame.colors().head(tile.hue + round),
                frame.px(1));
}

void draw_bar(Frame& frame, const ui::Rect& rect, const HeadTile& tile, double most) {
    ui::Canvas canvas(frame.ui);
    if (tile.group >= 0) return draw_group(frame, rect, tile);
    canvas.fill(rect, frame.colors().border, frame.px(1));
    if (!tile.number || !std::isfinite(*tile.number) || most <= 0) return;
    // Negative values have bars of the same length, in red.
    const auto part = static_cast<float>(std::clamp(std::abs(*tile.number) / most, 0.0, 1.0));
    canvas.fill({rect.x, rect.y + rect.h * (1 - part), rect.w, rect.h * part},
                *tile.number < 0 ? frame.colors().error : frame.colors().accent, frame.px(1));
}

bool is_off(const Frame& frame, const HeadPlace& place) {
    return std::ranges::find(frame.recipe.switched_off, place) != frame.recipe.switched_off.end();
}

void cross_out(Frame& frame, const ui::Rect& place) {
    ui::Canvas canvas(frame.ui);
    const ImU32 color = frame.colors().error;
    canvas.line(place.min(), place.max(), color, frame.px(1.5F));
    canvas.line({place.x + place.w, place.y}, {place.x, place.y + place.h}, color, frame.px(1.5F));
}

template <class What>
std::string share_tip(const Frame& frame, const HeadsView& view, const What& what) {
    const bool one = !view.together() && !view.difference;
    return one ? share_words(frame, share_of(view, what, view.query())) : "";
}

void take_mouse(Frame& frame, const ui::Rect& place, const HeadTile& tile, const HeadsView& view,
                HeadsMemory& memory) {
    const std::string name = fmt::format(
        "heads.map.{}.{}", layer_number(*frame.trace.model, tile.place.layer), tile.place.head + 1);
    const auto mouse = ui::interact(frame.ui, name, place, ui::Stop::no);
    if (mouse.hovered) {
        memory.next_pointed.head = tile.place;
        memory.next_pointed.patch = patch_at(frame, place, ImGui::GetIO().MousePos);
        const auto its_own =
            patch_at(frame, grid_of(frame, tile.place.layer), place, ImGui::GetIO().MousePos);
        std::string tip = name_of_head(frame, tile.place);
        for (const std::string& words :
             {number_words(frame, view, tile), share_tip(frame, view, tile.place)})
            if (!words.empty()) tip += "\n" + words;
        if (view.together() && its_own)
            tip += "\n" + patch_words(frame, view, tile.place, *its_own);
        frame.ui.tooltip(tip);
    }
    if (memory.viewport.dragged) return;  // the drag moved the whole grid
    if (mouse.clicked && ImGui::GetIO().KeyShift) return ask_for_pointed(frame, memory);
    if (mouse.clicked && ImGui::GetIO().KeyCtrl) return switch_head(frame, tile.place);
    const std::string layer = layer_number(*frame.trace.model, tile.place.layer),
                      head = std::to_string(tile.place.head + 1);
    if (mouse.double_clicked) return frame.say("open-head", layer, head);
    if (!mouse.clicked) return;
    if (tile.place.layer != frame.trace.layer) frame.say("layer", layer);
    frame.say("head", head);
}

// Without row and column names, as in other orders, a map has its own label.
void corner_name(Frame& frame, const ui::Rect& place, const std::string& name) {
    ui::Canvas canvas(frame.ui);
    const float width = canvas.measure(name, corner_style()) + frame.px(6);
    if (width > place.w || frame.line() > place.h) return;
    canvas.fill({place.x, place.y, width, frame.line()}, IM_COL32(0, 0, 0, 170));
    canvas.text({place.x + frame.px(3), place.y}, name, corner_style());
}

void draw_tile(Frame& frame, const ui::Rect& place, const HeadTile& tile, const HeadsView& view,
               HeadsMemory& memory, const GridPlaces& places, double most) {
    const GridLayout& l = places.l;
    PictureSpec spec{.name = fmt::format("heads.tile.{}.{}", tile.place.layer, tile.place.head),
                     .opacity = 0.65F,
                     .interactive = false};
    if (view.difference)
        draw_difference(frame, place, view, tile.place.layer, pair_of(frame, view, tile.place),
                        std::move(spec));
    else
        draw_map(frame, place, view, memory, tile.place, std::move(spec));
    draw_bar(frame, {place.x + place.w + frame.px(3), place.y, l.bar - frame.px(3), place.h}, tile,
             most);
    if (tile.left_out)  // dimmed in place by the filter
        ui::Canvas(frame.ui).fill(place, ui::with_alpha(frame.colors().background, 0.82F));
    if (is_off(frame, tile.place)) cross_out(frame, place);
    if (l.names == 0) corner_name(frame, place, short_name(frame, tile.place));
    if (!places.of_file) {
        draw_shares(frame, place, view, tile.place);
        draw_share_number(frame, place, view, tile.place);
    }
    const bool chosen = tile.place == view.chosen;
    if (chosen || tile.place == view.shown)
        ui::Canvas(frame.ui).outline(place.inset(-frame.px(2)),
                                     chosen ? frame.colors().accent : frame.colors().text,
                                     frame.px(2), frame.px(2));
}

bool is_seen(const ui::Rect& place) { return ImGui::IsRectVisible(place.min(), place.max()); }

void draw_tiles(Frame& frame, const GridPlaces& places, const HeadsView& view,
                HeadsMemory& memory) {
    const double most = most_of(view);
    const std::vector<const HeadTile*> tiles = placed_tiles(view);
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        const ui::Rect place = places.of(view, *tiles[i], i);
        if (!is_seen(place)) continue;
        draw_tile(frame, place, *tiles[i], view, memory, places, most);
        if (!places.of_file) take_mouse(frame, place, *tiles[i], view, memory);
    }
}

// Selects its layer or its head, for comparison with others.
void choose(Frame& frame, const Combination& of) {
    if (of.layer) frame.say("layer", layer_number(*frame.trace.model, *of.layer));
    if (of.head) frame.say("head", std::to_string(*of.head + 1));
}

void draw_combination(Frame& frame, const ui::Rect& place, std::size_t i, const HeadsView& view,
                      HeadsMemory& memory, const GridLayout& l) {
    const Combination& of = view.combinations[i];
    PictureSpec spec{
        .name = fmt::format("heads.combined.{}.tile", i), .opacity = 0.65F, .interactive = false};
    if (view.difference)
        draw_difference(frame, place, view, of.layer.value_or(frame.trace.layer), pair_of(view, of),
                        std::move(spec));
    else
        draw_map(frame, place, view, memory, of, std::move(spec));
    if (l.names == 0) corner_name(frame, place, short_name(frame, of));
    if (&of == view.hovered_combination)
        ui::Canvas(frame.ui).outline(place.inset(-frame.px(2)), frame.colors().text, frame.px(2),
                                     frame.px(2));
}

void take_mouse(Frame& frame, const ui::Rect& place, std::size_t i, const HeadsView& view,
                HeadsMemory& memory) {
    const Combination& of = view.combinations[i];
    const auto mouse =
        ui::interact(frame.ui, fmt::format("heads.combined.{}", i + 1), place, ui::Stop::no);
    if (mouse.clicked && !memory.viewport.dragged) choose(frame, of);
    if (!mouse.hovered) return;
    memory.next_pointed.combination = i;
    memory.next_pointed.patch = patch_at(frame, place, ImGui::GetIO().MousePos);
    const auto its_own = patch_at(frame, grid_of(frame, of.layer.value_or(frame.trace.layer)),
                                  place, ImGui::GetIO().MousePos);
    std::string tip = name_of_combination(frame, view, of) + ", patch by patch";
    if (const std::string share = share_tip(frame, view, of); !share.empty()) tip += "\n" + share;
    if (is_hued(view, of) && its_own) tip += "\n" + patch_words(frame, view, of, *its_own);
    frame.ui.tooltip(tip);
}

void draw_combinations(Frame& frame, const GridPlaces& places, const HeadsView& view,
                       HeadsMemory& memory) {
    for (std::size_t i = 0; i < view.combinations.size(); ++i) {
        const ui::Rect place = places.of_combined(view, i);
        if (!is_seen(place)) continue;
        draw_combination(frame, place, i, view, memory, places.l);
        if (!places.of_file) draw_shares(frame, place, view, view.combinations[i]);
        if (!places.of_file) take_mouse(frame, place, i, view, memory);
    }
}

// How maps of numbers are drawn; maps in hues always use squares.
std::string how_drawn(Frame& frame, const ui::Rect& body, const HeadsView& view, bool hued,
                      float zoom) {
    const Look& look = frame.state.look;
    if (view.difference)
        return upsampling_words(look) + (look.heads_contours ? "; differences without lines" : "");
    if (view.together()) return "in hues: one square per patch, without lines";
    const Shown first = shown_map(frame, view, view.chosen, view.query());
    std::string words = drawing_words(look, first.scale);
    if (hued) words += "; in hues one square per patch";
    const float cell =
        zoom * layout_for(frame, body, view).tile / static_cast<float>(first.cells.cols);
    if (look.heads_contours && !ui::has_room_for_contours(frame.ui, cell))
        words += " (on the large map only: here a patch is too small for them)";
    return words;
}

// Shown if the drawing style is not the default.
void drawing_legend(Frame& frame, ui::Layout& body, const HeadsView& view, bool hued, float zoom) {
    const Look& look = frame.state.look;
    if (!look.heads_smooth && !look.heads_contours) return;
    const ui::Rect row = body.last_row(2);
    const std::string words = first_capital(how_drawn(frame, body, view, hued, zoom));
    ui::Canvas(frame.ui).label(row, words, frame.small_dim());
    frame.ui.report("heads.drawing", words);
}

// ---- the names of rows and columns, which stay in place when the maps scroll

void name_rows(Frame& frame, const ui::Rect& strip, const GridPlaces& places,
               const HeadsView& view) {
    ui::Canvas canvas(frame.ui);
    const auto clip = canvas.clip(strip);
    const int first = view.tiles.front().place.layer;
    int named = -1;
    const auto name = [&](int row, const std::string& words, bool present) {
        const ui::Rect place = places.at(row, 0);
        canvas.label(
            {strip.x, place.center().y - frame.line() / 2, strip.w, frame.line()}, words,
            {.size = ui::Size::small, .color = present ? frame.colors().text : frame.colors().dim});
    };
    for (const HeadTile& tile : view.tiles)
        if (std::exchange(named, tile.place.layer) != tile.place.layer)
            name(tile.place.layer - first, layer_name(frame, tile.place.layer),
                 tile.place.layer == view.shown.layer);
    if (places.l.rollout_row >= 0) name(places.l.rollout_row, "rollout", false);
    if (places.l.class_row >= 0) name(places.l.class_row, "class", false);
    if (places.l.heads_row >= 0)
        name(places.l.heads_row, std::string(name_of(frame.state.look.heads_combined)), false);
}

void name_columns(Frame& frame, const ui::Rect& strip, const GridPlaces& places,
                  const HeadsView& view) {
    ui::Canvas canvas(frame.ui);
    const auto clip = canvas.clip(strip);
    const int heads = most_heads(view);
    for (int h = 0; h < places.l.across; ++h)
        canvas.label({places.at(0, h).x, strip.y, places.l.tile, strip.h},
                     h < heads ? std::to_string(h + 1)
                               : std::string(name_of(frame.state.look.heads_combined)),
                     {.size = ui::Size::small,
                      .color = h == view.shown.head ? frame.colors().text : frame.colors().dim,
                      .align = ui::Align::center});
}

// The owners of the hues. If maps have the colors of attention, those of the layer's heads combined
// at the end of its row.
void legend(Frame& frame, ui::Layout& body, const HeadsView& view, HeadsMemory& memory) {
    const Combination* first = view.combinations.empty() ? nullptr : &view.combinations.front();
    const bool in_hues = first != nullptr && first->in_hues();
    drawing_legend(frame, body, view, in_hues, memory.viewport.zoom);
    if (!view.together() && !in_hues) return;
    const ui::Layout row = body.last_row(4);
    const ui::ColorScale scale = view.together() ? hued_map(frame, view, memory, view.chosen).scale
                                                 : hued_map(frame, view, memory, *first).scale;
    draw_legend(frame, row, legend_of(frame, view, view.together() ? nullptr : first), scale);
}

void key_line(Frame& frame, ui::Layout& body, const HeadsView& view, HeadsMemory& memory) {
    const std::string words = key_words(frame, view);
    frame.ui.report("heads.key", words);
    if (words.empty() && memory.viewport.zoom == 1) return;
    ui::Layout row = body.last_row(4);
    if (memory.viewport.zoom != 1) {
        const std::string label = fmt::format("×{:.1f}: show all", memory.viewport.zoom);
        if (row.button_right(
                "heads.zoom.all", label, 0, ui::ButtonLook::plain,
                "Zooms out to show all maps. Ctrl and the wheel, or + and −, zoom   Esc"))
            memory.viewport.show_all = true;
    }
    const ui::TextStyle dim = frame.small_dim();
    ui::Canvas canvas(frame.ui);
    label_that_fits(canvas, row, {words, key_words(frame, view, true)}, dim);
}

// Scrolls to the selected head when it changes.
void bring_into_sight(const HeadsView& view, HeadsMemory& memory, const GridLayout& l,
                      const ui::Rect& body) {
    if (memory.viewport.in_sight == view.chosen) return;
    const bool first = !memory.viewport.in_sight;
    memory.viewport.in_sight = view.chosen;
    if (first || memory.viewport.pressed) return;
    const std::vector<const HeadTile*> tiles = placed_tiles(view);
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        if (!(tiles[i]->place == view.chosen)) continue;
        const ui::Rect place = GridPlaces{l, {0, 0}}.of(view, *tiles[i], i);
        const auto into = [&](float& pan, float from, float size, float seen) {
            pan = std::min(std::max(pan, from + size + l.gap - seen), from - l.gap);
        };
        into(memory.viewport.pan.x, place.x, place.w + l.bar, body.w);
        into(memory.viewport.pan.y, place.y, place.h, body.h);
    }
}

// The scale of all maps, if they share one.
std::optional<ui::ColorScale> shared_scale(Frame& frame, const HeadsView& view) {
    if (view.together() || frame.state.look.range != RangeMode::shared) return std::nullopt;
    if (!view.difference) return shown_map(frame, view, view.chosen, view.query()).scale;
    if (!view.pairs) return std::nullopt;
    const float reach = view.pairs->answer.reach[view.query()];
    return signed_scale(frame, -reach, reach);
}

// For export, which cannot scroll: draws all maps outside the window, with their shared color bar.
void whole_grid(Frame& frame, const GridLayout& l, const HeadsView& view, HeadsMemory& memory) {
    const float line = frame.line(), edge = frame.px(16);
    const std::optional<ui::ColorScale> scale = shared_scale(frame, view);
    const float beside = ImGui::GetIO().DisplaySize.x + frame.px(64),
                wide = l.names + l.width() + edge * 2,
                said = baseline_line_height(frame, view, wide - edge * 2),
                below = line * 3 + (scale ? ui::color_bar_height(frame.ui) + frame.px(8) : 0);
    ui::Layout all(frame.ui, {beside, 0, wide, said + l.heads + l.height() + below + edge * 2});
    frame.ui.name("heads.grid.whole", {all, {}});
    ImGui::PushClipRect(all.min(), all.max(), false);
    all = all.inset(edge);
    baseline_line(frame, all, view);
    if (scale) {
        const ui::Rect place = all.bottom(ui::color_bar_height(frame.ui));
        ui::color_bar(frame.ui, {place.x, place.y, std::min(place.w, frame.px(360)), place.h},
                      *scale, "");
    }
    legend(frame, all, view, memory);
    ui::Canvas(frame.ui).label(all.bottom(line), key_words(frame, view), frame.small_dim());
    ui::Layout columns = all.top(l.heads);
    const ui::Rect rows = all.left(l.names);
    columns.left(l.names);
    const GridPlaces places{l, all.min(), true};
    draw_tiles(frame, places, view, memory);
    draw_combinations(frame, places, view, memory);
    if (in_layers(view)) {
        name_rows(frame, rows, places, view);
        name_columns(frame, columns, places, view);
    }
    ImGui::PopClipRect();
}

}  // namespace

void heads_grid(Frame& frame, const ui::Rect& rect, const HeadsView& view, HeadsMemory& memory) {
    ui::Layout body(frame.ui, rect);
    legend(frame, body, view, memory);
    key_line(frame, body, view, memory);
    if (placed_tiles(view).empty() && view.combinations.empty())
        return ui::Canvas(frame.ui).label(
            body, filter_words(frame, view),
            {.color = frame.colors().dim, .align = ui::Align::center});
    const auto shown = std::ranges::find(view.tiles, view.shown, &HeadTile::place);
    frame.ui.report("heads.order.number", number_words(frame, view, *shown));
    const GridLayout all = layout_for(frame, body, view);
    const float mark = frame.px(8);  // scroll bar beside the maps
    const ui::Rect right = body.right(mark);
    const bool wide = zoomed(all, memory.viewport.zoom).width() > body.w - all.names + 1;
    ui::Layout bottom(frame.ui, wide ? body.bottom(mark) : ui::Rect{});
    ui::Layout columns = body.top(all.heads);
    const ui::Rect rows = body.left(all.names);
    columns.left(all.names);
    bring_into_sight(view, memory, zoomed(all, memory.viewport.zoom), body);
    const auto size_at = [&](float zoom) {
        const GridLayout l = zoomed(all, zoom);
        return ImVec2{l.width(), l.height()};
    };
    move_grid(frame, body, memory.viewport, size_at);
    const GridLayout l = zoomed(all, memory.viewport.zoom);
    ui::begin_child("heads.grid", body,
                    ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav |
                        ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoScrollbar);
    const GridPlaces places{l, {body.x - memory.viewport.pan.x, body.y - memory.viewport.pan.y}};
    take_grid_mouse(frame, body, memory.viewport, size_at(memory.viewport.zoom));
    draw_tiles(frame, places, view, memory);
    draw_combinations(frame, places, view, memory);
    ImGui::EndChild();
    bottom.left(all.names);
    scroll_mark(frame, "heads.scroll.y", right, body.h, l.height(), memory.viewport.pan.y);
    if (wide)
        scroll_mark(frame, "heads.scroll.x", bottom, body.w, l.width(), memory.viewport.pan.x);
    if (frame.memory.own<Export>().wanted == "heads.grid") whole_grid(frame, all, view, memory);
    if (!in_layers(view)) return;
    name_rows(frame, rows, places, view);
    name_columns(frame, columns, places, view);
}

}  // namespace headlight::screens
