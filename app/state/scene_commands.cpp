#include "state/scene_commands.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>
#include <utility>

#include "program/ordinals.h"
#include "program/values.h"
#include "scene/random_scene.h"
#include "scene/scene_file.h"
#include "scene/truth.h"
#include "state/command.h"
#include "trace/trace.h"

namespace headlight {

namespace {

float parse_float(std::string_view verb, const std::string& text, float low, float high) {
    return static_cast<float>(parse_number(verb, text, low, high));
}

// A coordinate on either axis. A shape with its center outside the frame would be lost.
float parse_place(std::string_view verb, const std::string& text) {
    return parse_float(verb, text, 0, kSceneSize);
}

ShapeKind parse_kind(std::string_view verb, const std::string& text) {
    return static_cast<ShapeKind>(parse_name(verb, text, names_of<ShapeKind>()));
}

Rgb parse_color(std::string_view verb, const std::string& text) {
    unsigned value = 0;
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value, 16);
    if (text.size() != 6 || error != std::errc() || stopped != end)
        refuse_value(verb, "six hexadecimal digits, two each for red, green and blue", text);
    const auto channel = [&](unsigned shift) {
        return static_cast<float>(value >> shift & 255U) / 255.0F;
    };
    return {channel(16), channel(8), channel(0)};
}

}  // namespace

// ---- whole scenes

void SceneCommands::draw(Text number) {
    if (number == "random") return look_at(random_scene(kFirstTestScene + std::random_device{}()));
    look_at(random_scene(parse_unsigned("scene", number)));
}

void SceneCommands::look_at(ShapeScene scene) {
    state_.recipe = picture_again(state_);
    state_.recipe.scene = std::move(scene);
    state_.selection.shape.reset();               // it belonged to another scene
    if (!trace_) state_.selection.token.reset();  // the first trace selects one
    focus_on_twins();
}

// ---- focused patches

// In the current trace; empty if the scene does not fill the picture.
std::optional<int> SceneCommands::token_at(ScenePoint place) const {
    const int side = trace_ ? trace_->grid.image_width : 0;  // 0: the tokens are no patches
    if (side == 0 || side != trace_->grid.image_height) return {};
    const auto pixel = [&](float at) {
        return std::clamp(static_cast<int>(at * static_cast<float>(side) / kSceneSize), 0,
                          side - 1);
    };
    const int patch = trace_->grid.patch_at(pixel(place.y), pixel(place.x));
    if (patch < 0) return {};
    return static_cast<int>(trace_->layout.prefix()) + patch;
}

void SceneCommands::focus_on_twins() {
    const auto& shapes = state_.recipe.scene->shapes;
    if (shapes.empty() || !state_.selection.token || is_cross(state_.recipe)) return;
    const std::vector<int> twins = twins_of(*state_.recipe.scene);
    const auto paired = std::ranges::find_if(twins, [](int twin) { return twin >= 0; });
    const std::size_t reader = paired == twins.end() ? 0 : paired - twins.begin();
    if (const auto token = token_at(body_of(shapes[reader]))) state_.selection.token = token;
    if (paired == twins.end() || state_.selection.col_axis != Axis::key_token) return;
    const Shape& twin = shapes[static_cast<std::size_t>(*paired)];
    if (const auto token = token_at(body_of(twin))) state_.selection.col = token;
}

// A focused patch under a shape follows it, even when the shape leaves the patch.
void SceneCommands::follow(const Shape& before, const Shape& after) {
    const auto covers = [&](const Shape& shape, int token) {
        if (token == token_at(body_of(shape))) return true;  // even a small one in a large patch
        const Index patch = token - trace_->layout.prefix();
        if (patch < 0 || patch >= trace_->grid.count()) return false;
        const PixelRect place = trace_->grid.rect(static_cast<int>(patch));
        const double unit = static_cast<double>(kSceneSize) / trace_->grid.image_width;
        return std::hypot((place.col + place.width / 2.0) * unit - shape.x,
                          (place.row + place.height / 2.0) * unit - shape.y) <= shape.radius;
    };
    const auto keep = [&](std::optional<int>& token) {
        if (!token || !trace_ || !covers(before, *token) || covers(after, *token)) return;
        if (const auto there = token_at(body_of(after))) token = there;
    };
    keep(is_cross(state_.recipe) ? state_.selection.key : state_.selection.token);
    if (state_.selection.col_axis == Axis::key_token) keep(state_.selection.col);
}

// ---- shapes

ShapeScene& SceneCommands::scene() {
    if (!state_.recipe.scene)
        throw CommandError("There is no scene to change. Draw one (S) or open one first.");
    return *state_.recipe.scene;
}

std::size_t SceneCommands::parse_shape(std::string_view verb, Text text) {
    const auto& shapes = scene().shapes;
    if (shapes.empty())
        throw CommandError(std::string(verb) + ": there is no shape in this scene.");
    return static_cast<std::size_t>(
        parse_ordinal(verb, text, static_cast<int>(shapes.size()), "shapes"));
}

void SceneCommands::choose(Text which) {
    state_.selection.shape = static_cast<int>(parse_shape("shape", which));
}

void SceneCommands::move(Text which, Text x, Text y) {
    Shape& shape = scene().shapes[parse_shape("shape-move", which)];
    const float at_x = parse_place("shape-move", x), at_y = parse_place("shape-move", y);
    const Shape before = shape;
    shape.x = at_x;
    shape.y = at_y;
    follow(before, shape);
}

void SceneCommands::resize(Text which, Text radius) {
    Shape& shape = scene().shapes[parse_shape("shape-resize", which)];
    shape.radius = parse_float("shape-resize", radius, kMinRadius, kMaxRadius);
}

void SceneCommands::turn(Text which, Text degrees) {
    Shape& shape = scene().shapes[parse_shape("shape-turn", which)];
    shape.rotation = parse_float("shape-turn", degrees, -360, 360);
}

void SceneCommands::color(Text which, Text color) {
    Shape& shape = scene().shapes[parse_shape("shape-color", which)];
    shape.color = parse_color("shape-color", color);
}

void SceneCommands::kind(Text which, Text kind) {
    Shape& shape = scene().shapes[parse_shape("shape-kind", which)];
    shape.kind = parse_kind("shape-kind", kind);
}

void SceneCommands::add(Text kind, Text x, Text y) {
    ShapeScene& shown = scene();
    if (shown.shapes.size() >= kMaxShapes)
        throw CommandError("A scene has at most " + std::to_string(kMaxShapes) +
                           " shapes. Delete one first.");
    shown.shapes.push_back(new_shape(shown, parse_kind("shape-add", kind),
                                     parse_place("shape-add", x), parse_place("shape-add", y)));
    state_.selection.shape = static_cast<int>(shown.shapes.size()) - 1;
}

void SceneCommands::erase(Text which) {
    const auto gone = static_cast<int>(parse_shape("shape-delete", which));
    auto& shapes = scene().shapes;
    shapes.erase(shapes.begin() + gone);
    std::optional<int>& chosen = state_.selection.shape;
    if (chosen == gone) {
        chosen.reset();
    } else if (chosen > gone) {
        --*chosen;
    }
}

void SceneCommands::twin(Text which) {
    const std::size_t shape = parse_shape("twin", which);
    if (has_twin(scene(), shape)) throw CommandError("Shape " + which + " has a twin already.");
    make_twin(scene(), shape);
}

void SceneCommands::untwin(Text which) {
    const std::size_t shape = parse_shape("untwin", which);
    if (!has_twin(scene(), shape)) throw CommandError("Shape " + which + " has no twin.");
    break_twin(scene(), shape);
}

}  // namespace headlight
