#include "views/step_text.h"

#include "views/head_switch.h"

namespace headlight::views {

namespace {

// What the node says instead where this head is switched off.
const std::string& for_head(const Scene& scene, const std::string& usual, const std::string& off) {
    return off.empty() || !is_switched_off(scene.trace, scene.head) ? usual : off;
}

}  // namespace

std::string equation_of(const Scene& scene) {
    std::string text = for_head(scene, scene.node().equation, scene.node().equation_off);
    const std::string head = std::to_string(scene.head + 1);
    for (auto at = text.find('#'); at != std::string::npos; at = text.find('#', at + head.size()))
        text.replace(at, 1, head);
    return text;
}

std::string pytorch_of(const Scene& scene) {
    return for_head(scene, scene.node().pytorch, scene.node().pytorch_off);
}

std::string meaning_of(const Scene& scene, const Node& node) {
    return for_head(scene, node.meaning, node.meaning_off);
}

}  // namespace headlight::views
