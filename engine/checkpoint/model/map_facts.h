#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/model.h"

namespace headlight {

// Facts about how the tokens of attention maps are arranged, where that comes from, and what else
// would fit. Without a picture, the facts describe a square grid, or say that the picture decides.
std::vector<ModelFact> map_facts(const Model& maps, const std::optional<PictureSize>& picture);

// If several grids fit the picture: the chosen one, the others, and how to choose on the command
// line. Empty if there is no choice.
std::string layout_choice(const Model& maps, const PictureSize& picture);

}  // namespace headlight
