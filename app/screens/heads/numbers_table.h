#pragma once

#include "analysis/number_table.h"
#include "heads/view.h"

// The numbers of all heads as a table for export, one row per head.
namespace headlight::screens {

// Includes all measures computed so far. `view`: null if there are no maps.
NumberTable table_of_all_heads(const Frame& frame, const HeadsView* view);

// Columns: now, before and difference; correlation and total variation between the two maps of the
// query. NaN if one result has no such head. Needs both results.
NumberTable table_of_both_results(const Frame& frame, const HeadsView& view);

}  // namespace headlight::screens
