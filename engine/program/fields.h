#pragma once

#include "program/field.h"
#include "program/recipe.h"

namespace headlight {

inline constexpr int kMostHeads = 64;  // of a bare layer, that a person can ask for

using RecipeField = FieldOf<Recipe>;

// Everything that a recipe says, but `reading`, which nobody chooses. In this order: a field stands
// before those that it sets too, as image_size before image_height and image_width, patch_size
// before stride, which follows it while patches touch, `image` before the scene that is shown
// instead, and `weights` before what is said of its model.
const std::vector<RecipeField>& recipe_fields();

}  // namespace headlight
