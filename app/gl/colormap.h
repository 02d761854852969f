#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <glm/vec3.hpp>

namespace headlight::gl {

enum class ColorMap { viridis, magma, cividis, grey, blue_white_red, purple_orange, amber };
inline constexpr int kColorMapCount = static_cast<int>(ColorMap::amber) + 1;

using Rgb = glm::u8vec3;

// "viridis", ..., "blue-white-red", "purple-orange", "amber"
std::string_view name(ColorMap map);
bool is_diverging(ColorMap map);

// The 256 colors from low to high; colormap.cpp names the sources.
std::span<const Rgb, 256> table(ColorMap map);

// The color of clipped values: not in the map, and different from those of NaN and infinity.
Rgb clipped_color(ColorMap map);

// Maps [0, 1] to the nearest of 256 steps; clamps values outside, and NaN gives 0.
std::uint8_t to_byte(float value);

// The table's color at t in [0, 1]: the nearest of the 256, as the shader samples it.
Rgb sample(ColorMap map, float t);

// How values between low and high are distributed over a color map.
enum class Curve { linear, square_root, logarithm };

// Position of a value between low (0) and high (1); may be outside [0, 1]. The same formula as in
// heatmap.frag. low < high. Square root: low >= 0, and negative values count as zero. Logarithm:
// low > 0, and smaller values count as low.
float place_on(Curve curve, float value, float low, float high);

}  // namespace headlight::gl
