#include "scenes/picture_tools.h"

#include "scenes/pointing.h"
#include "scenes/scene_editor.h"

namespace headlight::screens {

namespace {

bool is_moving(const Frame& frame) { return frame.memory.own<SceneEditing>().grip.moved; }

std::vector<std::string> hints(Frame& frame, const ui::Rect& picture, int patch) {
    std::vector<std::string> lines;
    const auto pointing = focused_pointing(frame);
    if (pointing && pointing->patch == patch) lines.push_back(pointing_in_words(*pointing));
    if (auto hint = shape_hint(frame, picture, ImGui::GetIO().MousePos); !hint.empty())
        lines.push_back(std::move(hint));
    return lines;
}

// A model for scenes that is shown a photograph also has one: to return to a scene.
bool has_buttons(const Frame& frame) {
    return scene_in_hand(frame) != nullptr || is_missing_scene(frame);
}

void buttons(Frame& frame, const ui::Rect& row) {
    if (!is_missing_scene(frame)) return scene_tools(frame, row);
    if (ui::button(frame.ui, "scene.new", row, "Show the model a scene   S", ui::ButtonLook::marked,
                   "Draws a random scene of movable shapes, as this model was trained on"))
        frame.say("scene", "random");
}

constexpr PictureTools kTools{.take_mouse = edit_shapes,
                              .invitation = invitation,
                              .is_moving = is_moving,
                              .shapes_of_patches = shapes_of_patches,
                              .hints = hints,
                              .has_arrow = has_arrow,
                              .draw_over = draw_pointing,
                              .has_buttons = has_buttons,
                              .buttons = buttons,
                              .line_height = pointing_line_height,
                              .line = pointing_line};

}  // namespace

const PictureTools& scene_picture_tools() { return kTools; }

}  // namespace headlight::screens
