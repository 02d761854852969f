#pragma once

#include "analysis/number_table.h"
#include "heads/view.h"

// The numbers of all heads, a row for each, as they leave the program.
namespace headlight::screens {

// With what was measured of them. `view`: null where there are no maps.
NumberTable table_of_all_heads(const Frame& frame, const HeadsView* view);

// Now, before, and the one less the other; correlation and total variation of the two maps of the
// query. NaN where one of the results has no such head. Where both results are there.
NumberTable table_of_both_results(const Frame& frame, const HeadsView& view);

}  // namespace headlight::screens
