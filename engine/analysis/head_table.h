#pragma once

#include "analysis/number_table.h"
#include "analysis/summary.h"

namespace headlight {

// The name of a layer in tables, suitable for sorting and joining: "3" for "Layer 3". T2T's token
// transformers, which are numbered separately, keep their names: "T2T 1".
std::string layer_in_tables(const Layer& layer);
// The name of a step of the residual stream in tables: "0" before the first layer, else the number
// of the layer just before. `step` counts from 0.
std::string stream_in_tables(const Model& model, int step);

// The numbers of all heads, one row each, named "3", "1" for layer and head. NaN for measures that
// the model and the layout of its last layer do not have.
NumberTable table_of_heads(const Summary& summary, const Model& model, const TokenLayout& layout);

}  // namespace headlight
