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
    // Heights and widths of texts and of the bar; `title` in every row.
    float caption = 0, columns = 0, rows = 0, title = 0, legend = 0, label = 0, bar = 0;
    ImVec2 tile{};
    float column = 0;  // the wider of a picture and its name
    ImVec2 size{};
};

bool have_names(const std::vector<std::string>& all) {
    return std::ranges::any_of(all, [](const std::string& name) { return !name.empty(); });
}

float width_of(ui::Context& ui, const MapSheet::Hue& hue) {
    return ui::Canvas(ui).measure(hue.name, names()) + ui.px(26);
}

// The positions of the legend's names, in lines of at most that width, and the number of lines.
struct LegendPlaces {
    std::vector<ImVec2> at;  // y in lines
    int lines = 0;
};
LegendPlaces places_of(ui::Context& ui, const MapSheet& sheet, float width) {
    LegendPlaces places;
    float x = 0;
    for (const MapSheet::Hue& hue : sheet.legend) {
        const float wide = width_of(ui, hue);
        if (places.lines == 0 || (x > 0 && x + wide > width)) {
            ++places.lines;
            x = 0;
        }
        places.at.push_back({x, static_cast<float>(places.lines - 1)});
        x += wide;
    }
    return places;
}

float label_height(ui::Context& ui, const MapSheet& sheet, float width) {
    if (sheet.scale_label.empty()) return 0;
    return ui::Canvas(ui).measure_wrapped(sheet.scale_label, names(), width).y + ui.px(kGap);
}

Layout layout_of(ui::Context& ui, const MapSheet& sheet) {
    ui::Canvas canvas(ui);
    Layout l;
    l.margin = ui.px(kMargin);
    l.gap = ui.px(kGap);
    const float side = ui.px(sheet.tile), wide = static_cast<float>(sheet.picture.width),
                tall = static_cast<float>(sheet.picture.height), longer = std::max(wide, tall);
    l.tile = {std::round(side * wide / longer), std::round(side * tall / longer)};
    const float line = ui.line(ui::Size::small);
    if (have_names(sheet.columns)) l.columns = line + l.gap;
    l.column = l.tile.x;
    for (const std::string& column : sheet.columns)
        l.column = std::max(l.column, std::ceil(canvas.measure(column, names())) + 1);
    for (const MapSheet::Map& map : sheet.maps) {
        if (!map.title.empty()) l.title = line + l.gap / 2;
        l.column = std::max(l.column, std::ceil(canvas.measure(map.title, names())) + 1);
    }
    for (const std::string& row : sheet.rows)
        if (!row.empty()) l.rows = std::max(l.rows, canvas.measure(row, names()) + l.gap * 2);
    const auto across = static_cast<float>(sheet.columns.size()),
               down = static_cast<float>(sheet.rows.size());
    const float maps = across * (l.column + l.gap) - l.gap;
    // The caption wraps into as many lines as needed above its maps.
    const float width = std::max(l.rows + maps, ui.px(kBarWidth) / 2);
    if (!sheet.caption.empty())
        l.caption =
            canvas.measure_wrapped(sheet.caption, {.size = ui::Size::body}, width).y + l.gap * 2;
    if (!sheet.legend.empty())
        l.legend =
            static_cast<float>(places_of(ui, sheet, width - l.rows).lines) * line + l.gap * 2;
    l.bar = ui::color_bar_height(ui) + l.gap * 2;
    l.label = label_height(ui, sheet, width - l.rows);
    l.bar += l.label;
    l.size = {std::ceil(width + l.margin * 2),
              std::ceil(l.caption + l.columns + down * (l.title + l.tile.y + l.gap) + l.legend +
                        l.bar + l.margin * 2)};
    return l;
}

// Maps from the picture's pixels to screen coordinates.
ui::Rect on(const ui::Rect& tile, const MapSheet& sheet, const ui::Rect& pixels) {
    const float x = tile.w / static_cast<float>(sheet.picture.width),
                y = tile.h / static_cast<float>(sheet.picture.height);
    return {tile.x + pixels.x * x, tile.y + pixels.y * y, pixels.w * x, pixels.h * y};
}

// Draws the edges between selected and other cells: dark lines under bright ones, visible on any
// picture.
void outline(ui::Context& ui, const ui::Rect& rect, const gl::CellWindow& window,
             const MapSheet::Map& map, const MapSheet::Outline& what) {
    ui::Canvas canvas(ui);
    const float wide = rect.w / window.cols, tall = rect.h / window.rows;
    const auto is_chosen = [&](int r, int c) {
        return r >= 0 && c >= 0 && r < map.rows && c < map.cols &&
               what.chosen[static_cast<std::size_t>(r * map.cols + c)];
    };
    for (const auto& [color, thickness] :
         {std::pair{IM_COL32(0, 0, 0, 170), 3.0F}, std::pair{what.color, 1.25F}})
        for (int r = 0; r <= map.rows; ++r)
            for (int c = 0; c <= map.cols; ++c) {
                const ImVec2 at{rect.x + (static_cast<float>(c) - window.col) * wide,
                                rect.y + (static_cast<float>(r) - window.row) * tall};
                if (is_chosen(r, c) != is_chosen(r - 1, c))
                    canvas.line(at, {at.x + wide, at.y}, color, ui.px(thickness));
                if (is_chosen(r, c) != is_chosen(r, c - 1))
                    canvas.line(at, {at.x, at.y + tall}, color, ui.px(thickness));
            }
}

