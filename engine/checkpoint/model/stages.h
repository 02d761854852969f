#pragma once

#include <string>

#include "model/model.h"

namespace headlight {

// The stages of a model that merges: "layers 1 to 2 with 3 heads, layers 3 to 4 with 6, each over a
// quarter of the tokens of those before".
std::string stages_text(const Model& model);

}  // namespace headlight
