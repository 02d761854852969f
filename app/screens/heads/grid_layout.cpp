#include "heads/grid_layout.h"

#include <algorithm>
#include <cmath>

#include "frame/picture.h"

namespace headlight::screens {

namespace {

constexpr float kGap = 8, kLeastTile = 44;

// The minimum width of tiles: that of a small square or, if tiles have names of their own, that of
// their names.
float least_width(Frame& frame, const HeadsView& view, float aspect) {
    const float least = frame.px(kLeastTile) * std::sqrt(aspect);
    if (in_layers(view)) return least;
    ui::Canvas canvas(frame.ui);
    float name = 0;
    for (const HeadTile& tile : view.tiles)
        name = std::max(name, canvas.measure(short_name(frame, tile.place), corner_style()));
    for (const Combination& of : view.combinations)
        name = std::max(name, canvas.measure(short_name(frame, of), corner_style()));
    return std::max({least, name + frame.px(7), frame.line() * 2 * aspect});
}

// The number of columns that gives the largest tiles.
int best_across(const GridLayout& l, int count, float width, float height, float aspect,
                float least) {
    const auto fitted = [&](int across) {
        const int down = std::max(1, (count + across - 1) / across);
        const float wide = width / static_cast<float>(across) - l.bar - l.gap,
                    tall = height / static_cast<float>(down) - l.gap;
        return std::min(wide, tall * aspect);
    };
    int best = 1;
    for (int across = 2; across <= count; ++across)
        if (fitted(across) > fitted(best)) best = across;
    const int most = std::max(1, static_cast<int>(width / (least + l.bar + l.gap)));
    return fitted(best) < least ? std::min(most, std::max(count, 1)) : best;
}

void count_layers(const HeadsView& view, GridLayout& l) {
    const auto has = [&](auto is) { return std::ranges::any_of(view.combinations, is); };
    l.across = most_heads(view);
    if (has([](const Combination& of) { return of.layer.has_value(); })) ++l.across;
    l.down = view.tiles.back().place.layer - view.tiles.front().place.layer + 1;
    if (has([](const Combination& of) { return of.head.has_value(); })) l.heads_row = l.down++;
    if (has([](const Combination& of) { return of.is_rollout; })) l.rollout_row = l.down++;
    if (has([](const Combination& of) { return of.class_map.has_value(); })) l.class_row = l.down++;
}

// The width of the layers' names beside their rows.
float widest_name(Frame& frame, const HeadsView& view) {
    float widest = 0;
    int measured = -1;
    for (const HeadTile& tile : view.tiles) {
        if (tile.place.layer == measured) continue;
        measured = tile.place.layer;
        widest = std::max(widest, ui::Canvas(frame.ui).measure(layer_name(frame, measured),
                                                               {.size = ui::Size::small}));
    }
    return widest;
}

}  // namespace

bool in_layers(const HeadsView& view) { return view.order == HeadOrder::layer; }

std::vector<const HeadTile*> placed_tiles(const HeadsView& view) {
    std::vector<const HeadTile*> tiles;
    for (const HeadTile& tile : view.tiles)
        if (in_layers(view) || !tile.left_out) tiles.push_back(&tile);
    return tiles;
}

GridLayout layout_for(Frame& frame, const ui::Rect& rect, const HeadsView& view) {
    GridLayout l;
    const float aspect = aspect_of(*frame.trace.image);
    l.gap = frame.px(kGap);
    l.bar = frame.px(7);
    l.edge = frame.px(3);
    if (in_layers(view)) {
        l.names = widest_name(frame, view) + frame.px(12);
        l.heads = frame.line();
        count_layers(view, l);
        if ((rect.w - l.names) / static_cast<float>(l.across) < frame.px(60)) l.gap /= 2;
    }
    const float width = rect.w - l.names - l.edge - frame.px(12), height = rect.h - l.heads;
    const float least = least_width(frame, view, aspect);
    if (!in_layers(view)) {
        l.placed = static_cast<int>(placed_tiles(view).size());
        const int count = l.placed + static_cast<int>(view.combinations.size());
        l.across = best_across(l, count, width, height, aspect, least);
        l.down = (count + l.across - 1) / l.across;
    }
    const float wide = width / static_cast<float>(l.across) - l.bar - l.gap;
    const float tall = height / static_cast<float>(std::max(l.down, 1)) - l.gap;
    l.tile = std::max(std::floor(std::min(wide, std::max(tall * aspect, least))), 1.0F);
    l.tall = l.tile / aspect;
    return l;
}

GridLayout zoomed(GridLayout layout, float zoom) {
    const float aspect = layout.tile / layout.tall;
    layout.tile = std::floor(layout.tile * zoom);
    layout.tall = layout.tile / aspect;
    return layout;
}

float heads_grid_width(Frame& frame, const ui::Rect& rect, const HeadsView& view) {
    const GridLayout l = layout_for(frame, rect, view);
    return l.names + l.width() + frame.px(12);
}

namespace {

std::string number_of_layer(const Frame& frame, int layer) {
    const std::string& name = layer_name(frame, layer);
    return name.substr(name.find_last_of(' ') + 1);
}

}  // namespace

std::string short_name(const Frame& frame, const HeadPlace& place) {
    return number_of_layer(frame, place.layer) + "·" + std::to_string(place.head + 1);
}

std::string short_name(const Frame& frame, const Combination& of) {
    if (of.is_rollout) return "rollout";
    if (of.class_map) return std::string(info(*of.class_map).title);
    std::string how(name_of(frame.state.look.heads_combined));
    if (of.layer) how = number_of_layer(frame, *of.layer) + "·" + how;
    return of.head ? how + "·" + std::to_string(*of.head + 1) : how;
}

ui::TextStyle corner_style() {
    return {.face = ui::Face::mono, .size = ui::Size::small, .color = IM_COL32_WHITE};
}

ui::Rect GridPlaces::at(int row, int col) const {
    return {std::round(origin.x + l.edge + static_cast<float>(col) * l.step_x()),
            std::round(origin.y + static_cast<float>(row) * l.step_y() + l.gap / 2), l.tile,
            l.tall};
}

ui::Rect GridPlaces::of(const HeadsView& view, const HeadTile& tile, std::size_t i) const {
    if (in_layers(view))
        return at(tile.place.layer - view.tiles.front().place.layer, tile.place.head);
    const auto number = static_cast<int>(i);
    return at(number / l.across, number % l.across);
}

ui::Rect GridPlaces::of_combined(const HeadsView& view, std::size_t i) const {
    const Combination& combined = view.combinations[i];
    if (!in_layers(view)) {
        const int number = l.placed + static_cast<int>(i);
        return at(number / l.across, number % l.across);
    }
    if (combined.is_rollout) return at(l.rollout_row, 0);
    if (combined.class_map) return at(l.class_row, 0);
    const int row = combined.layer ? *combined.layer - view.tiles.front().place.layer : l.heads_row;
    return at(row, combined.head ? *combined.head : l.across - 1);
}

}  // namespace headlight::screens
