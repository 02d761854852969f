#pragma once

#include <string>

#include "analysis/summary.h"

// Texts about the queries and keys kept in memory for the maps.
namespace headlight::screens {

// "The queries and keys of 4 layers are in memory and take 0.6 MiB of at most 320 MiB. …"
std::string kept_words(const KeptLayers& kept);
// One sentence if some layers have no maps because they would need too much memory; "" otherwise.
std::string left_out_words(const Model& model, const KeptLayers& kept);

}  // namespace headlight::screens