void draw_map(ui::Context& ui, const ui::Rect& tile, const MapSheet& sheet, std::size_t index) {
    const MapSheet::Map& map = sheet.maps[index];
    if (map.empty()) return;
    ui::Canvas canvas(ui);
    const auto clip = canvas.clip(tile);
    if (sheet.picture.pixels) canvas.photo(tile, sheet.picture);
    const ui::Rect covered = on(tile, sheet, sheet.covered);
    if (map.hues.pixels) {
        const float wide = covered.w / sheet.window.cols, tall = covered.h / sheet.window.rows;
        const auto inside = canvas.clip(covered);
        canvas.photo({covered.x - sheet.window.col * wide, covered.y - sheet.window.row * tall,
                      static_cast<float>(map.cols) * wide, static_cast<float>(map.rows) * tall},
                     map.hues, 0, sheet.hued_opacity);
    } else {
        gl::HeatmapStyle style = map.scale.value_or(sheet.scale).style();
        style.smooth = sheet.smooth;
        canvas.matrix(covered, {"sheet." + std::to_string(index), map.cells, sheet.window, style},
                      sheet.opacity);
        ui::draw_contours(ui, covered, sheet.window, map.contours);
    }
    for (const MapSheet::Outline& chosen : map.outlines)
        outline(ui, covered, sheet.window, map, chosen);
}

// Around the cell, so that its color stays visible; at the map's border, also outside of it.
void draw_marks(ui::Context& ui, const ui::Rect& tile, const MapSheet& sheet, std::size_t index) {
    const float thick = ui.px(1.5F);
    for (const MapSheet::Mark& mark : sheet.maps[index].marks)
        ui::Canvas(ui).mark(on(tile, sheet, mark.pixels).inset(-thick), mark.color, thick);
}

void draw_legend(ui::Context& ui, const ui::Rect& rect, const MapSheet& sheet) {
    ui::Canvas canvas(ui);
    const LegendPlaces places = places_of(ui, sheet, rect.w);
    const float line = ui.line(ui::Size::small), side = ui.px(10);
    for (std::size_t i = 0; i < sheet.legend.size(); ++i) {
        const ui::Rect row{rect.x + places.at[i].x, rect.y + places.at[i].y * line,
                           width_of(ui, sheet.legend[i]), line};
        const ui::Rect square{row.x, std::round(row.center().y - side / 2), side, side};
        canvas.fill(square, sheet.legend[i].color, ui.px(2));
        canvas.outline(square, ui::with_alpha(ui.colors().text, 0.5F), 1, ui.px(2));
        canvas.label({row.x + ui.px(16), row.y, row.w - ui.px(16), line}, sheet.legend[i].name,
                     names());
    }
}

void draw_row(ui::Context& ui, ui::Rect& rest, const Layout& l, const MapSheet& sheet,
              std::size_t row) {
    ui::TextStyle centered = names();
    centered.align = ui::Align::center;
    ui::Rect titles = rest.cut_top(l.title), line = rest.cut_top(l.tile.y);
    titles.cut_left(l.rows);
    ui::Canvas canvas(ui);
    canvas.label(line.cut_left(l.rows), sheet.rows[row], names());
    for (std::size_t c = 0; c < sheet.columns.size(); ++c) {
        const std::size_t index = row * sheet.columns.size() + c;
        const ui::Rect title = titles.cut_left(l.column), place = line.cut_left(l.column);
        if (index >= sheet.maps.size()) break;
        if (l.title > 0) canvas.label(title, sheet.maps[index].title, centered);
        const ui::Rect tile = place.fit(l.tile.x / l.tile.y);
        draw_map(ui, tile, sheet, index);
        draw_marks(ui, tile, sheet, index);
        titles.cut_left(l.gap);
        line.cut_left(l.gap);
    }
    rest.cut_top(l.gap);
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
    ui::TextStyle centered = names();
    centered.align = ui::Align::center;
    for (const std::string& column : sheet.columns) {
        canvas.label(head.cut_left(l.column), column, centered);
        head.cut_left(l.gap);
    }
    for (std::size_t row = 0; row < sheet.rows.size(); ++row) draw_row(ui, rest, l, sheet, row);
    rest.cut_left(l.rows);
    rest.cut_top(l.gap);
    if (l.legend > 0) draw_legend(ui, rest.cut_top(l.legend), sheet);
    if (l.label > 0) canvas.wrapped(rest.cut_top(l.label), sheet.scale_label, names());
    const ui::Rect bar = rest.cut_left(std::min(rest.w, ui.px(kBarWidth)));
    if (sheet.high_words.empty()) return ui::color_bar(ui, bar, sheet.scale, "");
    ui::color_bar_in_words(ui, bar, sheet.scale, sheet.low_words, sheet.high_words);
}

}  // namespace headlight::figure
