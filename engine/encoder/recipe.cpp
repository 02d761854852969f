#include "encoder/recipe.h"

namespace headlight {

Preprocessing preprocessing_of(const Recipe& recipe, const Model& model) {
    Preprocessing how = model.preprocessing;
    const bool own_size = recipe.image_height || recipe.image_width || recipe.framing;
    if (own_size) how.resize.reset();
    how.height = recipe.image_height.value_or(how.height);
    how.width = recipe.image_width.value_or(how.width);
    how.framing = recipe.framing.value_or(how.framing);
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
    // A width that is no square of pixels tells nothing; it is said when the layer is entered.
    const int own = model.patch_size > 0 ? model.patch_size : PatchSettings{}.size;
    const int size = recipe.patches.size.value_or(own);
    return {size, recipe.patches.stride.value_or(size), recipe.patches.ragged};
}

std::optional<Step> first_changed_step(const Recipe& a, const Recipe& b) {
    // A model brings its own way of preparing pictures.
    if (a.weights != b.weights || a.reading != b.reading || !(a.model == b.model))
        if (!a.weights.empty() || !b.weights.empty()) return Step::image;
    // From the first step to the last; the first difference decides.
    if (a.image != b.image || a.scene != b.scene || a.image_height != b.image_height ||
        a.image_width != b.image_width || a.framing != b.framing || a.grey != b.grey)
        return Step::image;
    if (a.mean != b.mean || a.std != b.std || !(a.patches == b.patches)) return Step::patches;
    if (a.position != b.position) return Step::position;
    if (a.layer != b.layer || a.rollout != b.rollout) return Step::norm1;
    if (a.channels != b.channels || a.qkv_bias != b.qkv_bias || a.seed != b.seed) return Step::qkv;
    if (a.heads != b.heads) return Step::heads;
    if (a.scale != b.scale || a.temperature != b.temperature) return Step::scale;
    if (a.switched_off != b.switched_off) return Step::mix;
    if (a.skip != b.skip) return Step::skip;
    return std::nullopt;
}

bool same_but_layer(const Recipe& a, const Recipe& b) {
    Recipe moved = a;
    moved.layer = b.layer;
    return moved == b;
}

}  // namespace headlight
