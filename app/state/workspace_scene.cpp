#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <exception>
#include <random>
#include <utility>

#include "program/values.h"
#include "scene/random_scene.h"
#include "scene/scene_file.h"
#include "scene/truth.h"
#include "state/directory.h"
#include "state/scene_edit.h"
#include "state/workspace.h"

// The commands of scenes, and of heads that are switched off to see what they were for. As in
// workspace_verbs.cpp, arguments are checked before anything changes.
namespace headlight {

namespace {

float parse_float(std::string_view verb, const std::string& text, float low, float high) {
    return static_cast<float>(parse_number(verb, text, low, high));
}

// Along either axis. A centre outside the frame would lose the shape.
float parse_place(std::string_view verb, const std::string& text) {
    return parse_float(verb, text, 0, kSceneSize);
}

ShapeKind parse_kind(std::string_view verb, const std::string& text) {
    return static_cast<ShapeKind>(parse_name(verb, text, kShapeNames));
}

Rgb parse_colour(std::string_view verb, const std::string& text) {
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

void Workspace::scene(Text number) {
    look_at(random_scene(number == "random" ? kFirstTestScene + std::random_device{}()
                                            : parse_unsigned("scene", number)));
    if (panel_ == Panel::files) panel_ = Panel::nothing;  // what was looked for there is found
}

void Workspace::open_scene(Text path) {
    if (path.empty())
        throw CommandError("open-scene: expected the name of a scene, found nothing.");
    try {
        look_at(scene_from_json(read_file_(path).bytes(), path));
    } catch (const std::exception& e) {  // SceneError, or the reader's own
        throw CommandError(e.what());
    }
    remember(state_.recent, whole_path(path));
}

void Workspace::look_at(ShapeScene scene) {
    state_.recipe.scene = std::move(scene);
    state_.selection.shape.reset();               // it was one of another scene
    if (!trace_) state_.selection.token.reset();  // chosen with the first trace
    focus_on_twins();
}

// ---- patches in focus

// Of the tokens in view; nothing where the scene does not fill the picture.
std::optional<int> Workspace::token_at(ScenePoint place) const {
    if (!trace_ || trace_->grid.image_width != trace_->grid.image_height) return {};
    const int side = trace_->grid.image_width;
    const auto pixel = [&](float at) {
        return std::clamp(static_cast<int>(at * static_cast<float>(side) / kSceneSize), 0,
                          side - 1);
    };
    const int patch = trace_->grid.patch_at(pixel(place.y), pixel(place.x));
    if (patch < 0) return {};
    return static_cast<int>(trace_->layout.prefix()) + patch;
}

// In a new scene another patch is worth looking at: one of a twin, which reads the other.
void Workspace::focus_on_twins() {
    const auto& shapes = state_.recipe.scene->shapes;
    if (shapes.empty() || !state_.selection.token) return;
    const std::vector<int> twins = twins_of(*state_.recipe.scene);
    const auto paired = std::ranges::find_if(twins, [](int twin) { return twin >= 0; });
    const std::size_t reader = paired == twins.end() ? 0 : paired - twins.begin();
    if (const auto token = token_at(body_of(shapes[reader]))) state_.selection.token = token;
    if (paired == twins.end() || state_.selection.col_axis != Axis::key_token) return;
    const Shape& twin = shapes[static_cast<std::size_t>(*paired)];
    if (const auto token = token_at(body_of(twin))) state_.selection.col = token;
}

// A patch in focus that lay under a shape stays with it, also where the shape leaves the patch.
void Workspace::follow(const Shape& before, const Shape& after) {
    const auto covers = [&](const Shape& shape, int token) {
        if (token == token_at(body_of(shape))) return true;  // a small one in a large patch too
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
    keep(state_.selection.token);
    if (state_.selection.col_axis == Axis::key_token) keep(state_.selection.col);
}

// ---- its shapes

ShapeScene& Workspace::scene_to_change() {
    if (!state_.recipe.scene)
        throw CommandError("There is no scene to change: draw one or open one first.");
    return *state_.recipe.scene;
}

std::size_t Workspace::parse_shape(std::string_view verb, Text text) {
    const auto& shapes = scene_to_change().shapes;
    if (shapes.empty())
        throw CommandError(std::string(verb) + ": there is no shape in this scene.");
    return static_cast<std::size_t>(parse_integer(verb, text, 1, static_cast<int>(shapes.size())) -
                                    1);
}

void Workspace::shape(Text which) {
    state_.selection.shape = static_cast<int>(parse_shape("shape", which));
}

void Workspace::shape_move(Text which, Text x, Text y) {
    Shape& shape = scene_to_change().shapes[parse_shape("shape-move", which)];
    const float at_x = parse_place("shape-move", x), at_y = parse_place("shape-move", y);
    const Shape before = shape;
    shape.x = at_x;
    shape.y = at_y;
    follow(before, shape);
}

void Workspace::shape_resize(Text which, Text radius) {
    Shape& shape = scene_to_change().shapes[parse_shape("shape-resize", which)];
    shape.radius = parse_float("shape-resize", radius, kMinRadius, kMaxRadius);
}

void Workspace::shape_turn(Text which, Text degrees) {
    Shape& shape = scene_to_change().shapes[parse_shape("shape-turn", which)];
    shape.rotation = parse_float("shape-turn", degrees, -360, 360);
}

void Workspace::shape_colour(Text which, Text colour) {
    Shape& shape = scene_to_change().shapes[parse_shape("shape-colour", which)];
    shape.colour = parse_colour("shape-colour", colour);
}

void Workspace::shape_kind(Text which, Text kind) {
    Shape& shape = scene_to_change().shapes[parse_shape("shape-kind", which)];
    shape.kind = parse_kind("shape-kind", kind);
}

void Workspace::shape_add(Text kind, Text x, Text y) {
    ShapeScene& scene = scene_to_change();
    if (scene.shapes.size() >= kMaxShapes)
        throw CommandError("A scene has at most " + std::to_string(kMaxShapes) +
                           " shapes: delete one first.");
    scene.shapes.push_back(new_shape(scene, parse_kind("shape-add", kind),
                                     parse_place("shape-add", x), parse_place("shape-add", y)));
    state_.selection.shape = static_cast<int>(scene.shapes.size()) - 1;
}

void Workspace::shape_delete(Text which) {
    const auto gone = static_cast<int>(parse_shape("shape-delete", which));
    auto& shapes = scene_to_change().shapes;
    shapes.erase(shapes.begin() + gone);
    std::optional<int>& chosen = state_.selection.shape;
    if (chosen == gone) {
        chosen.reset();
    } else if (chosen > gone) {
        --*chosen;
    }
}

void Workspace::twin(Text which) {
    const std::size_t shape = parse_shape("twin", which);
    if (has_twin(scene_to_change(), shape))
        throw CommandError("Shape " + which + " has a twin already.");
    make_twin(scene_to_change(), shape);
}

void Workspace::untwin(Text which) {
    const std::size_t shape = parse_shape("untwin", which);
    if (!has_twin(scene_to_change(), shape)) throw CommandError("Shape " + which + " has no twin.");
    break_twin(scene_to_change(), shape);
}

// ---- heads switched off

void Workspace::switch_head(Text layer, Text head) {
    if (!trace_) throw CommandError("Nothing has been computed yet: open an image first.");
    const Model& model = *trace_->model;
    if (model.is_maps())
        throw CommandError("switch-head: nothing is computed from attention maps alone.");
    const auto& blocks = model.blocks;
    const int b = parse_integer("switch-head", layer, 1, static_cast<int>(blocks.size())) - 1;
    const int heads = model.is_bare_layer() ? trace_->config.heads
                                            : blocks[static_cast<std::size_t>(b)].attention.heads;
    const HeadPlace place{b, parse_integer("switch-head", head, 1, heads) - 1};

    auto& off = state_.recipe.switched_off;
    const auto found = std::ranges::lower_bound(off, place);
    if (found != off.end() && *found == place) {
        off.erase(found);
    } else {
        off.insert(found, place);
    }
}

void Workspace::switch_heads_on() { state_.recipe.switched_off.clear(); }

}  // namespace headlight
