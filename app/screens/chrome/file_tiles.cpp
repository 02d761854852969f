#include <algorithm>
#include <functional>

#include "chrome/file_browsing.h"

namespace headlight::screens {

using ui::Rect;

namespace {

// Arrow keys select a tile. True if the selection changed.
bool take_arrows(const Browsing& b, const FileGrid& grid) {
    if (b.browser.typing || grid.count() == 0) return false;
    const int before = b.browser.selected;
    const auto step = [&](ImGuiKey less, ImGuiKey more) {
        return (b.ui.key_pressed(more) ? 1 : 0) - (b.ui.key_pressed(less) ? 1 : 0);
    };
    const int right = step(ImGuiKey_LeftArrow, ImGuiKey_RightArrow),
              down = step(ImGuiKey_UpArrow, ImGuiKey_DownArrow);
    if (right == 0 && down == 0) return false;
    b.browser.selected = before < 0 ? 0 : grid.beside(before, right, down);
    return b.browser.selected != before;
}

// The minimal scrolling that brings the tile into view.
float scroll_to(const Rect& tile, float scroll, float height) {
    return std::max(std::min(scroll, tile.y), tile.y + tile.h - height);
}

}  // namespace

float tiles_width(const Browsing& b, const Rect& rect) {
    return rect.w - ImGui::GetStyle().ScrollbarSize - b.px(6);
}

std::optional<int> scroll_tiles(const Browsing& b, const Rect& rect, const FileGrid& grid,
                                const DrawTile& draw) {
    begin_scrolling("files.grid", rect);
    if (b.browser.to_top) ImGui::SetScrollY(0);
    float scroll = b.browser.to_top ? 0 : ImGui::GetScrollY();
    if (b.browser.to_top) b.browser.selected = -1;
    b.browser.to_top = false;
    b.browser.selected = std::min(b.browser.selected, grid.count() - 1);
    if (take_arrows(b, grid)) {
        scroll = scroll_to(grid.tile(b.browser.selected), scroll, rect.h);
        ImGui::SetScrollY(scroll);
    }
    const int end = std::min(grid.count(), grid.row_start(scroll + rect.h) + grid.cols);
    std::optional<int> chosen;
    for (int i = end - 1; i >= grid.row_start(scroll); --i) {
        Rect tile = grid.tile(i);
        tile.x += rect.x;
        tile.y += rect.y - scroll;
        const bool selected = i == b.browser.selected;
        ImGui::PushID(i);  // "###" in a file name has a meaning in ImGui
        if (draw(i, tile, selected)) chosen = i;
        ImGui::PopID();
        if (selected && !b.browser.typing && b.ui.key_pressed(ImGuiKey_Enter)) chosen = i;
    }
    end_scrolling(grid.height());
    return chosen;
}

}  // namespace headlight::screens
