#pragma once

#include <string>

#include "frame/frame.h"

// What the maps are computed from, in memory.
namespace headlight::screens {

// "Queries and keys of 4 layers are kept for the maps: 0.6 of at most 320 MiB."
std::string kept_words(const Frame& frame);
// One sentence where layers have no maps, as theirs would take more; "": all have.
std::string left_out_words(const Frame& frame);

}  // namespace headlight::screens
