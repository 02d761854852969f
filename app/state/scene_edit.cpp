#include "state/scene_edit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "scene/random_scene.h"
#include "scene/scene_file.h"

namespace headlight {

namespace {

// The same as in random scenes (random_scene.cpp), on which the model was trained.
constexpr float kUsualRadius = 10.5F, kLargestRadius = 13;
constexpr float kGap = 1;          // between the circles around shapes, and to the frame
constexpr double kContrast = 0.2;  // difference in luma between shape and background
constexpr double kOtherHue = 60;   // degrees between the hues of a pair
constexpr float kOtherRadius = 2, kOtherRotation = 40;  // no shape looks the same rotated by 40°

// Hues around the circle, each bright and dark.
constexpr std::array kHues{Rgb{0.95F, 0.25F, 0.2F}, Rgb{1, 0.6F, 0.1F},     Rgb{0.95F, 0.9F, 0.2F},
                           Rgb{0.3F, 0.85F, 0.3F},  Rgb{0.2F, 0.85F, 0.9F}, Rgb{0.3F, 0.5F, 1},
                           Rgb{0.7F, 0.45F, 1},     Rgb{1, 0.5F, 0.85F}};
constexpr float kDark = 0.4F;

Rgb times(const Rgb& color, float brightness) {
    return {color.red * brightness, color.green * brightness, color.blue * brightness};
}

// In degrees.
double hue_of(const Rgb& c) {
    const double x = 2.0 * c.red - c.green - c.blue, y = std::sqrt(3.0) * (c.green - c.blue);
    return std::atan2(y, x) * 180 / std::numbers::pi;
}

bool other_hue(const Rgb& a, const Rgb& b) {
    const double apart = std::abs(hue_of(a) - hue_of(b));
    return std::min(apart, 360 - apart) >= kOtherHue;
}

double distance(const Rgb& a, const Rgb& b) {
    return std::hypot(a.red - b.red, a.green - b.green, a.blue - b.blue);
}

// How distinct a color is: negative if it does not stand out from the background, otherwise its
// distance to the nearest other color.
double contrast(const Rgb& color, const ShapeScene& scene) {
    const Rgb &from = scene.background.from, &to = scene.background.to;
    const double brightness = luma_of(color);
    const double apart =
        std::min(std::abs(brightness - luma_of(from)), std::abs(brightness - luma_of(to)));
    if (apart < kContrast) return apart - kContrast;
    double nearest = std::min(distance(color, from), distance(color, to));
    for (const Shape& shape : scene.shapes)
        nearest = std::min(nearest, distance(color, shape.color));
    return nearest;
}

// The most distinct color, with another hue than its twin's.
Rgb new_color(const ShapeScene& scene, const std::optional<Rgb>& twin = {}) {
    Rgb best;
    double most = -std::numeric_limits<double>::infinity();
    for (const Rgb& hue : kHues)
        for (const float brightness : {1.0F, kDark}) {
            const Rgb color = times(hue, brightness);
            if (twin && !other_hue(color, *twin)) continue;
            if (const double here = contrast(color, scene); here > most) best = color, most = here;
        }
    return best;
}

// The largest radius there without touching the frame or another shape.
float room_at(const ShapeScene& scene, float x, float y, const Shape* itself = nullptr) {
    constexpr auto side = static_cast<float>(kSceneSize);
    float room = std::min({x, y, side - x, side - y});
    for (const Shape& shape : scene.shapes)
        if (&shape != itself)
            room = std::min(room, std::hypot(shape.x - x, shape.y - y) - shape.radius);
    return room - kGap;
}

// Larger if there is space, otherwise smaller.
float other_radius(float radius, float room) {
    const float larger = radius + kOtherRadius, smaller = radius - kOtherRadius;
    const bool grows = larger <= std::min(room, kLargestRadius) || smaller < kMinRadius;
    return grows ? larger : std::max(std::min(smaller, room), kMinRadius);
}

// Changes attributes that are too similar, because a pair must be recognized by its kind alone.
void tell_apart(const ShapeScene& scene, Shape& shape, const Shape& twin) {
    if (!other_hue(shape.color, twin.color)) shape.color = new_color(scene, twin.color);
    if (std::abs(shape.radius - twin.radius) < kGap)
        shape.radius = other_radius(twin.radius, room_at(scene, shape.x, shape.y, &shape));
    if (shape.rotation == twin.rotation)
        shape.rotation = std::fmod(twin.rotation + kOtherRotation, 360.0F);
}

// The shape that becomes the twin; empty: a new one.
std::optional<std::size_t> future_twin(const ShapeScene& scene, std::size_t shape) {
    for (std::size_t i = scene.shapes.size(); i-- > 0;)
        if (i != shape && has_twin(scene, i)) return i;
    if (scene.shapes.size() < kMaxShapes) return std::nullopt;
    return shape + 1 < kMaxShapes ? kMaxShapes - 1 : shape - 1;
}

}  // namespace

ScenePoint roomiest_place(const ShapeScene& scene) {
    ScenePoint best;
    float most = -std::numeric_limits<float>::infinity();
    for (int y = 0; y <= kSceneSize; ++y)
        for (int x = 0; x <= kSceneSize; ++x) {
            const ScenePoint at{static_cast<float>(x), static_cast<float>(y)};
            if (const float room = room_at(scene, at.x, at.y); room > most) most = room, best = at;
        }
    return best;
}

ScenePoint body_of(const Shape& shape) {
    if (shape.kind != ShapeKind::ring) return {shape.x, shape.y};
    constexpr float kBand = 0.78F;  // of the radius: the middle of the band
    const float way = shape.x < kSceneSize / 2.0F ? 1 : -1;
    return {shape.x + way * kBand * shape.radius, shape.y};
}

Shape new_shape(const ShapeScene& scene, ShapeKind kind, float x, float y) {
    return {kind, x, y, kUsualRadius, 0, new_color(scene)};
}

bool has_twin(const ShapeScene& scene, std::size_t shape) {
    const ShapeKind kind = scene.shapes[shape].kind;
    return std::ranges::count(scene.shapes, kind, &Shape::kind) > 1;
}

void make_twin(ShapeScene& scene, std::size_t shape) {
    std::optional<std::size_t> twin = future_twin(scene, shape);
    if (!twin) {
        twin = scene.shapes.size();
        Shape added = scene.shapes[shape];
        const ScenePoint at = roomiest_place(scene);
        added.x = at.x;
        added.y = at.y;
        scene.shapes.push_back(added);
    }
    scene.shapes[*twin].kind = scene.shapes[shape].kind;
    tell_apart(scene, scene.shapes[*twin], scene.shapes[shape]);
}

void break_twin(ShapeScene& scene, std::size_t shape) {
    ShapeKind& kind = scene.shapes[shape].kind;
    // At least one of six kinds is free, because in a full scene two shapes share a kind.
    do kind = static_cast<ShapeKind>((static_cast<int>(kind) + 1) % kShapeKinds);
    while (has_twin(scene, shape));
}

}  // namespace headlight
