#pragma once

#include "program/recipe.h"

namespace headlight {

// A small layer under a mask: 25 patches in 5 rows, 3 heads.
inline Recipe recipe_with(const MaskRules& mask) {
    Recipe recipe;
    recipe.image = "picture";
    recipe.image_height = recipe.image_width = 40;
    recipe.patches.size = 8;
    recipe.channels = 12;
    recipe.heads = 3;
    recipe.mask = mask;
    return recipe;
}

}  // namespace headlight
