#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/model.h"

namespace headlight {

// How the tokens of attention maps lie, who says so, and what else would fit. Without a picture what
// a square would be, or that the picture decides.
std::vector<ModelFact> map_facts(const Model& maps, const std::optional<PictureSize>& picture);

// Where several grids fit the picture: which one was chosen, what else would fit, and how to choose
// it on the command line. Empty where there is nothing to choose.
std::string layout_choice(const Model& maps, const PictureSize& picture);

}  // namespace headlight
