#pragma once

#include "analysis/magnitudes.h"
#include "state/state.h"
#include "ui/heatmap_view.h"

namespace headlight::screens {

gl::ColorMap map_named(const std::string& name, gl::ColorMap otherwise);

// The color scale for attention with the current settings. `sizes`: of all cells that share the
// scale.
// `keys`: number of key tokens, so that uniform attention is 1 / keys.
//
// - linear, square root: from zero to the largest cell.
// - logarithm: from the value that 98 of 100 cells exceed, but at least a hundredth of 1 / keys. It
//   spans at least a factor of ten, so that nearly equal cells look nearly alike.
// - times even: from zero to 8×, where 1× is 1 / keys. If each matrix has its own range, it ends at
//   the largest cell. Uniform attention looks uniform and dark.
//
// With clipping, the largest cells are above the end of the scale, and are marked.
ui::ColorScale attention_scale(const Look& look, const Magnitudes& sizes, Index keys);

// A diverging scale for values from low to high, with zero in the middle.
ui::ColorScale signed_scale(const Look& look, float low, float high);

}  // namespace headlight::screens
