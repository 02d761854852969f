#include "program/recipe.h"

#include <algorithm>

namespace headlight {

Preprocessing preprocessing_of(const Recipe& recipe, const Model& model) {
    Preprocessing how = model.preprocessing;
    if (recipe.framing && *recipe.framing != how.framing) {
        how.framing = *recipe.framing;
        how.resize.reset();
        how.limit.reset();
        how.keeps_size = false;
    }
    if (recipe.image_height || recipe.image_width)
        how = with_frame(how, recipe.image_height.value_or(how.height),
                         recipe.image_width.value_or(how.width));
    how.alpha = recipe.alpha.value_or(how.alpha);
    how.mean = recipe.mean.value_or(how.mean);
    how.std = recipe.std.value_or(how.std);
    return how;
}

bool is_grey(const Recipe& recipe, const Model& model) {
    const bool own = model.image_channels == 1;
    return model.is_bare_layer() ? recipe.grey.value_or(own) : own;
}

PatchSettings patches_of(const Recipe& recipe, const Model& model) {
    if (!model.is_bare_layer()) return {model.patch_size, model.patch_size, Ragged::crop};
    // A width that is no square patch tells nothing about the size; the layer reports it when it
    // starts.
    const int own = model.patch_size > 0 ? model.patch_size : PatchSettings{}.size;
    const int size = recipe.patches.size.value_or(own);
    return {size, recipe.patches.stride.value_or(size), recipe.patches.ragged};
}

int token_numbers(const Recipe& recipe, const Model& model) {
    if (gives_tokens(recipe.tokens)) return token_width(recipe.tokens);
    constexpr double kMost = 1 << 30;
    const double size = patches_of(recipe, model).size;
    return static_cast<int>(std::min(size * size * (is_grey(recipe, model) ? 1 : 3), kMost));
}

}  // namespace headlight
