#include <algorithm>
#include <cmath>

#include "views/head_switch.h"
#include "views/panels.h"
#include "views/picture.h"

namespace headlight::views {

namespace {

// The hover, the clicks and the frame that shows which head is chosen. True where it is hovered.
bool choose_head(Scene& scene, const ui::Rect& tile, const ui::Rect& place, int head,
                 bool on_switch) {
    const auto state = ui::interact(scene.ui, "heads." + std::to_string(head + 1), tile);
    const bool hovered = state.hovered || on_switch;
    if (hovered) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        scene.memory.next_hovered_head = head;
    }
    // Solo comes with the second press of a double click and pins the head again that the first one
    // may have let go; the release after it is no click any more.
    if (state.double_clicked)
        scene.say("solo", std::to_string(head + 1));
    else if (state.clicked && ImGui::GetIO().MouseClickedLastCount[0] != 2)
        scene.say("head-click", std::to_string(head + 1));
    const bool chosen = head == scene.state.selection.head;
    const bool pinned = chosen && scene.state.selection.head_pinned;
    if (chosen || hovered)
        ui::Canvas(scene.ui).outline(place.inset(-scene.px(1)),
                                     pinned ? scene.colors().accent : scene.colors().dim,
                                     scene.px(pinned ? 2.0F : 1.0F), scene.px(2));
    return hovered;
}

// What stands under its picture; its name and its entropy.
struct HeadWords {
    std::string title, number, bits;
};
HeadWords words_of(const Scene& scene, int head) {
    const MatrixSummary* summary = scene.summary.find(Tensor::attention, head);
    const std::string number = std::to_string(head + 1);
    return {"Head " + number, number,
            summary != nullptr ? scene.of_now(ui::number(summary->entropy, 1) + " bit") : ""};
}

void head_label(Scene& scene, ui::Rect words, int head) {
    ui::Canvas canvas(scene.ui);
    const auto [title, number, entropy] = words_of(scene, head);
    const bool off = is_switched_off(scene.trace, head);
    const std::string bits = off ? "off" : entropy;
    const ui::Rect dot = words.cut_left(scene.px(12));
    canvas.list()->AddCircleFilled(dot.center(), scene.px(3.5F), scene.colors().head(head));
    const ui::TextStyle mono{.face = ui::Face::mono,
                             .size = ui::Size::small,
                             .color = off ? scene.colors().error : scene.colors().dim,
                             .align = ui::Align::right};
    const bool chosen = head == scene.state.selection.head;
    const ui::TextStyle style{.size = ui::Size::small,
                              .color = chosen ? scene.colors().text : scene.colors().dim};
    const float room = words.w - canvas.measure(bits, mono) - scene.px(6);
    canvas.label(words, canvas.measure(title, style) < room ? title : number, style);
    if (canvas.measure(number, style) < room) canvas.label(words, bits, mono);
}

void head_tile(Scene& scene, const ui::Rect& tile, int head, const Shown* map) {
    const std::string name = "heads." + std::to_string(head + 1);
    ui::Rect rest = tile;
    const ui::Rect label = rest.cut_bottom(scene.line());
    const Image& image = *scene.trace.image;
    const ui::Rect place =
        rest.fit(static_cast<float>(image.width) / static_cast<float>(image.height));
    PictureSpec picture{
        .name = name + ".map", .token = scene.focus.token, .overlay = map, .interactive = false};
    draw_picture(scene, place, picture);
    const bool off = is_switched_off(scene.trace, head);
    if (off) ui::Canvas(scene.ui).fill(place, ui::with_alpha(scene.colors().background, 0.72F));

    const float side = std::min(scene.px(22) * scene.ui.text_scale(), place.w / 3);
    const HeadSwitch power{
        name + ".power",
        {place.x + place.w - side - scene.px(3), place.y + scene.px(3), side, side},
        head};
    const bool on_switch = take_head_switch(scene, power);
    const bool hovered = choose_head(scene, tile, place, head, on_switch);
    if (hovered || off || scene.state.selection.solo) draw_head_switch(scene, power, on_switch);
    head_label(scene, label, head);
    if (!hovered || on_switch) return;
    const HeadWords words = words_of(scene, head);
    scene.ui.tooltip(words.title + (off ? ", switched off" : "") + ": mean entropy " + words.bits +
                     " of at most " +
                     ui::number(std::log2(static_cast<double>(scene.trace.shape.keys)), 1) +
                     " bit.\nClick pins it, once more lets go (then the image shows the mean "
                     "of all heads); double click shows it alone.");
}

constexpr float kGap = 10;

struct Tiling {
    int across = 1;
    float width = 0, tall = 0;  // of a tile, without its line of words
};

// The largest tiles that all fit; where they would be too small to be read, they scroll instead.
Tiling tiling(const Scene& scene, const ui::Rect& rect, int count, float aspect) {
    const float gap = scene.px(kGap);
    const auto columns = [&](int across, float room) {
        return (room - gap * static_cast<float>(across - 1)) / static_cast<float>(across);
    };
    Tiling best;
    for (int across = 1; across <= std::min(count, 6); ++across) {
        const int rows = (count + across - 1) / across;
        const auto down = static_cast<float>(rows);
        const float width = columns(across, rect.w);
        const float room = (rect.h - gap * (down - 1)) / down - scene.line();
        const float tall = std::min(width / aspect, room);
        if (tall > best.tall) best = {across, width, tall};
    }
    if (best.tall >= scene.px(48)) return best;
    const float width = std::max(1.0F, columns(3, rect.w - scene.px(12)));  // beside the scroll bar
    return {3, width, width / aspect};
}

void range_switch(Scene& scene, const ui::Rect& rect) {
    const bool shared = scene.state.look.range == RangeMode::shared;
    const int chosen =
        ui::segmented(scene.ui, "heads.range", rect, {"shared", "own"}, shared ? 0 : 1);
    if (chosen >= 0) scene.set("range", chosen == 0 ? "shared" : "own");
    if (rect.contains(ImGui::GetIO().MousePos))
        scene.ui.tooltip("Colour range: one for all heads, or each head's own");
}

float labels_width(Scene& scene, const std::vector<std::string_view>& labels) {
    float width = 0;
    for (const auto label : labels)
        width += ui::Canvas(scene.ui).measure(label, {.size = ui::Size::small}) + scene.px(12);
    return width;
}

std::vector<std::string_view> view_names() { return {"this layer", "all layers"}; }

float beside_views(Scene& scene) {
    return shows_layer_map(scene) ? measure_choice_width(scene)
                                  : labels_width(scene, {"shared", "own"});
}

bool on_one_line(Scene& scene, float width) {
    return labels_width(scene, view_names()) + beside_views(scene) + scene.px(8) <= width;
}

// This layer's heads or those of all layers; beside it what belongs to either. In little room they
// stand under each other.
void model_header(Scene& scene, ui::Rect& rect) {
    const bool all = shows_layer_map(scene);
    const float wanted = labels_width(scene, view_names()), other = beside_views(scene);
    ui::Rect row = rect.cut_top(scene.line());
    const bool both = on_one_line(scene, row.w);
    const int chosen = ui::segmented(scene.ui, "heads.view", row.cut_left(std::min(wanted, row.w)),
                                     view_names(), all);
    if (chosen >= 0) scene.set("all_layers", chosen == 1 ? "on" : "off");
    if (!both) {
        rect.cut_top(scene.px(4));
        row = rect.cut_top(scene.line());
    }
    const ui::Rect place = row.cut_right(std::min(other, row.w));
    all ? measure_choice(scene, place) : range_switch(scene, place);
}

void layer_header(Scene& scene, ui::Rect& rect) {
    ui::Rect title = rect.cut_top(scene.line());
    range_switch(scene,
                 title.cut_right(std::min(title.w * 0.55F, scene.px(130) * scene.ui.text_scale())));
    ui::Canvas(scene.ui).caption(title, scene.state.selection.solo ? "HEAD, ALONE" : "HEADS");
}

void head_tiles(Scene& scene, const ui::Rect& rest) {
    const int heads = static_cast<int>(scene.trace.shape.heads);
    std::vector<Shown> maps(static_cast<std::size_t>(heads));
    const bool overlay = scene.focus.token.has_value();
    for (int h = 0; overlay && h < heads; ++h) {
        auto& map = maps[static_cast<std::size_t>(h)];
        map = shown_token_map(scene, h, *scene.focus.token);
    }
    ui::begin_child("heads.scroll", rest, ImGuiWindowFlags_NoBackground);
    const bool solo = scene.state.selection.solo;
    const float aspect = static_cast<float>(scene.trace.image->width) /
                         static_cast<float>(scene.trace.image->height);
    const auto [across, width, tall] = tiling(scene, rest, solo ? 1 : heads, aspect);
    const float gap = scene.px(kGap);
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    for (int i = 0; i < (solo ? 1 : heads); ++i) {
        const int head = solo ? scene.state.selection.head : i;
        const int down = i / across, right = i % across;
        const auto row = static_cast<float>(down), col = static_cast<float>(right);
        const ui::Rect tile{origin.x + col * (width + gap),
                            origin.y + row * (tall + scene.line() + gap), width,
                            tall + scene.line()};
        ImGui::SetCursorScreenPos(tile.min());
        if (!ImGui::IsRectVisible(tile.min(), tile.max())) {
            ImGui::Dummy({tile.w, tile.h});
            continue;
        }
        Shown& map = maps[static_cast<std::size_t>(head)];
        head_tile(scene, tile, head, map.cells.empty() ? nullptr : &map);
    }
    ImGui::EndChild();
}

}  // namespace

float heads_panel_least(Scene& scene, float width) {
    const bool two = scene.summary.layers.size() > 1 && !on_one_line(scene, width);
    return scene.line() * (two ? 3 : 2) + scene.px(two ? 60 : 56) + switched_off_line_height(scene);
}

void heads_panel(Scene& scene, const ui::Rect& rect) {
    ui::Rect rest = rect;
    // That some are off changes every number; it is said even where there is no room for them.
    if (rect.h < heads_panel_least(scene, rect.w)) {
        if (rect.h >= switched_off_line_height(scene)) switched_off_line(scene, rest, "heads");
        return;
    }
    scene.summary.layers.size() > 1 ? model_header(scene, rest) : layer_header(scene, rest);
    rest.cut_top(scene.px(8));
    switched_off_line(scene, rest, "heads");
    shows_layer_map(scene) ? layer_map(scene, rest) : head_tiles(scene, rest);
}

}  // namespace headlight::views
