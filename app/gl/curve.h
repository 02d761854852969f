#pragma once

namespace headlight::gl {

// How numbers between two ends are spread over a color map.
enum class Curve { linear, square_root, logarithm };

// Where a number lies on its way from low to high: 0 at low, 1 at high, less and more beyond them.
// The shader's own formula (heatmap.frag). low < high; square root: low >= 0, and what is below
// zero counts as zero; logarithm: low > 0, and what is below low counts as low.
float place_on(Curve curve, float value, float low, float high);

}  // namespace headlight::gl
