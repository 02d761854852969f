#pragma once

#include "analysis/number_table.h"
#include "analysis/summary.h"

namespace headlight {

// What tables call a layer, so that they can be sorted and joined by it: "3" of "Layer 3". T2T's
// token transformers, which have numbers of their own, keep their names: "T2T 1".
std::string layer_in_tables(const Layer& layer);
// Of a table about the stream: "0" before the first layer, then the number of the layer left last.
// `step`: of the stream, from 0.
std::string stream_in_tables(const Model& model, int step);

// The numbers of all heads, a row for each: "3", "1".
NumberTable table_of_heads(const Summary& summary, const Model& model);

}  // namespace headlight
