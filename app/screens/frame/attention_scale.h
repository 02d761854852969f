#pragma once

#include "analysis/magnitudes.h"
#include "state/state.h"
#include "ui/heatmap_view.h"

namespace headlight::screens {

gl::ColorMap map_named(const std::string& name, gl::ColorMap otherwise);

// How attention becomes colors, as the person has chosen it. `sizes`: of all cells that share the
// scale; `keys`: how many tokens there are, so that uniform attention is 1 / keys.
//   linear, square root: from zero to the largest cell.
//   logarithm: from what 98 of 100 cells exceed, but from no less than a hundredth of 1 / keys,
//   which
//     is as good as nothing, and over a decade at least, so that near equals look nearly alike.
//   times even: from zero past 1 / keys, which is 1×, to 8×, or, where each matrix has its own
//     range, to its largest cell. Uniform attention looks uniform, and dark.
// With a cut the largest cells are beyond the scale's end, and marked where there are any.
ui::ColorScale attention_scale(const Look& look, const Magnitudes& sizes, Index keys);

// Of numbers from low to high, on both sides of zero, which is in the middle.
ui::ColorScale signed_scale(const Look& look, float low, float high);

}  // namespace headlight::screens
