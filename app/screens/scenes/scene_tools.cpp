#include <fmt/format.h>

#include <array>

#include "encoder/run_scene.h"
#include "scenes/scene_editor.h"

namespace headlight::screens {

namespace {

void add_shape(Frame& frame, const ShapeScene& shapes, const ui::Rect& place) {
    if (static_cast<int>(shapes.shapes.size()) >= kMaxShapes) {
        ui::button(frame.ui, "scene.add", place, "Add", ui::ButtonLook::disabled,
                   fmt::format("A scene has at most {} shapes", kMaxShapes));
        return;
    }
    const auto& names = names_of<ShapeKind>();
    const std::vector<std::string_view> kinds(names.begin(), names.end());
    const int chosen = ui::menu_button(frame.ui, "scene.add", place, "Add", kinds,
                                       "Adds a shape where there is the most room");
    if (chosen < 0) return;
    const ScenePoint at = roomiest_place(shapes);
    frame.say("shape-add", std::string(kinds[static_cast<std::size_t>(chosen)]),
              fmt::format("{:.0f}", at.x), fmt::format("{:.0f}", at.y));
}

}  // namespace

bool is_missing_scene(const Frame& frame) {
    return !frame.before() && !frame.recipe.scene && answers_scenes(*frame.trace.model);
}

void scene_tools(Frame& frame, const ui::Rect& row) {
    const ShapeScene* shapes = scene_in_hand(frame);
    if (shapes == nullptr) return;
    const TwinChoice twin = twin_choice(*shapes, frame.state.selection.shape.value_or(-1));
    const float gap = frame.px(6);
    // The width left by the labels is distributed.
    const std::array labels{"New", "Add", twin.label(), "Save"};
    float wanted = gap * 3;
    for (const char* label : labels) wanted += ui::Canvas(frame.ui).measure(label, {});
    const float spare = (row.w - wanted) / static_cast<float>(labels.size());
    ui::Layout rest(frame.ui, row);
    const auto next = [&](const char* label) {
        const ui::Rect place = rest.left(ui::Canvas(frame.ui).measure(label, {}) + spare);
        rest.left(gap);
        return place;
    };
    if (ui::button(frame.ui, "scene.new", next(labels[0]), labels[0], ui::ButtonLook::outlined,
                   "Draws a new random scene"))
        frame.say("scene", "random");
    add_shape(frame, *shapes, next(labels[1]));
    const bool empty = shapes->shapes.empty();
    if (ui::button(frame.ui, "scene.twin", next(labels[2]), labels[2],
                   empty ? ui::ButtonLook::disabled : ui::ButtonLook::outlined,
                   empty ? "There is no shape yet" : twin.tip()))
        twin.say(frame);
    const int saved = ui::menu_button(frame.ui, "scene.save", next(labels[3]), labels[3],
                                      {"json", "png"}, "Saves the scene in your pictures folder",
                                      {"shapes, to open again (JSON)", "the picture (PNG)"});
    if (saved >= 0) frame.say("save-scene", saved == 0 ? "json" : "png");
}

}  // namespace headlight::screens
