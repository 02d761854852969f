#pragma once

#include <string>

#include "analysis/summary.h"

// What the maps are computed from, in memory.
namespace headlight::screens {

// "Of 4 layers the queries and keys are kept, …: 0.6 of at most 320 MiB."
std::string kept_words(const KeptLayers& kept);
// One sentence where layers have no maps, as theirs would take more; "": all have.
std::string left_out_words(const Model& model, const KeptLayers& kept);

}  // namespace headlight::screens
