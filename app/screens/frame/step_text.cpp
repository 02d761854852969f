#include "frame/step_text.h"

#include "frame/head_switch.h"

namespace headlight::screens {

namespace {

// The text for a switched-off head instead of the usual one.
const std::string& for_head(const Frame& frame, const std::string& usual, const std::string& off) {
    return off.empty() || !is_switched_off(frame.trace, frame.head) ? usual : off;
}

}  // namespace

float equation_height(const ui::Context& ui) { return ui.fonts().pixels(ui::Size::large) * 1.7F; }

std::string equation_of(const Frame& frame) {
    std::string text = for_head(frame, frame.node().equation, frame.node().equation_off);
    const std::string head = std::to_string(frame.head + 1);
    for (auto at = text.find('#'); at != std::string::npos; at = text.find('#', at + head.size()))
        text.replace(at, 1, head);
    return text;
}

std::string pytorch_of(const Frame& frame) {
    return for_head(frame, frame.node().pytorch, frame.node().pytorch_off);
}

std::string meaning_of(const Frame& frame, const Node& node) {
    return for_head(frame, node.meaning, node.meaning_off);
}

}  // namespace headlight::screens
