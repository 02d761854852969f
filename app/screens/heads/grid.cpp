#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "frame/head_switch.h"
#include "heads/hues.h"

// A map for every head, layers from the top to the bottom and their heads side by side, or in the
// order of a number.
namespace headlight::screens {

namespace {

constexpr float kGap = 8, kLeastTile = 44;

struct Layout {
    int across = 1, down = 1;
    float tile = 0, tall = 0;  // of a picture
    float bar = 0, gap = 0;
    float names = 0, heads = 0;  // beside the rows, above the columns; 0 in another order

    [[nodiscard]] float step_x() const { return tile + bar + gap; }
    [[nodiscard]] float step_y() const { return tall + gap; }
};

bool in_layers(const Frame& frame) { return frame.state.look.heads_order == HeadOrder::layer; }

Layout layout_for(Frame& frame, const ui::Rect& rect, const HeadsView& view) {
    Layout l;
    const Image& image = *frame.trace.image;
    const float aspect = static_cast<float>(image.width) / static_cast<float>(image.height);
    const auto count = static_cast<int>(view.tiles.size());
    l.gap = frame.px(kGap);
    l.bar = frame.px(7);
    if (in_layers(frame)) {
        ui::Canvas canvas(frame.ui);
        for (const HeadTile& tile : view.tiles)
            l.names = std::max(
                l.names,
                canvas.measure(
                    frame.trace.model->layers[static_cast<std::size_t>(tile.place.layer)].name,
                    {.size = ui::Size::small}));
        l.names += frame.px(12);
        l.heads = frame.line();
    }
    const float width = rect.w - l.names - frame.px(12), height = rect.h - l.heads;
    const auto fitted = [&](int across) {
        const int down = (count + across - 1) / across;
        const float wide = width / static_cast<float>(across) - l.bar - l.gap,
                    tall = height / static_cast<float>(down) - l.gap;
        return std::min(wide, tall * aspect);
    };
    const int combined = view.combinations.empty() ? 0 : 1;  // a column, and
    const int rows =  // one of a head in all layers, where there is such a map
        combined == 1 && view.combinations.back().layer == std::nullopt ? 1 : 0;
    l.across = most_heads(view) + combined;
    if (!in_layers(frame))
        for (int across = 1; across <= count; ++across)
            if (fitted(across) > fitted(l.across)) l.across = across;
    l.down = (count + l.across - 1) / l.across;
    if (in_layers(frame)) {
        const int first = view.tiles.front().place.layer;
        l.down = view.tiles.back().place.layer - first + 1 + rows;
    }
    const float wide = width / static_cast<float>(l.across) - l.bar - l.gap;
    const float tall = height / static_cast<float>(l.down) - l.gap;
    // Where they would be too small to be read they scroll instead.
    l.tile = std::floor(std::min(wide, std::max(tall * aspect, frame.px(kLeastTile))));
    l.tall = l.tile / aspect;
    return l;
}

// The largest number of all, which fills a bar.
double most_of(const HeadsView& view) {
    double most = 0;
    for (const HeadTile& tile : view.tiles)
        if (tile.number && std::isfinite(*tile.number))
            most = std::max(most, std::abs(*tile.number));
    return most;
}

void draw_bar(Frame& frame, const ui::Rect& rect, const HeadTile& tile, double most) {
    ui::Canvas canvas(frame.ui);
    if (tile.group >= 0) return canvas.fill(rect, frame.colors().head(tile.group), frame.px(1));
    canvas.fill(rect, frame.colors().border, frame.px(1));
    if (!tile.number || !std::isfinite(*tile.number) || most <= 0) return;
    // What speaks against the answer is as long, and red.
    const bool against =
        frame.state.look.heads_order == HeadOrder::contribution && *tile.number < 0;
    const double size = against ? -*tile.number : *tile.number;
    const auto part = static_cast<float>(std::clamp(size / most, 0.0, 1.0));
    canvas.fill({rect.x, rect.y + rect.h * (1 - part), rect.w, rect.h * part},
                against ? frame.colors().error : frame.colors().accent, frame.px(1));
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

void take_mouse(Frame& frame, const ui::Rect& place, const HeadTile& tile, const HeadsView& view,
                HeadsMemory& memory) {
    const std::string name =
        fmt::format("heads.map.{}.{}", tile.place.layer + 1, tile.place.head + 1);
    const auto mouse = ui::interact(frame.ui, name, place);
    if (mouse.hovered) {
        memory.next_hovered = tile.place;
        memory.next_pointed = patch_at(frame, place, ImGui::GetIO().MousePos);
        const std::string words = number_words(frame, view, tile);
        std::string tip = name_of_head(frame, tile.place) + (words.empty() ? "" : "\n" + words);
        if (view.together() && memory.next_pointed)
            tip += "\n" + patch_words(frame, view, tile.place, *memory.next_pointed);
        frame.ui.tooltip(tip);
    }
    if (mouse.clicked && ImGui::GetIO().KeyShift) return ask_for_pointed(frame, memory);
    if (mouse.clicked && ImGui::GetIO().KeyCtrl) return switch_head(frame, tile.place);
    if (!mouse.clicked && !mouse.double_clicked) return;
    if (tile.place.layer != frame.trace.layer)
        frame.say("layer", std::to_string(tile.place.layer + 1));
    frame.say("head", std::to_string(tile.place.head + 1));
    if (mouse.double_clicked) frame.set("screen", "walk");
}

// In another order than the model's no row or column says whose map it is.
void corner_name(Frame& frame, const ui::Rect& place, const HeadTile& tile) {
    ui::Canvas canvas(frame.ui);
    const std::string& layer =
        frame.trace.model->layers[static_cast<std::size_t>(tile.place.layer)].name;
    const std::string name =
        layer.substr(layer.find_last_of(' ') + 1) + "·" + std::to_string(tile.place.head + 1);
    const ui::TextStyle style{
        .face = ui::Face::mono, .size = ui::Size::small, .color = IM_COL32_WHITE};
    const float width = canvas.measure(name, style) + frame.px(6);
    if (width > place.w || frame.line() > place.h / 2) return;
    canvas.fill({place.x, place.y, width, frame.line()}, IM_COL32(0, 0, 0, 170));
    canvas.text({place.x + frame.px(3), place.y}, name, style);
}

void draw_tile(Frame& frame, const ui::Rect& place, const HeadTile& tile, const HeadsView& view,
               HeadsMemory& memory, const Layout& l, double most) {
    PictureSpec spec{.name = fmt::format("heads.tile.{}.{}", tile.place.layer, tile.place.head),
                     .opacity = 0.65F,
                     .interactive = false};
    draw_map(frame, place, view, memory, tile.place, std::move(spec));
    draw_bar(frame, {place.x + place.w + frame.px(3), place.y, l.bar - frame.px(3), place.h}, tile,
             most);
    if (is_off(frame, tile.place)) cross_out(frame, place);
    if (l.names == 0) corner_name(frame, place, tile);
    const bool chosen = tile.place == view.chosen;
    if (chosen || tile.place == view.shown)
        ui::Canvas(frame.ui).outline(place.inset(-frame.px(2)),
                                     chosen ? frame.colors().accent : frame.colors().text,
                                     frame.px(2), frame.px(2));
}

void row_name(Frame& frame, const ui::Rect& row, const std::string& name, bool present) {
    ui::Canvas(frame.ui).label(
        row, name,
        {.size = ui::Size::small, .color = present ? frame.colors().text : frame.colors().dim});
}

void head_numbers_above(Frame& frame, const ui::Rect& rect, const Layout& l,
                        const HeadsView& view) {
    const int heads = most_heads(view);
    for (int h = 0; h < l.across; ++h)
        ui::Canvas(frame.ui).label(
            {rect.x + l.names + static_cast<float>(h) * l.step_x(), rect.y, l.tile, l.heads},
            h < heads ? std::to_string(h + 1)
                      : std::string(name_of(frame.state.look.heads_combined)),
            {.size = ui::Size::small,
             .color = h == view.shown.head ? frame.colors().text : frame.colors().dim,
             .align = ui::Align::center});
}

}  // namespace

namespace {

std::string group_words(const HeadsView& view, int group) {
    const auto heads = std::ranges::count(view.tiles, group, &HeadTile::group);
    return fmt::format("group {} of {}: {} head{}", group + 1, view.groups->answer.groups, heads,
                       heads == 1 ? "" : "s");
}

}  // namespace

std::string number_words(const Frame& frame, const HeadsView& view, const HeadTile& tile) {
    if (frame.state.look.heads_order == HeadOrder::groups)
        return tile.group < 0 ? "" : group_words(view, tile.group);
    if (!tile.number) return "";
    const std::string n = ui::number(*tile.number, 3);
    switch (frame.state.look.heads_order) {
        case HeadOrder::layer:
        case HeadOrder::groups:
        case HeadOrder::entropy:
            return "entropy " + n + " bit";
        case HeadOrder::distance:
            return "distance " + n + " pixels";
        case HeadOrder::class_token:
            return n + " on the class token";
        case HeadOrder::itself:
            return n + " on itself";
        case HeadOrder::alike:
            return "correlation with the chosen map " + n;
        case HeadOrder::importance:
            return fmt::format("switched off, the answer's probability changes by {:.2f} %",
                               *tile.number * 100);
        case HeadOrder::patching:
            return fmt::format(
                "with its output from before, the answer's probability changes by {:.2f} %",
                *tile.number * 100);
        case HeadOrder::contribution:
            return fmt::format("adds {:+.3f} to the answer's logit", *tile.number);
    }
    return "";
}

float heads_grid_width(Frame& frame, const ui::Rect& rect, const HeadsView& view) {
    const Layout l = layout_for(frame, rect, view);
    return l.names + static_cast<float>(l.across) * l.step_x() + frame.px(12);
}

namespace {

// Where the picture in that row and column stands.
struct Places {
    const Layout& l;
    ImVec2 origin;

