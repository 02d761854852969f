#include "figure/map_sheet.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/color_bar.h"

namespace headlight::figure {

namespace {

constexpr float kMargin = 16, kGap = 6, kBarWidth = 360;

ui::TextStyle names() { return {.size = ui::Size::small}; }

struct Layout {
    float margin = 0, gap = 0;
    float caption = 0, columns = 0, rows = 0, bar = 0;  // what is taken by words, and by the bar
    ImVec2 tile{};
    float column = 0;  // as wide as a picture, or as its name
    ImVec2 size{};
};

Layout layout_of(ui::Context& ui, const MapSheet& sheet) {
    ui::Canvas canvas(ui);
    Layout l;
    l.margin = ui.px(kMargin);
    l.gap = ui.px(kGap);
    const float side = ui.px(sheet.tile), wide = static_cast<float>(sheet.picture.width),
                tall = static_cast<float>(sheet.picture.height), longer = std::max(wide, tall);
    l.tile = {std::round(side * wide / longer), std::round(side * tall / longer)};
    l.columns = ui.line(ui::Size::small) + l.gap;
    l.column = l.tile.x;
    for (const std::string& column : sheet.columns)
        l.column = std::max(l.column, std::ceil(canvas.measure(column, names())) + 1);
    for (const std::string& row : sheet.rows)
        l.rows = std::max(l.rows, canvas.measure(row, names()) + l.gap * 2);
    const auto across = static_cast<float>(sheet.columns.size()),
               down = static_cast<float>(sheet.rows.size());
    const float maps = across * (l.column + l.gap) - l.gap;
    // The caption takes as many lines as it needs above its maps.
    const float width = std::max(l.rows + maps, ui.px(kBarWidth) / 2);
    if (!sheet.caption.empty())
        l.caption =
            canvas.measure_wrapped(sheet.caption, {.size = ui::Size::body}, width).y + l.gap * 2;
    l.bar = ui::color_bar_height(ui) + l.gap * 2;
    if (!sheet.scale_label.empty()) l.bar += ui.line(ui::Size::small);
    l.size = {std::ceil(width + l.margin * 2),
              std::ceil(l.caption + l.columns + down * (l.tile.y + l.gap) + l.bar + l.margin * 2)};
    return l;
}

// From the picture's pixels to where it is drawn.
ui::Rect on(const ui::Rect& tile, const MapSheet& sheet, const ui::Rect& pixels) {
    const float x = tile.w / static_cast<float>(sheet.picture.width),
                y = tile.h / static_cast<float>(sheet.picture.height);
    return {tile.x + pixels.x * x, tile.y + pixels.y * y, pixels.w * x, pixels.h * y};
}

// The edges between chosen cells and others, as lines: dark ones under bright ones, so that they
// are seen on any picture.
void outline(ui::Context& ui, const ui::Rect& rect, const gl::CellWindow& window,
             const ui::Cells& cells, const std::vector<bool>& chosen) {
    ui::Canvas canvas(ui);
    const float wide = rect.w / window.cols, tall = rect.h / window.rows;
    const auto is_chosen = [&](int r, int c) {
        return r >= 0 && c >= 0 && r < cells.rows && c < cells.cols &&
               chosen[static_cast<std::size_t>(r * cells.cols + c)];
    };
    for (const auto& [color, thickness] :
         {std::pair{IM_COL32(0, 0, 0, 170), 3.0F}, std::pair{IM_COL32_WHITE, 1.25F}})
        for (int r = 0; r <= cells.rows; ++r)
            for (int c = 0; c <= cells.cols; ++c) {
                const ImVec2 at{rect.x + (static_cast<float>(c) - window.col) * wide,
                                rect.y + (static_cast<float>(r) - window.row) * tall};
                if (is_chosen(r, c) != is_chosen(r - 1, c))
                    canvas.line(at, {at.x + wide, at.y}, color, ui.px(thickness));
                if (is_chosen(r, c) != is_chosen(r, c - 1))
                    canvas.line(at, {at.x, at.y + tall}, color, ui.px(thickness));
            }
}

void draw_map(ui::Context& ui, const ui::Rect& tile, const MapSheet& sheet, std::size_t index) {
    const ui::Cells& cells = sheet.maps[index];
    if (cells.empty()) return;
    ui::Canvas canvas(ui);
    const auto clip = canvas.clip(tile);
    canvas.photo(tile, sheet.picture);
    const ui::Rect covered = on(tile, sheet, sheet.covered);
    canvas.matrix(covered,
                  {"sheet." + std::to_string(index), cells, sheet.window, sheet.scale.style()},
                  sheet.opacity);
    if (!sheet.chosen.empty()) outline(ui, covered, sheet.window, cells, sheet.chosen[index]);
    if (sheet.query)
        canvas.mark(on(tile, sheet, *sheet.query), ui::dark_palette().accent, ui.px(1.5F));
}

}  // namespace

ImVec2 size_of(ui::Context& ui, const MapSheet& sheet) { return layout_of(ui, sheet).size; }

void draw(ui::Context& ui, const ui::Rect& rect, const MapSheet& sheet) {
    const Layout l = layout_of(ui, sheet);
    ui::Canvas canvas(ui);
    ui::Rect rest = rect.inset(l.margin);
    if (l.caption > 0)
        canvas.wrapped(rest.cut_top(l.caption), sheet.caption, {.size = ui::Size::body});
    ui::Rect head = rest.cut_top(l.columns);
    head.cut_left(l.rows);
    ui::TextStyle centred = names();
    centred.align = ui::Align::center;
    for (const std::string& column : sheet.columns) {
        canvas.label(head.cut_left(l.column), column, centred);
        head.cut_left(l.gap);
    }
    std::size_t index = 0;
    for (const std::string& row : sheet.rows) {
        ui::Rect line = rest.cut_top(l.tile.y);
        canvas.label(line.cut_left(l.rows), row, names());
        for (std::size_t c = 0; c < sheet.columns.size(); ++c, ++index) {
            draw_map(ui, line.cut_left(l.column).fit(l.tile.x / l.tile.y), sheet, index);
            line.cut_left(l.gap);
        }
        rest.cut_top(l.gap);
    }
    rest.cut_left(l.rows);
    rest.cut_top(l.gap);
    if (!sheet.scale_label.empty())
        canvas.label(rest.cut_top(ui.line(ui::Size::small)), sheet.scale_label, names());
    ui::color_bar(ui, rest.cut_left(std::min(rest.w, ui.px(kBarWidth))), sheet.scale, "");
}

}  // namespace headlight::figure
