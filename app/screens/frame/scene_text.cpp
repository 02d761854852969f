#include "frame/scene_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "scene/truth.h"

namespace headlight::screens {

namespace {

struct NamedColor {
    std::string_view name;
    Rgb color;
};

constexpr Rgb rgb(int hex) {
    return {static_cast<float>(hex >> 16 & 255) / 255, static_cast<float>(hex >> 8 & 255) / 255,
            static_cast<float>(hex & 255) / 255};
}

constexpr std::array kColors{
    NamedColor{"black", rgb(0x101010)},      NamedColor{"dark gray", rgb(0x505050)},
    NamedColor{"gray", rgb(0x8C8C8C)},       NamedColor{"light gray", rgb(0xC4C4C4)},
    NamedColor{"white", rgb(0xFAFAFA)},      NamedColor{"red", rgb(0xE0302A)},
    NamedColor{"dark red", rgb(0x7C1A1A)},   NamedColor{"orange", rgb(0xFF8C1A)},
    NamedColor{"brown", rgb(0x7A4A1C)},      NamedColor{"yellow", rgb(0xF2E03A)},
    NamedColor{"olive", rgb(0x85852A)},      NamedColor{"green", rgb(0x2FA835)},
    NamedColor{"dark green", rgb(0x175A20)}, NamedColor{"light green", rgb(0x86E67E)},
    NamedColor{"teal", rgb(0x128083)},       NamedColor{"light blue", rgb(0x4FD8EE)},
    NamedColor{"blue", rgb(0x3A62DC)},       NamedColor{"dark blue", rgb(0x1C2A80)},
    NamedColor{"violet", rgb(0xA070F0)},     NamedColor{"purple", rgb(0x84288F)},
    NamedColor{"blue", rgb(0x1A1AE6)},       NamedColor{"blue", rgb(0x2A6C9C)},
    NamedColor{"pink", rgb(0xF58CC0)},       NamedColor{"magenta", rgb(0xDC30BE)}};

// CIE L*a*b*, in which equal distances look about equally large.
std::array<double, 3> lab_of(const Rgb& c) {
    const auto linear = [](double v) {
        return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    const double r = linear(c.red), g = linear(c.green), b = linear(c.blue);
    const auto f = [](double t) {
        return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
    };
    const double x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047),
                 y = f(0.2126729 * r + 0.7151522 * g + 0.0721750 * b),
                 z = f((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

std::string plain_name(const Shape& shape) {
    return color_name(shape.color) + " " + std::string(name_of(shape.kind));
}

}  // namespace

std::string color_name(const Rgb& color) {
    const auto lab = lab_of(color);
    std::string_view best;
    double least = std::numeric_limits<double>::infinity();
    for (const NamedColor& named : kColors) {
        const auto other = lab_of(named.color);
        // Lightness matters less for a color's name than hue.
        const double away =
            std::hypot(0.7 * (lab[0] - other[0]), lab[1] - other[1], lab[2] - other[2]);
        if (away < least) {
            least = away;
            best = named.name;
        }
    }
    return std::string(best);
}

std::string name_of_shape(const ShapeScene& scene, int shape) {
    const Shape& own = scene.shapes.at(static_cast<std::size_t>(shape));
    const std::string name = plain_name(own);
    const Shape* other = nullptr;
    int same = 0;
    for (const Shape& each : scene.shapes)
        if (&each != &own && plain_name(each) == name) {
            other = &each;
            ++same;
        }
    if (same == 0) return name;
    if (same > 1) return name + " number " + std::to_string(shape + 1);
    const float dx = own.x - other->x, dy = own.y - other->y;
    if (std::abs(dx) >= std::abs(dy)) return (dx < 0 ? "left " : "right ") + name;
    return (dy < 0 ? "upper " : "lower ") + name;
}

std::string truth_in_words(const ShapeScene& scene) {
    if (const auto answer = answer_of(scene))
        return *answer == kNoPair ? "no pair" : "the " + answer_name(*answer) + " appears twice";
    int pairs = 0;
    for (int kind = 0; kind < kShapeKinds; ++kind) {
        const auto count =
            std::ranges::count(scene.shapes, static_cast<ShapeKind>(kind), &Shape::kind);
        if (count > 2)
            return fmt::format("no single answer: the {} appears {} times", answer_name(kind),
                               count);
        if (count == 2) ++pairs;
    }
    return fmt::format("no single answer: {} pairs", pairs == 2 ? "two" : "three");
}

}  // namespace headlight::screens
