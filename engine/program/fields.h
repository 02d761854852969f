#pragma once

#include "program/field.h"
#include "program/recipe.h"

namespace headlight {

inline constexpr int kMostHeads = 64;  // largest number of heads that can be set for a bare layer

using RecipeField = FieldOf<Recipe>;

// All settings of a recipe, except `reading`, which is internal. The order matters. A field comes
// before the fields that it also sets: image_size before image_height and image_width, and
// patch_size before stride, which equals it by default. `image` comes before the scene that
// replaces it, and `weights` before the settings of its model.
const std::vector<RecipeField>& recipe_fields();

}  // namespace headlight
