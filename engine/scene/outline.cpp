#include "scene/outline.h"

#include <algorithm>
#include <cmath>

#include "scene/turn.h"

namespace headlight {

namespace {

constexpr double kRingHole = 0.55;   // relative to the outer radius
constexpr double kStarNotch = 0.45;  // radius of the inner corners, relative to the outer radius
// Half the width of a cross's arm, relative to the radius. The arm's length follows, because its
// corners are on the circle.
constexpr double kArm = 0.3;
const double kArmLength = std::sqrt(1 - kArm * kArm);

// Number of corners, all of which are on circles around the center.
int corners_of(ShapeKind kind) {
    switch (kind) {
        case ShapeKind::square:
            return 4;
        case ShapeKind::triangle:
            return 3;
        case ShapeKind::cross:
            return 12;
        case ShapeKind::star:
            return 10;
        default:
            return 0;
    }
}

}  // namespace

Outline::Outline(const Shape& shape)
    : kind_(shape.kind),
      center_{shape.x, shape.y},
      radius_(shape.radius),
      count_(corners_of(shape.kind)) {
    const auto place = [&](int i, Point p) {
        const SineAndCosine t = turn(shape.rotation);
        corners_[i] = {radius_ * (t.cos * p.x - t.sin * p.y),
                       radius_ * (t.sin * p.x + t.cos * p.y)};
    };
    if (kind_ == ShapeKind::cross) {
        const std::array<Point, 3> arm{{{-kArm, -kArmLength}, {kArm, -kArmLength}, {kArm, -kArm}}};
        for (int i = 0; i < 12; ++i) {
            const int number = i / 3;
            const SineAndCosine quarter = turn(90.0 * number);
            const Point p = arm[i % 3];
            place(i,
                  {quarter.cos * p.x - quarter.sin * p.y, quarter.sin * p.x + quarter.cos * p.y});
        }
        return;
    }
    for (int i = 0; i < count_; ++i) {
        const SineAndCosine t = turn(360.0 * i / count_);
        const double r = kind_ == ShapeKind::star && i % 2 == 1 ? kStarNotch : 1;
        place(i, {r * t.sin, -r * t.cos});
    }
}

double Outline::distance(double x, double y) const {
    const Point p{x - center_.x, y - center_.y};
    if (count_ != 0) return distance_to_polygon(p);
    const double length = std::sqrt(p.x * p.x + p.y * p.y);
    const double outer = length - radius_;
    return kind_ == ShapeKind::ring ? std::max(outer, kRingHole * radius_ - length) : outer;
}

// Distance to the nearest edge. A point is inside if a ray to the right crosses the outline an odd
// number of times.
double Outline::distance_to_polygon(Point p) const {
    double nearest = 1e300;
    bool inside = false;
    Point a = corners_[count_ - 1];
    for (int i = 0; i < count_; ++i) {
        const Point b = corners_[i];
        const Point edge{b.x - a.x, b.y - a.y}, to{p.x - a.x, p.y - a.y};
        const double length = edge.x * edge.x + edge.y * edge.y;
        const double along =
            length > 0 ? std::clamp((to.x * edge.x + to.y * edge.y) / length, 0.0, 1.0) : 0;
        const double dx = to.x - along * edge.x, dy = to.y - along * edge.y;
        nearest = std::min(nearest, dx * dx + dy * dy);
        const double side = to.x * edge.y - to.y * edge.x;
        if ((a.y > p.y) != (b.y > p.y) && (side < 0) == (b.y > a.y)) inside = !inside;
        a = b;
    }
    return inside ? -std::sqrt(nearest) : std::sqrt(nearest);
}

}  // namespace headlight
