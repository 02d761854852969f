#include "ui/contours.h"

#include <algorithm>
#include <utility>

namespace headlight::ui {

namespace {

constexpr std::size_t kMostLevels = 5;
constexpr ImU32 kInk = IM_COL32(255, 255, 255, 235), kHalo = IM_COL32(0, 0, 0, 120);

}  // namespace

std::vector<float> contour_levels(const ColorScale& scale) {
    std::vector<float> levels = tick_values(scale);
    // The most useful ones come first.
    if (levels.size() > kMostLevels) levels.resize(kMostLevels);
    std::ranges::sort(levels);
    return levels;
}

std::string contour_words(const ColorScale& scale) {
    const std::vector<float> levels = contour_levels(scale);
    std::string words;
    for (std::size_t i = 0; i < levels.size(); ++i)
        words += (i == 0 ? "" : i + 1 == levels.size() ? " and " : ", ") + scale.text(levels[i]);
    return words.empty() ? "no lines" : "lines at " + words;
}

bool has_room_for_contours(const Context& ui, float pixels_of_a_cell) {
    return pixels_of_a_cell >= ui.px(kLeastContourCell);
}

void draw_contours(Context& ui, const Rect& rect, const gl::CellWindow& window,
                   const Contours& lines) {
    const float wide = rect.w / window.cols, tall = rect.h / window.rows;
    if (!has_room_for_contours(ui, std::min(wide, tall))) return;
    Canvas canvas(ui);
    const auto clip = canvas.clip(rect);
    const float thick = ui.px(std::min(wide, tall) < ui.px(12) ? 1.0F : 1.5F);
    std::vector<std::vector<ImVec2>> placed;
    for (const Contour& line : lines) {
        std::vector<ImVec2>& points = placed.emplace_back();
        for (const ImVec2& at : line.corners)
            points.push_back(
                {rect.x + (at.x - window.col) * wide, rect.y + (at.y - window.row) * tall});
    }
    for (const auto& [color, width] : {std::pair{kHalo, thick * 2.5F}, std::pair{kInk, thick}})
        for (std::size_t i = 0; i < lines.size(); ++i)
            canvas.path(placed[i], color, width, lines[i].closed);
}

}  // namespace headlight::ui
