#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <glm/vec3.hpp>

namespace headlight::gl {

enum class ColorMap { viridis, magma, cividis, grey, blue_white_red, purple_orange, amber };
inline constexpr int kColorMapCount = 7;

using Rgb = glm::u8vec3;

// "viridis", ..., "blue-white-red", "purple-orange", "amber"
std::string_view name(ColorMap map);
bool is_diverging(ColorMap map);

// The 256 colors from low to high. Sources in colormap.cpp.
std::span<const Rgb, 256> table(ColorMap map);

// For numbers beyond a map's end: a color that is none of the map's, nor NaN's or infinity's.
Rgb clipped_color(ColorMap map);

// Of what lies in [0, 1] (beyond: the nearer end; NaN: 0) the nearest of 256 steps.
std::uint8_t to_byte(float value);

// The table's color at t in [0, 1], as the shader samples it: nearest of the 256.
Rgb sample(ColorMap map, float t);

}  // namespace headlight::gl
