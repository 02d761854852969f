#pragma once

#include <string>

#include "analysis/summary.h"

// Texts about the queries and keys kept in memory for the maps.
namespace headlight::screens {

// "Of 4 layers the queries and keys are kept, …: 0.6 of at most 320 MiB."
std::string kept_words(const KeptLayers& kept);
// One sentence if some layers have no maps because they would need too much memory; "" otherwise.
std::string left_out_words(const Model& model, const KeptLayers& kept);

}  // namespace headlight::screens
