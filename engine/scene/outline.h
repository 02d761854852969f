#pragma once

#include <array>

#include "scene/scene.h"

namespace headlight {

// The outline of one shape, prepared for distance queries.
class Outline {
  public:
    explicit Outline(const Shape& shape);

    // Signed Euclidean distance from a point to the outline, negative inside. For a ring, inside is
    // the area between its circles.
    [[nodiscard]] double distance(double x, double y) const;

  private:
    struct Point {
        double x, y;
    };
    [[nodiscard]] double distance_to_polygon(Point p) const;

    ShapeKind kind_;
    Point center_;
    double radius_;
    std::array<Point, 12> corners_{};  // relative to the center
    int count_ = 0;
};

}  // namespace headlight
