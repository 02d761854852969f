#include "encoder/recipe.h"

namespace headlight {

std::optional<Step> first_changed_step(const Recipe& a, const Recipe& b) {
    // From the first step to the last; the first difference decides.
    if (a.image != b.image || a.image_height != b.image_height || a.image_width != b.image_width ||
        a.framing != b.framing || a.grey != b.grey)
        return Step::image;
    if (a.mean != b.mean || a.std != b.std || !(a.patches == b.patches)) return Step::patches;
    if (a.position != b.position) return Step::position;
    if (a.channels != b.channels || a.qkv_bias != b.qkv_bias || a.seed != b.seed ||
        a.weights != b.weights)
        return Step::qkv;
    if (a.heads != b.heads) return Step::heads;
    if (a.scale != b.scale || a.temperature != b.temperature) return Step::scale;
    if (a.skip != b.skip) return Step::skip;
    return std::nullopt;
}

}  // namespace headlight
