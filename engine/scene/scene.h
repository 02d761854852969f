#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace headlight {

enum class ShapeKind { disc, square, triangle, ring, cross, star };

inline constexpr int kShapeKinds = 6;
inline constexpr std::array<std::string_view, kShapeKinds> kShapeNames{"disc", "square", "triangle",
                                                                       "ring", "cross",  "star"};

// Scenes are laid out in a frame of 80 × 80 units, x to the right and y down from the upper left
// corner; drawn at 80 × 80 pixels a unit is a pixel.
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
    float radius = 0;    // of the circle around it, on which its outermost points lie
    float rotation = 0;  // in degrees, clockwise; 0 has a corner, a tip or an arm pointing up
    Rgb color;

    bool operator==(const Shape&) const = default;
};

// A soft gradient with grain.
struct Background {
    Rgb from, to;
    float direction = 0;      // in degrees, clockwise from "to the right": where `to` lies
    float noise = 0;          // standard deviation of the grain, in units of the colors
    std::uint32_t grain = 0;  // which grain

    bool operator==(const Background&) const = default;
};

// What a picture of shapes is made of; later shapes lie on earlier ones.
struct ShapeScene {
    Background background;
    std::vector<Shape> shapes;

    bool operator==(const ShapeScene&) const = default;
};

}  // namespace headlight
