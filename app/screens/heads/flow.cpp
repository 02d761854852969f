#include "heads/flow.h"

#include <algorithm>

namespace headlight::screens {

namespace {

float width_of(Frame& frame, const std::vector<std::string_view>& labels) {
    float width = 0;
    for (const auto label : labels) width += ui::Canvas(frame.ui).measure(label, {}) + frame.px(24);
    return width;
}

}  // namespace

int buttons(Frame& frame, ui::Flow& flow, const std::string& name,
            const std::vector<std::string_view>& labels, int selected, std::string_view tip) {
    const ui::Rect place = flow.take(width_of(frame, labels));
    if (!tip.empty() && place.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        frame.ui.tooltip(std::string(tip));
    return ui::segmented(frame.ui, name, place, labels, selected);
}

int drop_down(Frame& frame, ui::Flow& flow, const DropDown& list) {
    const auto now = static_cast<std::size_t>(std::max(0, list.selected));
    const std::string_view label = list.words.empty() ? list.options.at(now) : list.words.at(now);
    const ui::Rect place = flow.take(width_of(frame, {label}) + frame.px(16));
    if (!list.tip.empty() && place.contains(ImGui::GetIO().MousePos))
        frame.ui.tooltip(std::string(list.tip));
    return ui::choice(frame.ui, list.name, place, list.options, list.selected, list.words);
}

}  // namespace headlight::screens
