#pragma once

#include <optional>
#include <vector>

#include "model/model.h"

namespace headlight {

// How the tokens of attention maps lie, who says so, and what else would fit. Without a picture what
// a square would be, or that the picture decides.
std::vector<ModelFact> map_facts(const Model& maps, const std::optional<PictureSize>& picture);

}  // namespace headlight
