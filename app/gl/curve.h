#pragma once

namespace headlight::gl {

// How values between low and high are distributed over a color map.
enum class Curve { linear, square_root, logarithm };

// Position of a value between low (0) and high (1); may be outside [0, 1]. The same formula as in
// heatmap.frag. low < high. Square root: low >= 0, and negative values count as zero. Logarithm:
// low > 0, and smaller values count as low.
float place_on(Curve curve, float value, float low, float high);

}  // namespace headlight::gl
