#include "scenes/scene_editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "frame/picture.h"
#include "scene/scene_file.h"
#include "state/scene_edit.h"

namespace headlight::screens {

namespace {

constexpr int kDirections = 240;       // directions of a shape's outline
constexpr double kSlack = 1;           // units beside a shape that still hit it
constexpr float kWheelFactor = 1.07F;  // factor of the radius per wheel notch
constexpr float kDragStarts = 4;       // pixels from the press: less is a click

const Shape& shape_at(const ShapeScene& shapes, int i) {
    return shapes.shapes[static_cast<std::size_t>(i)];
}

std::string text_of(float value) { return fmt::format("{:.2f}", value); }

// In degrees clockwise from "right", as in the scene.
float direction(const Shape& shape, ScenePoint at) {
    return std::atan2(at.y - shape.y, at.x - shape.x) * 57.29578F;
}

void grab(Frame& frame, const std::string& picture, const ShapeScene& shapes, int i,
          ScenePoint at) {
    const Shape& shape = shape_at(shapes, i);
    ShapeGrip& grip = frame.memory.own<SceneEditing>().grip;
    grip = {.shape = i, .picture = picture, .turning = ImGui::GetIO().KeyShift};
    grip.dx = shape.x - at.x;
    grip.dy = shape.y - at.y;
    grip.angle = shape.rotation - direction(shape, at);
    if (frame.state.selection.shape != i) frame.say("shape", std::to_string(i + 1));
}

// Moves or rotates the dragged shape to the pointer.
void pull(Frame& frame, const Shape& shape, ScenePoint at) {
    const ShapeGrip& grip = frame.memory.own<SceneEditing>().grip;
    const std::string number = std::to_string(grip.shape + 1);
    if (grip.turning) {
        const float turned = direction(shape, at) + grip.angle;
        const std::string degrees = text_of(turned - 360 * std::floor(turned / 360));
        if (degrees != text_of(shape.rotation)) frame.say("shape-turn", number, degrees);
        return;
    }
    const ScenePoint to = inside_frame(shape, {at.x + grip.dx, at.y + grip.dy});
    const std::string x = text_of(to.x), y = text_of(to.y);
    if (x != text_of(shape.x) || y != text_of(shape.y)) frame.say("shape-move", number, x, y);
}

void resize(Frame& frame, const ShapeScene& shapes, int i) {
    const float wheel = ImGui::GetIO().MouseWheel;
    if (wheel == 0) return;
    const float radius = shape_at(shapes, i).radius;
    const std::string next =
        text_of(std::clamp(radius * std::pow(kWheelFactor, wheel), kMinRadius, kMaxRadius));
    if (next != text_of(radius)) frame.say("shape-resize", std::to_string(i + 1), next);
}

// Handles the mouse while the button is down. True in the frame in which a drag ends.
bool drag(Frame& frame, const std::string& picture, const ShapeScene& shapes,
          const ui::Interaction& mouse, ScenePoint at) {
    auto& editing = frame.memory.own<SceneEditing>();
    ShapeGrip& grip = editing.grip;
    if (grip.shape < 0 || grip.picture != picture) return false;
    if (grip.shape >= static_cast<int>(shapes.shapes.size())) grip = {};  // removed by an undo
    if (grip.shape >= 0 && mouse.held) {
        grip.moved = grip.moved || ImGui::IsMouseDragging(0, frame.px(kDragStarts));
        if (grip.moved) pull(frame, shape_at(shapes, grip.shape), at);
        return false;
    }
    const bool moved = grip.moved;
    grip = {};
    if (moved) frame.memory.gesture_ended = editing.is_known = true;
    return moved;
}

void delete_by_key(Frame& frame, const ShapeScene& shapes) {
    // Nothing else may take the mouse during a drag.
    if (frame.memory.own<SceneEditing>().grip.shape >= 0) return;
    const auto selected = frame.state.selection.shape;
    if (!selected || *selected >= static_cast<int>(shapes.shapes.size())) return;
    if (frame.ui.key_pressed(ImGuiKey_Delete))
        frame.say("shape-delete", std::to_string(*selected + 1));
}

// The shape that the user is asked to drag: one of the pair, if there is one.
int invited_shape(const ShapeScene& shapes) {
    return shapes.shapes.empty() ? -1 : twin_choice(shapes, -1).shape;
}

// A handle that indicates that it can be moved.
void draw_handle(Frame& frame, const ShapeScene& shapes, const ScenePlace& place) {
    const int invited = invited_shape(shapes);
    const bool of_picture = frame.node().op == Op::frame;  // elsewhere it hides highlights
    if (invited < 0 || !of_picture || frame.memory.own<SceneEditing>().is_known) return;
    const ScenePoint middle = body_of(shape_at(shapes, invited));
    const ImVec2 at = place.to_screen(middle);
    ui::Canvas canvas(frame.ui);
    canvas.circle(at, frame.px(13), IM_COL32(0, 0, 0, 170));
    ui::icon(canvas, ui::Icon::move, at, frame.px(18), IM_COL32_WHITE);
}

void draw_lines(Frame& frame, const ShapeScene& shapes, const ScenePlace& place, int under) {
    ui::Canvas canvas(frame.ui);
    const auto draw = [&](int i, ImU32 color, float wide) {
        // Bright on black, to be visible on a picture of any color.
        draw_contours(canvas, shape_at(shapes, i), place, IM_COL32(0, 0, 0, 170),
                      frame.px(wide + 2));
        draw_contours(canvas, shape_at(shapes, i), place, color, frame.px(wide));
    };
    const int count = static_cast<int>(shapes.shapes.size());
    const int selected = frame.state.selection.shape.value_or(-1);
    if (selected >= 0 && selected < count) draw(selected, ui::dark_palette().accent, 1.5F);
    if (under >= 0 && under != selected) draw(under, IM_COL32_WHITE, 1.5F);
    if (under < 0) draw_handle(frame, shapes, place);
}

}  // namespace

const ShapeScene* scene_in_hand(const Frame& frame) {
    return !frame.before() && frame.state.recipe.scene ? &*frame.state.recipe.scene : nullptr;
}

ScenePlace::ScenePlace(const Trace& trace, const ui::Rect& picture) : frame_(picture) {
    const ui::Rect& p = picture;
    const Framing framing = trace.preprocessing.framing;
    if (framing == Framing::stretch) return;
    const float side = framing == Framing::crop ? std::max(p.w, p.h) : std::min(p.w, p.h);
    frame_ = {p.center().x - side / 2, p.center().y - side / 2, side, side};
}

void draw_contours(ui::Canvas& canvas, const Shape& shape, const ScenePlace& place, ImU32 color,
                   float thickness) {
    for (const auto& line : contours(shape, kDirections)) {
        std::vector<ImVec2> points;
        points.reserve(line.size());
        for (const ScenePoint& point : line) points.push_back(place.to_screen(point));
        canvas.path(std::move(points), color, thickness, true);
    }
}

bool edit_shapes(Frame& frame, const std::string& name, const ui::Rect& picture,
                 const ui::Interaction& mouse) {
    const ShapeScene* shapes = scene_in_hand(frame);
    if (shapes == nullptr || picture.empty()) return false;
    const ScenePlace place(frame.trace, picture);
    for (std::size_t i = 0; i < shapes->shapes.size(); ++i) {
        const Shape& s = shapes->shapes[i];
        const ImVec2 middle = place.to_screen({s.x, s.y});
        const char* whose = name == kMainPicture ? "" : "stage.";
        frame.ui.name(fmt::format("{}scene.shape.{}", whose, i + 1),
                      {{middle.x - 1, middle.y - 1, 2, 2}, {0, 0, 0, 0}});
    }
    const ScenePoint at = place.to_scene(ImGui::GetIO().MousePos);
    const bool dragged = drag(frame, name, *shapes, mouse, at);
    auto& editing = frame.memory.own<SceneEditing>();
    const int held = editing.grip.shape;
    const int under = held >= 0 ? held : mouse.hovered ? shape_under(*shapes, at, kSlack) : -1;
    if (under >= 0) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
        if (mouse.double_clicked) {
            editing.card_of = name;
            open_shape_card();
        } else if (mouse.hovered && ImGui::IsMouseClicked(0)) {
            grab(frame, name, *shapes, under, at);
        }
        if (mouse.hovered || mouse.held) resize(frame, *shapes, under);
    }
    if (name == kMainPicture) delete_by_key(frame, *shapes);
    ImGui::PushClipRect(picture.min(), picture.max(), true);
    draw_lines(frame, *shapes, place, under);
    ImGui::PopClipRect();
    if (name == editing.card_of) shape_card(frame, place);
    return dragged;
}

