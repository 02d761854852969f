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

std::optional<Step> first_changed_step(const Recipe& a, const Recipe& b) {
    // A model brings its own way of preparing pictures.
    if (a.weights != b.weights || !(a.model == b.model))
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
