#include "scene/random_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "kernels/random.h"

namespace headlight {

double luma_of(const Rgb& color) {
    return 0.299 * color.red + 0.587 * color.green + 0.114 * color.blue;
}

namespace {

constexpr double kSmallest = 8;  // radii, in units
constexpr double kLargest = 13;
constexpr double kGap = 1;          // between the bounding circles of two shapes, and to the frame
constexpr double kContrast = 0.2;   // in luma, between a shape and the background
constexpr double kOtherHue = 60;    // in degrees, between the hues of a pair
constexpr double kOtherRadius = 1;  // between the radii of a pair

// hue in degrees; HSV (Smith, "Color Gamut Transform Pairs", 1978) as a sum of three ramps.
Rgb from_hsv(double hue, double saturation, double value) {
    const auto channel = [&](double offset) {
        const double k = std::fmod(offset + hue / 60, 6);
        const double ramp = std::clamp(std::min(k, 4 - k), 0.0, 1.0);
        return static_cast<float>(value * (1 - saturation * ramp));
    };
    return {channel(5), channel(3), channel(1)};
}

Background draw_background(SplitMix& random) {
    Background background;
    const double hue = random.between(0, 360), saturation = random.between(0, 0.5);
    const double value = random.between(0.1, 0.9);
    const auto near = [&] {
        const double other_hue = std::fmod(hue + random.between(0, 60), 360);
        const double other_value = std::clamp(value + random.between(-0.1, 0.1), 0.0, 1.0);
        return from_hsv(other_hue, saturation, other_value);
    };
    background.from = near();
    background.to = near();
    background.direction = static_cast<float>(random.between(0, 360));
    background.noise = static_cast<float>(random.between(0, 0.04));
    background.grain = static_cast<std::uint32_t>(random.next());
    return background;
}

// True if the color is clearly brighter or clearly darker than both ends of the gradient.
bool stands_out(const Rgb& color, const Background& background) {
    const double a = luma_of(color) - luma_of(background.from),
                 b = luma_of(color) - luma_of(background.to);
    return std::min(a, b) > kContrast || std::max(a, b) < -kContrast;
}

struct Paint {
    double hue;
    Rgb color;
};

Paint draw_paint(SplitMix& random, const Background& background) {
    for (;;) {
        const double hue = random.between(0, 360);
        const double saturation = random.between(0.3, 1), value = random.between(0.1, 1);
        const Rgb color = from_hsv(hue, saturation, value);
        if (stands_out(color, background)) return {hue, color};
    }
}

double between_hues(double a, double b) {
    const double apart = std::abs(a - b);
    return std::min(apart, 360 - apart);
}

// The kinds of `count` shapes; a kind that appears twice comes first and second.
std::vector<ShapeKind> draw_kinds(SplitMix& random, int count, bool paired) {
    std::array<int, kShapeKinds> kinds{};
    std::iota(kinds.begin(), kinds.end(), 0);
    for (int i = kShapeKinds - 1; i > 0; --i) std::swap(kinds[i], kinds[random.below(i + 1)]);
    std::vector<ShapeKind> drawn;
    if (paired) drawn.push_back(static_cast<ShapeKind>(kinds[0]));
    for (int i = 0; static_cast<int>(drawn.size()) < count; ++i)
        drawn.push_back(static_cast<ShapeKind>(kinds[i]));
    return drawn;
}

bool touches(const Shape& a, const Shape& b) {
    const double dx = a.x - b.x, dy = a.y - b.y, apart = a.radius + b.radius + kGap;
    return dx * dx + dy * dy < apart * apart;
}

// Returns false if no free place was found; the frame may be full.
bool place(SplitMix& random, std::vector<Shape>& shapes) {
    constexpr int kTries = 40;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        Shape& shape = shapes[i];
        const double edge = shape.radius + kGap;
        const auto free = [&] {
            return std::none_of(shapes.begin(), shapes.begin() + static_cast<std::ptrdiff_t>(i),
                                [&](const Shape& other) { return touches(shape, other); });
        };
        int tries = 0;
        do {
            if (tries++ == kTries) return false;
            shape.x = static_cast<float>(random.between(edge, kSceneSize - edge));
            shape.y = static_cast<float>(random.between(edge, kSceneSize - edge));
        } while (!free());
    }
    return true;
}

std::vector<Shape> draw_shapes(SplitMix& random, const std::vector<ShapeKind>& kinds, bool paired,
                               const Background& background) {
    std::vector<Shape> shapes;
    double first_hue = 0;
    for (const ShapeKind kind : kinds) {
        const bool second = paired && shapes.size() == 1;
        Paint paint = draw_paint(random, background);
        while (second && between_hues(paint.hue, first_hue) < kOtherHue)
            paint = draw_paint(random, background);
        double radius = random.between(kSmallest, kLargest);
        while (second && std::abs(radius - shapes[0].radius) < kOtherRadius)
            radius = random.between(kSmallest, kLargest);
        first_hue = shapes.empty() ? paint.hue : first_hue;
        shapes.push_back({kind, 0, 0, static_cast<float>(radius),
                          static_cast<float>(random.between(0, 360)), paint.color});
    }
    return shapes;
}

}  // namespace

ShapeScene random_scene(std::uint64_t seed, const ShapeCount& count) {
    SplitMix random(seed);
    ShapeScene scene{draw_background(random), {}};
    const int shapes = count.fewest + random.below(count.most - count.fewest + 1);
    const bool paired = random.below(kShapeKinds + 1) != 0;
    const std::vector<ShapeKind> kinds = draw_kinds(random, shapes, paired);
    do scene.shapes = draw_shapes(random, kinds, paired, scene.background);
    while (!place(random, scene.shapes));
    return scene;
}

}  // namespace headlight
