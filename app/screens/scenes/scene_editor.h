#pragma once

#include "frame/frame.h"
#include "scenes/shapes.h"
#include "ui/controls.h"

// Editing a scene of shapes with the mouse, on its picture.
namespace headlight::screens {

// A shape that is being dragged.
struct ShapeGrip {
    int shape = -1;                       // -1: none
    std::string picture;                  // on which picture of the scene
    bool turning = false, moved = false;  // not moved: it may still become a click
    float dx = 0, dy = 0;                 // from the pointer to the center, in units of the scene
    float angle = 0;                      // from the pointer's direction to the rotation, degrees
};

// State kept between frames.
struct SceneEditing {
    ShapeGrip grip;
    bool is_known = false;  // the user has moved a shape before
    std::string card_of;    // the picture on which the card was opened
};

// The scene if it can be edited; not while the baseline is shown. Null if there is none.
const ShapeScene* scene_in_hand(const Frame& frame);

// Where the scene's frame is on the screen; it may extend beyond a picture that is not square.
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

// Handles the mouse on the shapes, and draws their outlines. True if a click ended a drag and must
// be ignored.
bool edit_shapes(Frame& frame, const std::string& name, const ui::Rect& picture,
                 const ui::Interaction& mouse);

// "Drag the cross and watch what the model answers", until a shape has been dragged; then other
// possible actions.
std::string invitation(const Frame& frame);

// What can be done with the shape under the pointer; shown until a shape has been moved.
std::string shape_hint(const Frame& frame, const ui::Rect& picture, ImVec2 pointer);

// The outline of a shape.
void draw_contours(ui::Canvas& canvas, const Shape& shape, const ScenePlace& place, ImU32 color,
                   float thickness);

// The settings of the selected shape; opened by a double click on it.
void open_shape_card();
void shape_card(Frame& frame, const ScenePlace& place);

// Makes a twin of the shape, or breaks up the pair.
struct TwinChoice {
    int shape = 0;
    bool has_twin = false;

    [[nodiscard]] const char* label() const { return has_twin ? "Break twin" : "Make twin"; }
    [[nodiscard]] const char* tip() const;
    void say(Frame& frame) const;
};
TwinChoice twin_choice(const ShapeScene& shapes, int shape);

// Whether the model answers scenes, but the picture is not one.
bool is_missing_scene(const Frame& frame);

// A row of buttons: new scene, add a shape, twins, save.
void scene_tools(Frame& frame, const ui::Rect& row);

}  // namespace headlight::screens
