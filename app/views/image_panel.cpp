#include <algorithm>
#include <cctype>

#include "views/head_switch.h"
#include "views/panels.h"
#include "views/picture.h"
#include "views/pointing.h"
#include "views/scene_editor.h"

namespace headlight::views {

namespace {

bool has_rollout(const Scene& scene) {
    return scene.recipe.rollout && scene.summary.rollout &&
           scene.summary.rollout->view().rows == scene.trace.layout.count();
}

// A hovered head is previewed; else the rollout where it is chosen, the pinned head, the mean of
// all.
Reader reader_of(const Scene& scene) {
    if (scene.memory.hovered_head) return scene.head;
    if (scene.state.look.rollout_shown && has_rollout(scene)) return kRollout;
    return scene.state.selection.head_pinned ? scene.head : kAllHeads;
}

std::string upper(std::string text) {
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

// As many words as there is room for.
std::string caption(Scene& scene, Reader reader, float room) {
    if (!scene.focus.token) return "IMAGE";
    const std::string token = upper(token_name(scene.trace.layout, *scene.focus.token));
    const bool from = scene.state.look.reading == Reading::from;
    const std::string reads = token + (from ? " READS FROM" : " IS READ BY");
    const std::string who = reader == kRollout    ? " · ROLLOUT"
                            : reader == kAllHeads ? " · ALL HEADS"
                                                  : " · HEAD " + std::to_string(reader + 1);
    const ui::TextStyle style{.face = ui::Face::bold, .size = ui::Size::small};
    // The switch below the picture says who reads whom, and the colour bar which head.
    const auto fits = [&](const std::string& text) {
        return ui::Canvas(scene.ui).measure(text, style) <= room;
    };
    return fits(reads + who) ? reads + who : fits(reads) ? reads : token;
}

std::string label_of(const Scene& scene, Reader reader) {
    if (reader == kAllHeads) return "attention, mean";
    if (reader != kRollout) return "attention, head " + std::to_string(reader + 1);
    const RolloutSettings& settings = *scene.recipe.rollout;
    std::string text = "rollout, heads' ";
    text += name_of(settings.fusion);
    if (settings.discard_ratio > 0)
        text += ", " + ui::number(settings.discard_ratio * 100, 0) + " % off";
    return text;
}

void picture(Scene& scene, const ui::Rect& place, const Shown& map) {
    PictureSpec picture{
        .name = "image.patches", .token = scene.focus.token, .key_token = scene.focus.key_token};
    picture.grid = scene.state.look.grid;
    if (!map.cells.empty()) picture.overlay = &map;
    picture.editable = true;
    draw_picture(scene, place, picture);
    draw_pointing(scene, place);
}

// Whether the person reads rows or columns, and whether the picture shows it.
void reading_switch(Scene& scene, ui::Rect row) {
    const ui::Rect eye = row.cut_right(scene.px(44));
    row.cut_right(scene.px(8));
    const float wanted =
        2 * (ui::Canvas(scene.ui).measure("reads from", {.size = ui::Size::small}) + scene.px(12));
    const std::vector<std::string_view> words =
        wanted <= row.w ? std::vector<std::string_view>{"reads from", "read by"}
                        : std::vector<std::string_view>{"from", "by"};
    const int reading = ui::segmented(scene.ui, "image.reading", row, words,
                                      scene.state.look.reading == Reading::from ? 0 : 1);
    if (reading >= 0) scene.set("reading", reading == 0 ? "from" : "by");
    if (ui::toggle(scene.ui, "image.overlay", eye, scene.state.look.overlay))
        scene.set("overlay", scene.state.look.overlay ? "off" : "on");
    if (eye.contains(ImGui::GetIO().MousePos)) scene.ui.tooltip("Lay the attention over the image");
}

void rollout_switch(Scene& scene, const ui::Rect& row) {
    const int shows = ui::segmented(scene.ui, "image.shows", row, {"attention", "rollout"},
                                    scene.state.look.rollout_shown ? 1 : 0);
    if (shows >= 0) scene.set("rollout_shown", shows == 1 ? "on" : "off");
    if (row.contains(ImGui::GetIO().MousePos))
        scene.ui.tooltip(
            "Attention of this layer, or of all layers multiplied: how much each token after the "
            "last layer goes back to each token before the first");
}

// Large type has no room for it.
bool has_tools(const Scene& scene) {
    return !scene.state.look.lecture && scene_in_hand(scene) != nullptr;
}

bool is_low(const Scene& scene, const ui::Rect& panel) {
    return panel.h < scene.px(640) * scene.ui.text_scale();
}

// Never so tall that no head would be left in sight; but where there is no room for one anyway, as
// tall as it can be.
float picture_height(Scene& scene, const ui::Rect& rect, float aspect) {
    const bool low = is_low(scene, rect);
    const bool lecture = scene.state.look.lecture;
    float most = rect.h * (lecture ? (low ? 0.4F : 0.62F) : (low ? 0.45F : 0.5F));
    if (low && shows_layer_map(scene)) most *= 0.75F;
    const float controls = scene.line() + scene.px(6), bar = scene.line() + scene.px(16);
    const float below = scene.px(20) + bar + token_chips_height(scene, rect.w) + controls +
                        (has_rollout(scene) ? controls + scene.px(6) : 0) +
                        (has_tools(scene) ? controls + scene.px(8) : 0) +
                        (low ? 0 : pointing_line_height(scene));
    const float beside_heads = rect.h - below - heads_panel_least(scene, rect.w);
    most = beside_heads < rect.h * 0.3F ? rect.h - below - switched_off_line_height(scene)
                                        : std::min(most, beside_heads);
    return std::max(0.0F, std::min(rect.w / aspect, most));
}

}  // namespace

void image_panel(Scene& scene, ui::Rect& rect) {
    ui::Canvas canvas(scene.ui);
    const Image& image = *scene.trace.image;
    const Reader reader = reader_of(scene);
    const bool low = is_low(scene, rect);
    canvas.caption(rect.cut_top(scene.line()), caption(scene, reader, rect.w));
    rect.cut_top(scene.px(6));

    const float aspect = static_cast<float>(image.width) / static_cast<float>(image.height);
    const float height = picture_height(scene, rect, aspect);
    const ui::Rect place = rect.cut_top(height).fit(aspect);
    Shown map;
    if (scene.focus.token && scene.state.look.overlay)
        map = shown_token_map(scene, reader, *scene.focus.token);
    picture(scene, place, map);
    rect.cut_top(scene.px(8));
    if (has_tools(scene)) {
        scene_tools(scene, rect.cut_top(scene.line() + scene.px(6)));
        rect.cut_top(scene.px(8));
    }
    if (!low) pointing_line(scene, rect);  // else the pointer says it
    if (!map.cells.empty()) {
        ui::color_bar(scene.ui, rect.cut_top(scene.px(10) + scene.line()), map.scale,
                      label_of(scene, reader));
        rect.cut_top(scene.px(6));
    }
    token_chips(scene, rect, reader, map.cells.empty() ? nullptr : &map.scale);
    reading_switch(scene, rect.cut_top(scene.line() + scene.px(6)));
    if (has_rollout(scene)) {
        rect.cut_top(scene.px(6));
        rollout_switch(scene, rect.cut_top(scene.line() + scene.px(6)));
    }
    rect.cut_top(scene.px(12));
}

}  // namespace headlight::views
