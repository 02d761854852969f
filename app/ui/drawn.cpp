#include "ui/drawn.h"

#include <algorithm>
#include <utility>

namespace headlight::ui {

void Recording::add(const ImDrawList& list, Drawn what) {
    const ImVec2 min = list.GetClipRectMin(), max = list.GetClipRectMax();
    items_.push_back({std::move(what), {min.x, min.y, max.x - min.x, max.y - min.y}, &list});
}

// A child window is painted after all of its parent, whenever it was drawn.
void Recording::order(const ImDrawData& frame) {
    const auto place = [&](const Item& item) {
        int at = 0;
        while (at < frame.CmdListsCount && frame.CmdLists[at] != item.list) ++at;
        return at;
    };
    std::ranges::stable_sort(items_, {}, place);
}

std::vector<DrawnText> Recording::texts(const Rect& where) const {
    std::vector<DrawnText> found;
    for (const Item& item : items_) {
        const auto* text = std::get_if<DrawnText>(&item.what);
        if (text == nullptr) continue;
        const ImVec2 middle = text->rect().center();
        if (where.contains(middle) && item.clip.contains(middle)) found.push_back(*text);
    }
    return found;
}

}  // namespace headlight::ui
