#pragma once

#include <memory>

#include "model/model.h"
#include "program/recipe.h"

namespace headlight {

// The layers that a recipe without a file asks for, each as wide as the one before it gives,
// without weights: they are drawn when the layers are computed.
std::shared_ptr<const Model> layers_to_be_drawn(const Recipe& recipe);

}  // namespace headlight
