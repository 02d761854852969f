#pragma once

#include "analysis/magnitudes.h"
#include "state/state.h"
#include "ui/heatmap_view.h"

namespace headlight::screens {

gl::ColorMap map_named(const std::string& name, gl::ColorMap otherwise);

// How attention becomes colours, as the person has chosen it. `sizes`: of all cells that share the
// scale; `keys`: how many tokens there are, so that 1 / keys is a look at all alike. `most_keys`:
// of maps of other tokens that share the scale the most of them, so that one colour is one
// multiple.
//   linear, square root: from zero to the largest cell.
//   logarithm: from what 98 of 100 cells exceed, but from no less than a hundredth of 1 / keys,
//   which
//     is as good as nothing, and over a decade at least, so that near equals look nearly alike.
//   times even: 1 / keys in the middle of a diverging map, as many times more above as less below.
// With a cut the largest cells are beyond the scale's end, and marked where there are any.
ui::ColorScale attention_scale(const Look& look, const Magnitudes& sizes, Index keys,
                               Index most_keys = 0);

// Of numbers from low to high, on both sides of zero, which is in the middle.
ui::ColorScale signed_scale(const Look& look, float low, float high);

}  // namespace headlight::screens
