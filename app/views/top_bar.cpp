#include <filesystem>

#include "views/model_text.h"
#include "views/panels.h"

namespace headlight::views {

namespace {

bool chip(Scene& scene, ui::Rect& rest, const std::string& name, const std::string& label,
          const std::string& tip, ui::Icon icon = ui::Icon::none) {
    const float width = std::min(ui::button_width(scene.ui, label, icon),
                                 std::max(0.0F, rest.w - scene.px(150) * scene.ui.text_scale()));
    if (width < scene.px(40)) return false;  // no room left for it in this window
    const ui::Rect place = rest.cut_right(width);
    rest.cut_right(scene.px(8));
    return ui::button(scene.ui, name, place, label, ui::ButtonLook::outlined, tip, icon);
}

// The model in view; while another one takes its time, that one.
std::string model_text(const Scene& scene) {
    const std::string& wanted = scene.state.recipe.weights;
    if (scene.work.show_progress() && wanted != scene.work.trace_recipe().weights)
        return wanted.empty() ? "Closing the model…"
                              : "Opening " + model_name_of(scene.state.recipe) + "…";
    return model_name_of(scene.recipe) + " · " + model_kind(scene.trace, scene.recipe);
}

std::string image_text(const Scene& scene) {
    const std::string file = scene.recipe.scene
                                 ? "Scene"
                                 : std::filesystem::path(scene.recipe.image).filename().string();
    return file + " · " + std::to_string(scene.trace.source->width) + "×" +
           std::to_string(scene.trace.source->height);
}

}  // namespace

void top_bar(Scene& scene, const ui::Rect& rect) {
    ui::Canvas canvas(scene.ui);
    canvas.fill(rect, scene.colors().bar);
    canvas.line({rect.x, rect.y + rect.h - 1}, {rect.x + rect.w, rect.y + rect.h - 1},
                scene.colors().border);
    ui::Rect rest = rect.inset(scene.px(16), scene.px(7));
    // From the right, the most needed first: what has no room is still in the keys and the help.
    if (chip(scene, rest, "top.help", "Help  ?", "All keys, and what can be done with the mouse"))
        scene.say("show", "help");
    if (chip(scene, rest, "top.lecture", "Lecture view  F11",
             "Text twice as large, and only what a lecture needs"))
        scene.set("lecture", "on");
    const bool dark = scene.state.look.theme == Theme::dark;
    if (chip(scene, rest, "top.theme", dark ? "Light" : "Dark", "Change the theme   T"))
        scene.set("theme", dark ? "light" : "dark");
    if (scene.trace.source && chip(scene, rest, "top.open", image_text(scene),
                                   "Open an image, a scene or a model   Ctrl+O", ui::Icon::folder))
        scene.say("show", "files");
    if (chip(scene, rest, "top.model", model_text(scene), "What is known about the model   M"))
        scene.say("show", "model");
    canvas.label(rest, "Headlight", {.face = ui::Face::bold, .size = ui::Size::body});
}

}  // namespace headlight::views
