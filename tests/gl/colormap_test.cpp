#include "gl/colormap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "gl_test.h"

namespace headlight::gl::colormap_test {
namespace {

constexpr ColorMap kAll[] = {ColorMap::viridis, ColorMap::magma,          ColorMap::cividis,
                             ColorMap::grey,    ColorMap::blue_white_red, ColorMap::purple_orange,
                             ColorMap::amber};

// CIE lightness L*, 0 (black) to 100 (white).
double lightness(Rgb color) {
    const auto linear = [](std::uint8_t byte) {
        const double v = byte / 255.0;
        return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    const double y = 0.2126 * linear(color.r) + 0.7152 * linear(color.g) + 0.0722 * linear(color.b);
    return y > 216.0 / 24389.0 ? 116 * std::cbrt(y) - 16 : y * 24389.0 / 27.0;
}

TEST(ColorMap, has_distinct_names) {
    static_assert(std::size(kAll) == kColorMapCount);
    std::set<std::string_view> names;
    for (const ColorMap map : kAll) {
        names.insert(name(map));
    }
    EXPECT_EQ(names.size(), std::size(kAll));
    EXPECT_EQ(name(ColorMap::viridis), "viridis");
    EXPECT_EQ(name(ColorMap::blue_white_red), "blue-white-red");
    EXPECT_EQ(name(ColorMap::purple_orange), "purple-orange");
}

// matplotlib 3.6: matplotlib.colors.to_hex(matplotlib.colormaps["viridis"](i)) and so on.
TEST(ColorMap, equals_the_published_tables) {
    EXPECT_EQ(table(ColorMap::viridis)[0], (Rgb{0x44, 0x01, 0x54}));
    EXPECT_EQ(table(ColorMap::viridis)[128], (Rgb{0x21, 0x91, 0x8c}));
    EXPECT_EQ(table(ColorMap::viridis)[255], (Rgb{0xfd, 0xe7, 0x25}));
    EXPECT_EQ(table(ColorMap::magma)[0], (Rgb{0x00, 0x00, 0x04}));
    EXPECT_EQ(table(ColorMap::magma)[128], (Rgb{0xb7, 0x37, 0x79}));
    EXPECT_EQ(table(ColorMap::magma)[255], (Rgb{0xfc, 0xfd, 0xbf}));
    EXPECT_EQ(table(ColorMap::cividis)[0], (Rgb{0x00, 0x22, 0x4e}));
    EXPECT_EQ(table(ColorMap::cividis)[128], (Rgb{0x7d, 0x7c, 0x78}));
    EXPECT_EQ(table(ColorMap::cividis)[255], (Rgb{0xfe, 0xe8, 0x38}));
    EXPECT_EQ(table(ColorMap::grey)[93], (Rgb{93, 93, 93}));
}

TEST(ColorMap, sequential_maps_grow_lighter) {
    for (const ColorMap map : kAll) {
        if (is_diverging(map)) {
            continue;
        }
        const auto colors = table(map);
        for (std::size_t i = 1; i < colors.size(); ++i) {
            // Bytes are coarse: a step may round down slightly, but never visibly.
            EXPECT_GT(lightness(colors[i]), lightness(colors[i - 1]) - 0.2)
                << name(map) << " " << i;
        }
        for (std::size_t i = 8; i < colors.size(); ++i) {
            EXPECT_GT(lightness(colors[i]), lightness(colors[i - 8])) << name(map) << " " << i;
        }
    }
}

TEST(ColorMap, diverging_maps_are_symmetric_in_lightness) {
    for (const ColorMap map : {ColorMap::blue_white_red, ColorMap::purple_orange}) {
        ASSERT_TRUE(is_diverging(map));
        const auto colors = table(map);
        for (std::size_t i = 0; i < 128; ++i) {
            EXPECT_NEAR(lightness(colors[i]), lightness(colors[255 - i]), 0.6)
                << name(map) << " " << i;
            EXPECT_GE(lightness(colors[i + 1]), lightness(colors[i]) - 0.3)
                << name(map) << " " << i;
        }
        // Zero is neutral and nearly white on both sides of the middle.
        EXPECT_EQ(colors[127], colors[128]);
        EXPECT_EQ(colors[127], (Rgb{0xf7, 0xf7, 0xf7}));
    }
}

TEST(ColorMap, low_is_blue_or_purple_and_high_is_red_or_orange) {
    const auto blue_red = table(ColorMap::blue_white_red);
    EXPECT_GT(blue_red[40].b, blue_red[40].r + 60);
    EXPECT_GT(blue_red[215].r, blue_red[215].b + 60);
    const auto purple_orange = table(ColorMap::purple_orange);
    EXPECT_GT(purple_orange[40].b, purple_orange[40].g + 60);
    EXPECT_GT(purple_orange[215].r, purple_orange[215].b + 60);
}

TEST(ColorMap, samples_the_nearest_color) {
    const auto colors = table(ColorMap::viridis);
    for (int i = 0; i < 256; ++i) {
        for (const float offset : {-0.49F, 0.0F, 0.49F}) {
            const float t = (static_cast<float>(i) + offset) / 255.0F;
            EXPECT_EQ(sample(ColorMap::viridis, t), colors[i]) << t;
        }
    }
    constexpr float infinity = std::numeric_limits<float>::infinity();
    EXPECT_EQ(sample(ColorMap::viridis, -3.0F), colors.front());
    EXPECT_EQ(sample(ColorMap::viridis, -infinity), colors.front());
    EXPECT_EQ(sample(ColorMap::viridis, 1.0F), colors.back());
    EXPECT_EQ(sample(ColorMap::viridis, infinity), colors.back());
    EXPECT_EQ(sample(ColorMap::viridis, std::nanf("")), colors.front());
}

}  // namespace
}  // namespace headlight::gl::colormap_test
