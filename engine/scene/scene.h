#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/names.h"

namespace headlight {

enum class ShapeKind { disc, square, triangle, ring, cross, star };

template <>
inline constexpr auto kNames<ShapeKind> =
    std::to_array<std::string_view>({"disc", "square", "triangle", "ring", "cross", "star"});
inline constexpr int kShapeKinds = static_cast<int>(names_of<ShapeKind>().size());

// Scenes use a frame of 80 × 80 units, x to the right and y down from the upper left corner. At 80
// × 80 pixels, a unit is a pixel.
inline constexpr int kSceneSize = 80;
inline constexpr int kMaxShapes = 6;

struct Rgb {
    float red = 0;  // each in [0, 1]
    float green = 0;
    float blue = 0;

    bool operator==(const Rgb&) const = default;
};

struct Shape {
    ShapeKind kind = ShapeKind::disc;
    float x = 0;  // center
    float y = 0;
    float radius = 0;    // of the circumscribed circle
    float rotation = 0;  // in degrees, clockwise; at 0 a corner, a tip or an arm points up
    Rgb color;

    bool operator==(const Shape&) const = default;
};

// A linear gradient with noise.
struct Background {
    Rgb from, to;
    float direction = 0;      // in degrees, clockwise from "to the right": the direction from
                              // `from` to `to`
    float noise = 0;          // standard deviation, in units of the colors
    std::uint32_t grain = 0;  // seed of the noise

    bool operator==(const Background&) const = default;
};

// A picture of shapes; later shapes cover earlier ones.
struct ShapeScene {
    Background background;
    std::vector<Shape> shapes;

    bool operator==(const ShapeScene&) const = default;
};

}  // namespace headlight
