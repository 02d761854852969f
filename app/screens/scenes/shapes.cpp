#include "scenes/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scene/outline.h"

namespace headlight::screens {

namespace {

// Marches along a ray from the center to the outline, in steps no larger than the distance to it,
// so that nothing is missed. Negative `way`: from outside.
double march(const Outline& outline, const Shape& shape, double direction, double from,
             double way) {
    const double cos = std::cos(direction), sin = std::sin(direction);
    double r = from;
    for (int i = 0; i < 64; ++i) {
        const double distance = outline.distance(shape.x + r * cos, shape.y + r * sin);
        if (distance < 1e-3) break;
        r += way * distance;
    }
    return r;
}

}  // namespace

int shape_under(const ShapeScene& scene, ScenePoint at, double slack) {
    for (const double reach : {0.0, slack})
        for (int i = static_cast<int>(scene.shapes.size()) - 1; i >= 0; --i) {
            Shape shape = scene.shapes[static_cast<std::size_t>(i)];
            // A ring can be grabbed by its hole too.
            if (shape.kind == ShapeKind::ring) shape.kind = ShapeKind::disc;
            if (Outline(shape).distance(at.x, at.y) <= reach) return i;
        }
    return -1;
}

std::vector<std::vector<ScenePoint>> contours(const Shape& shape, int directions) {
    const Outline outline(shape);
    const bool hollow = outline.distance(shape.x, shape.y) > 0;
    std::vector<std::vector<ScenePoint>> lines(hollow ? 2 : 1);
    for (int i = 0; i < directions; ++i) {
        // Angle from the direction of the first corner.
        const double direction =
            6.283185307179586 * i / directions + (shape.rotation - 90) * 0.017453292519943295;
        const auto add = [&](std::vector<ScenePoint>& line, double r) {
            line.push_back({static_cast<float>(shape.x + r * std::cos(direction)),
                            static_cast<float>(shape.y + r * std::sin(direction))});
        };
        add(lines.front(), march(outline, shape, direction, shape.radius, -1));
        if (hollow) add(lines.back(), march(outline, shape, direction, 0, 1));
    }
    return lines;
}

ScenePoint inside_frame(const Shape& shape, ScenePoint at) {
    const float margin = std::min(shape.radius, kSceneSize / 2.0F);
    return {std::clamp(at.x, margin, kSceneSize - margin),
            std::clamp(at.y, margin, kSceneSize - margin)};
}

bool has_several_twins(const ShapeScene& scene, int shape) {
    const auto kind = scene.shapes.at(static_cast<std::size_t>(shape)).kind;
    return std::ranges::count(scene.shapes, kind, &Shape::kind) > 2;
}

std::string hex_of(const Rgb& color) {
    const auto byte = [](float part) {
        return static_cast<int>(std::lround(std::clamp(part, 0.0F, 1.0F) * 255));
    };
    return fmt::format("{:02X}{:02X}{:02X}", byte(color.red), byte(color.green), byte(color.blue));
}

}  // namespace headlight::screens