    [[nodiscard]] ui::Rect at(int row, int col) const {
        return {std::round(origin.x + l.names + static_cast<float>(col) * l.step_x()),
                std::round(origin.y + static_cast<float>(row) * l.step_y() + l.gap / 2), l.tile,
                l.tall};
    }
    [[nodiscard]] ui::Rect name(const ui::Rect& place, float line) const {
        return {origin.x, place.center().y - line / 2, l.names, line};
    }
};

bool is_seen(const ui::Rect& place) { return ImGui::IsRectVisible(place.min(), place.max()); }

void draw_tiles(Frame& frame, const Places& places, const HeadsView& view, HeadsMemory& memory) {
    const double most = most_of(view);
    const int first_layer = view.tiles.front().place.layer;
    for (std::size_t i = 0; i < view.tiles.size(); ++i) {
        const HeadTile& tile = view.tiles[i];
        const auto at = static_cast<int>(i);
        const int row = in_layers(frame) ? tile.place.layer - first_layer : at / places.l.across,
                  col = in_layers(frame) ? tile.place.head : at % places.l.across;
        const ui::Rect place = places.at(row, col);
        if (!is_seen(place)) continue;
        if (places.l.names > 0 && col == 0)
            row_name(frame, places.name(place, frame.line()),
                     frame.trace.model->layers[static_cast<std::size_t>(tile.place.layer)].name,
                     tile.place.layer == view.shown.layer);
        draw_tile(frame, place, tile, view, memory, places.l, most);
        take_mouse(frame, place, tile, view, memory);
    }
}

// At the ends of the rows and of the columns.
void draw_combinations(Frame& frame, const Places& places, const HeadsView& view,
                       HeadsMemory& memory) {
    const int first_layer = view.tiles.front().place.layer;
    for (std::size_t i = 0; i < view.combinations.size(); ++i) {
        const Combination& of = view.combinations[i];
        const ui::Rect place = places.at(of.layer ? *of.layer - first_layer : places.l.down - 1,
                                         of.head ? *of.head : places.l.across - 1);
        if (!is_seen(place)) continue;
        PictureSpec spec{.name = fmt::format("heads.combined.{}.tile", i),
                         .opacity = 0.65F,
                         .interactive = false};
        draw_map(frame, place, view, memory, of, std::move(spec));
        if (of.head == 0)
            row_name(frame, places.name(place, frame.line()),
                     std::string(name_of(frame.state.look.heads_combined)), false);
        const bool lit = &of == view.hovered_combination;
        if (lit)
            ui::Canvas(frame.ui).outline(place.inset(-frame.px(2)), frame.colors().text,
                                         frame.px(2), frame.px(2));
        if (!ui::interact(frame.ui, fmt::format("heads.combined.{}", i + 1), place).hovered)
            continue;
        memory.next_hovered_combination = i;
        memory.next_pointed = patch_at(frame, place, ImGui::GetIO().MousePos);
        std::string tip = name_of_combination(frame, view, of) + ", patch by patch";
        if (is_hued(view, of) && memory.next_pointed)
            tip += "\n" + patch_words(frame, view, of, *memory.next_pointed);
        frame.ui.tooltip(tip);
    }
}

// Whose hues the maps have; or, where each is in the colours of attention, those of a layer's heads
// at the end of its row.
void legend(Frame& frame, ui::Rect& body, const HeadsView& view, HeadsMemory& memory) {
    const Combination* first = view.combinations.empty() ? nullptr : &view.combinations.front();
    const bool in_hues = first != nullptr && first->in_hues();
    if (!view.together() && !in_hues) return;
    const ui::Rect row = body.cut_bottom(frame.line() + frame.px(4));
    const ui::ColorScale scale = view.together() ? hued_map(frame, view, memory, view.chosen).scale
                                                 : hued_map(frame, view, memory, *first).scale;
    draw_legend(frame, row, legend_of(frame, view, view.together() ? nullptr : first), scale);
}

}  // namespace

void heads_grid(Frame& frame, const ui::Rect& rect, const HeadsView& view, HeadsMemory& memory) {
    ui::Rect body = rect;
    legend(frame, body, view, memory);
    const Layout l = layout_for(frame, body, view);
    if (l.heads > 0) head_numbers_above(frame, body.cut_top(l.heads), l, view);
    ui::begin_child("heads.grid", body, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav);
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    draw_tiles(frame, {l, origin}, view, memory);
    draw_combinations(frame, {l, origin}, view, memory);
    const float bottom = static_cast<float>(l.down) * l.step_y() - 1;
    ImGui::SetCursorScreenPos({origin.x, origin.y + bottom - 1});
    if (bottom > body.h) ImGui::Dummy({1, 1});
    ImGui::EndChild();
}

}  // namespace headlight::screens
