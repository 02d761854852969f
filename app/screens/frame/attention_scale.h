#pragma once

#include "analysis/magnitudes.h"
#include "state/state.h"
#include "ui/heatmap_view.h"

namespace headlight::screens {

gl::ColorMap map_named(const std::string& name, gl::ColorMap otherwise);

// The colors of attention with the present settings. `sizes`: of all cells that share the scale.
// `keys`: how many tokens there are, so that uniform attention is 1 / keys.
//
// - linear, square root: from zero to the largest cell.
// - logarithm: from the value that 98 of 100 cells exceed, but not from below a hundredth of
//   1 / keys. It spans at least a factor of ten, so that nearly equal cells look nearly alike.
// - times even: from zero to 8×, where 1× is 1 / keys. If each matrix has its own range, it ends
//   at the largest cell. Uniform attention looks uniform, and dark.
//
// With a cut the largest cells lie beyond the end of the scale, and are marked.
ui::ColorScale attention_scale(const Look& look, const Magnitudes& sizes, Index keys);

// Of numbers from low to high, on both sides of zero, which is in the middle.
ui::ColorScale signed_scale(const Look& look, float low, float high);

}  // namespace headlight::screens
