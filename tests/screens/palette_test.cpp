#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "ui/canvas.h"
#include "ui/mosaic.h"
#include "ui/theme.h"

// Colors with a meaning can be told apart, also by color-blind people, and text is readable.
namespace headlight::ui {
namespace {

using Vector = std::array<double, 3>;
using Transform = std::array<Vector, 3>;

Vector times(const Transform& m, const Vector& v) {
    Vector result{};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) result[i] += m[i][j] * v[j];
    return result;
}

Vector linear(ImU32 color) {
    const ImVec4 c = ImGui::ColorConvertU32ToFloat4(color);
    const auto part = [](double x) {
        return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
    };
    return {part(c.x), part(c.y), part(c.z)};
}

// Ottosson, "A perceptual color space for image processing", 2020. Distances of 0.02 are barely
// visible.
Vector oklab(const Vector& rgb) {
    constexpr Transform cones{{{0.4122214708, 0.5363325363, 0.0514459929},
                               {0.2119034982, 0.6806995451, 0.1073969566},
                               {0.0883024619, 0.2817188376, 0.6299787005}}},
        lab{{{0.2104542553, 0.7936177850, -0.0040720468},
             {1.9779984951, -2.4285922050, 0.4505937099},
             {0.0259040371, 0.7827717662, -0.8086757660}}};
    Vector response = times(cones, rgb);
    for (double& part : response) part = std::cbrt(std::max(part, 0.0));
    return times(lab, response);
}

// Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of color vision
// deficiency", 2009, full severity.
struct Eye {
    const char* name;
    Transform sees;
    double least;  // between two colors with different meanings
};
constexpr std::array<Eye, 3> kEyes{{{"all cones", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, 0.10},
                                    {"protanopia",
                                     {{{0.152286, 1.052583, -0.204868},
                                       {0.114503, 0.786281, 0.099216},
                                       {-0.003882, -0.048116, 1.051998}}},
                                     0.06},
                                    {"deuteranopia",
                                     {{{0.367322, 0.860646, -0.227968},
                                       {0.280085, 0.672501, 0.047413},
                                       {-0.011820, 0.042940, 0.968881}}},
                                     0.06}}};

double distance(const Eye& eye, ImU32 a, ImU32 b) {
    const auto seen = [&](ImU32 color) {
        Vector light = times(eye.sees, linear(color));
        for (double& part : light) part = std::clamp(part, 0.0, 1.0);
        return oklab(light);
    };
    const Vector one = seen(a), other = seen(b);
    return std::hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}

struct Themed {
    const char* name;
    const Palette& colors;
};
std::array<Themed, 2> themes() { return {{{"dark", dark_palette()}, {"light", light_palette()}}}; }

TEST(Palette, heads_are_told_from_each_other_and_from_all_roles) {
    for (const auto& [theme, colors] : themes())
        for (const Eye& eye : kEyes)
            for (int h = 0; h < kHeadHues; ++h) {
                for (int other = 0; other < h; ++other)
                    EXPECT_GE(distance(eye, colors.head(h), colors.head(other)), eye.least)
                        << theme << ", " << eye.name << ": heads " << h + 1 << " and " << other + 1;
                for (const ImU32 role : colors.hues)
                    EXPECT_GE(distance(eye, colors.head(h), role), eye.least)
                        << theme << ", " << eye.name << ": head " << h + 1;
            }
}

// Brightness in their maps shows the value, so hues must also differ at half brightness.
TEST(Palette, queries_are_told_from_each_other_bright_and_dim) {
    const auto dimmed = [](ImU32 hue, float light) { return mix(IM_COL32_BLACK, hue, light); };
    for (const Eye& eye : kEyes)
        for (const float light : {1.0F, 0.75F, 0.5F})
            for (std::size_t q = 0; q < kQueryHues.size(); ++q)
                for (std::size_t other = 0; other < q; ++other)
                    EXPECT_GE(distance(eye, dimmed(kQueryHues[q], light),
                                       dimmed(kQueryHues[other], light)),
                              eye.least)
                        << eye.name << ", " << light << ": queries " << q + 1 << " and "
                        << other + 1;
    for (const ImU32 hue : kQueryHues) EXPECT_GE(contrast(hue, IM_COL32_BLACK), 3);
    EXPECT_EQ(kQueryHues[0], dark_palette().accent);
}

TEST(Mosaic, has_the_hue_of_which_as_bright_as_the_value_stands_on_the_scale) {
    const ColorScale scale{.map = gl::ColorMap::magma, .low = 0, .high = 0.5F, .cut = true};
    const std::array<int, 6> which{0, 1, 1, -1, 0, 1};
    const std::array<float, 6> values{0.5F, 0.25F, 0, 0.1F, 0.6F, 0.125F};
    const std::array<ImU32, 2> hues{IM_COL32(255, 0, 100, 255), IM_COL32(0, 200, 40, 255)};
    const PhotoPicture found = mosaic(2, 3, which, values, hues, scale);
    ASSERT_EQ(found.height * 10 + found.width, 23);
    const auto pixel = [&](int i) {
        std::array<int, 3> rgb{};
        for (std::size_t c = 0; c < 3; ++c)
            rgb.at(c) = static_cast<int>(
                std::lround(found.pixels.get()[static_cast<std::size_t>(i) * 3 + c] * 255));
        return rgb;
    };
    using Rgb = std::array<int, 3>;
    EXPECT_EQ(pixel(0), (Rgb{255, 0, 100}));
    EXPECT_EQ(pixel(1), (Rgb{0, 100, 20}));
    EXPECT_EQ(pixel(2), (Rgb{0, 0, 0}));
    EXPECT_EQ(pixel(3), (Rgb{scale.nan.r, scale.nan.g, scale.nan.b}));
    EXPECT_NEAR(pixel(4)[0], 255, 1);  // above the clipping limit: half white
    EXPECT_NEAR(pixel(4)[1], 128, 1);
    EXPECT_EQ(pixel(5), (Rgb{0, 50, 10}));
}

TEST(Palette, heads_are_seen_on_what_they_are_drawn_on) {
    for (const auto& [theme, colors] : themes())
        for (int h = 0; h < kHeadHues; ++h)
            for (const ImU32 ground : {colors.background, colors.card})
                EXPECT_GE(contrast(colors.head(h), ground), 3) << theme << ", head " << h + 1;
}

struct Named {
    const char* name;
    ImU32 color;
};

TEST(Palette, every_ink_can_be_read_on_every_ground) {
    for (const auto& [theme, c] : themes()) {
        std::vector<Named> inks{{"text", c.text},     {"dim", c.dim}, {"faint", c.faint},
                                {"accent", c.accent}, {"ok", c.ok},   {"error", c.error}};
        for (const ImU32 hue : c.hues) inks.push_back({"of a role", hue});
        const Named grounds[] = {
            {"background", c.background}, {"bar", c.bar},
            {"panel", c.panel},           {"card", c.card},
            {"hover", c.hover},           {"lit row", mix(c.background, c.hover, 0.5F)}};
        for (const Named& ink : inks)
            for (const Named& ground : grounds)
                EXPECT_GE(contrast(ink.color, ground.color), 4.5)
                    << theme << ": " << ink.name << " on " << ground.name;
        const Named fills[] = {
            {"an accent button", c.accent},
            {"a hovered accent button", mix(c.accent, c.text, 0.15F)},
        };
        for (const Named& fill : fills)
            EXPECT_GE(contrast(c.on_accent, fill.color), 4.5) << theme << ": on " << fill.name;
        // Text is drawn over bars of these colors.
        for (const ImU32 bar : {c.hue(Hue::attention), c.hue(Hue::weight), c.error})
            EXPECT_GE(contrast(c.text, mix(c.background, bar, 0.35F)), 4.5) << theme;
    }
}

TEST(Palette, numbers_can_be_read_on_every_color_of_every_map) {
    for (int map = 0; map < gl::kColorMapCount; ++map)
        for (const gl::Rgb color : gl::table(static_cast<gl::ColorMap>(map)))
            EXPECT_GE(contrast(ink_on(color), IM_COL32(color.r, color.g, color.b, 255)), 4.5)
                << gl::name(static_cast<gl::ColorMap>(map));
}

}  // namespace
}  // namespace headlight::ui