std::string shape_hint(const Frame& frame, const ui::Rect& picture, ImVec2 pointer) {
    const ShapeScene* shapes = scene_in_hand(frame);
    if (shapes == nullptr || frame.memory.own<SceneEditing>().is_known) return "";
    const int under =
        shape_under(*shapes, ScenePlace(frame.trace, picture).to_scene(pointer), kSlack);
    if (under < 0) return "";
    return "Drag: move · wheel: resize · Shift-drag: turn\ndouble click: kind and color";
}

std::string invitation(const Frame& frame) {
    const ShapeScene* shapes = scene_in_hand(frame);
    const int invited = shapes == nullptr ? -1 : invited_shape(*shapes);
    if (invited < 0) return "";
    if (frame.memory.own<SceneEditing>().is_known)
        return "Wheel: resize · Shift-drag: turn · Double-click: kind and color";
    return fmt::format("Drag the {} and watch {}.", name_of(shape_at(*shapes, invited).kind),
                       frame.summary.top.empty() ? "the numbers" : "the prediction");
}

const char* TwinChoice::tip() const {
    return has_twin ? "Makes this shape the only one of its kind"
                    : "Adds another shape of this kind, with another color, size and rotation";
}

void TwinChoice::say(Frame& frame) const {
    frame.say(has_twin ? "untwin" : "twin", std::to_string(shape + 1));
}

TwinChoice twin_choice(const ShapeScene& shapes, int shape) {
    const int count = static_cast<int>(shapes.shapes.size());
    const auto paired = [&](int i) { return has_twin(shapes, static_cast<std::size_t>(i)); };
    if (shape >= 0 && shape < count) return {shape, paired(shape)};
    // Without a selection, the pair is meant, if there is one.
    for (int i = 0; i < count; ++i)
        if (paired(i)) return {i, true};
    return {0, false};
}

}  // namespace headlight::screens
