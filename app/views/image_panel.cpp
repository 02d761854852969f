#include <algorithm>

#include "views/panels.h"
#include "views/picture.h"

namespace headlight::views {

namespace {

std::string caption(const Scene& scene, int map_head) {
    if (!scene.focus.token) return "IMAGE";
    const std::string patch = "PATCH " + std::to_string(*scene.focus.token);
    if (scene.state.look.lecture)  // the switch below says the rest
        return patch + (map_head < 0 ? "" : " · HEAD " + std::to_string(map_head + 1));
    const std::string who =
        map_head < 0 ? " · ALL HEADS" : " · HEAD " + std::to_string(map_head + 1);
    return patch + (scene.state.look.reading == Reading::from ? " READS FROM" : " IS READ BY") +
           who;
}

}  // namespace

void image_panel(Scene& scene, ui::Rect& rect) {
    ui::Canvas canvas(scene.ui);
    const Image& image = *scene.trace.image;
    // A hovered head is previewed; else the pinned one; else the mean of all.
    const int map_head = scene.memory.hovered_head           ? scene.head
                         : scene.state.selection.head_pinned ? scene.head
                                                             : -1;
    canvas.caption(rect.cut_top(scene.line()), caption(scene, map_head));
    rect.cut_top(scene.px(6));

    // Never so tall that no head would be left in sight.
    const bool low = rect.h < scene.px(640) * scene.ui.text_scale();
    const bool lecture = scene.state.look.lecture;
    const float most = rect.h * (lecture ? (low ? 0.4F : 0.62F) : (low ? 0.45F : 0.5F));
    const float aspect = static_cast<float>(image.width) / static_cast<float>(image.height);
    const float height = std::min(rect.w / aspect, most);
    const ui::Rect place = rect.cut_top(height).fit(aspect);
    PictureSpec picture{
        .name = "image.patches", .token = scene.focus.token, .key_token = scene.focus.key_token};
    picture.grid = scene.state.look.grid;
    Shown map;
    if (scene.focus.token && scene.state.look.overlay)
        map = shown_attention_map(scene, map_head, *scene.focus.token);
    if (!map.cells.empty()) picture.overlay = &map;
    draw_picture(scene, place, picture);
    rect.cut_top(scene.px(8));
    if (!map.cells.empty()) {
        const std::string label =
            map_head < 0 ? "attention, mean" : "attention, head " + std::to_string(map_head + 1);
        ui::color_bar(scene.ui, rect.cut_top(scene.px(10) + scene.line()), map.scale, label);
        rect.cut_top(scene.px(6));
    }
    ui::Rect row = rect.cut_top(scene.line() + scene.px(6));
    const ui::Rect eye = row.cut_right(scene.px(44));
    row.cut_right(scene.px(8));
    const int reading = ui::segmented(scene.ui, "image.reading", row, {"reads from", "read by"},
                                      scene.state.look.reading == Reading::from ? 0 : 1);
    if (reading >= 0) scene.set("reading", reading == 0 ? "from" : "by");
    if (ui::toggle(scene.ui, "image.overlay", eye, scene.state.look.overlay))
        scene.set("overlay", scene.state.look.overlay ? "off" : "on");
    if (eye.contains(ImGui::GetIO().MousePos)) scene.ui.tooltip("Lay the attention over the image");
    rect.cut_top(scene.px(12));
}

}  // namespace headlight::views
