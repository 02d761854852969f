#pragma once

#include "analysis/number_table.h"
#include "analysis/summary.h"

namespace headlight {

// The numbers of all heads, a row for each: "Layer 3", "1".
NumberTable table_of_heads(const Summary& summary, const Model& model);

}  // namespace headlight
