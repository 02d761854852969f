#pragma once

#include "frame/frame.h"
#include "scenes/shapes.h"
#include "ui/controls.h"

// The scene of shapes edited by hand, on the picture that is made of it.
namespace headlight::screens {

// A shape of the scene that the mouse holds.
struct ShapeGrip {
    int shape = -1;                       // none
    std::string picture;                  // on which of the pictures of the scene
    bool turning = false, moved = false;  // not moved: it may still become a click
    float dx = 0, dy = 0;                 // from the pointer to the center, in the scene's units
    float angle = 0;                      // from the pointer's direction to the rotation, degrees
};

// What is remembered between frames.
struct SceneEditing {
    ShapeGrip grip;
    bool is_known = false;  // a shape has been moved by hand
    std::string card_of;    // the picture on which the card was opened
};

// The scene that is wanted, where it can be edited: not while A is looked at. Null: none.
const ShapeScene* scene_in_hand(const Frame& frame);

// Where the scene's frame lies on the screen; it may reach beyond a picture that is not square.
class ScenePlace {
  public:
    ScenePlace(const Trace& trace, const ui::Rect& picture);

    [[nodiscard]] ImVec2 to_screen(ScenePoint at) const {
        return {frame_.x + at.x * across(), frame_.y + at.y * down()};
    }
    [[nodiscard]] ScenePoint to_scene(ImVec2 at) const {
        return {(at.x - frame_.x) / across(), (at.y - frame_.y) / down()};
    }

  private:
    [[nodiscard]] float across() const { return frame_.w / kSceneSize; }
    [[nodiscard]] float down() const { return frame_.h / kSceneSize; }
    ui::Rect frame_;
};

// Takes the mouse on the picture for the shapes, and draws the lines around them. True where a
// click was the end of a drag, so that it means nothing else.
bool edit_shapes(Frame& frame, const std::string& name, const ui::Rect& picture,
                 const ui::Interaction& mouse);

// "Drag the cross and watch what the model answers", until one has been dragged; then what else can
// be done.
std::string invitation(const Frame& frame);

// What can be done with the shape under the pointer; said until one has been moved.
std::string shape_hint(const Frame& frame, const ui::Rect& picture, ImVec2 pointer);

// The line around a shape.
void draw_contours(ui::Canvas& canvas, const Shape& shape, const ScenePlace& place, ImU32 color,
                   float thickness);

// What can be changed about the selected shape; opened by a double click on it.
void open_shape_card();
void shape_card(Frame& frame, const ScenePlace& place);

// Makes a twin of the shape, or breaks the one that it has.
struct TwinChoice {
    int shape = 0;
    bool has_twin = false;

    [[nodiscard]] const char* label() const { return has_twin ? "Break twin" : "Make twin"; }
    [[nodiscard]] const char* tip() const;
    void say(Frame& frame) const;
};
TwinChoice twin_choice(const ShapeScene& shapes, int shape);

// The model answers scenes, and the picture is none.
bool is_missing_scene(const Frame& frame);

// Buttons in a row: a new scene, a shape more, twins, saving.
void scene_tools(Frame& frame, const ui::Rect& row);

}  // namespace headlight::screens
