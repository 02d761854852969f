#include "figure/plot_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headlight::figure {

namespace {

constexpr float kPlotMargin = 16, kPlotGap = 24, kWide = 320, kTall = 200;

ui::TextStyle small_words() { return {.size = ui::Size::small}; }

// Evenly spaced round ticks; the ends are at most one step beyond the values.
struct Axis {
    double least = 0, most = 1, step = 0.5;
    [[nodiscard]] int steps() const { return static_cast<int>(std::lround((most - least) / step)); }
    [[nodiscard]] std::string text(int i) const {
        const double value = least + step * i;
        const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
        return fmt::format("{:.{}f}", std::abs(value) < step * 1e-6 ? 0.0 : value, decimals);
    }
};

Axis axis_of(const PlotPanel& panel) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    const auto add = [&](double value) {
        if (!std::isfinite(value)) return;
        least = std::min(least, value);
        most = std::max(most, value);
    };
    for (const auto& dots : panel.dots) std::ranges::for_each(dots, add);
    for (const PlotLine& line : panel.lines) std::ranges::for_each(line.values, add);
    if (!(least <= most)) return {};
    if (least > 0) least = 0;  // zero is meaningful for all plotted measures
    if (most < 0) most = 0;
    if (least == most) return {};  // all are 0
    const double wanted = std::max(most - least, 1e-12) / 5;
    const double power = std::pow(10, std::floor(std::log10(wanted)));
    double step = power * 10;
    for (const double round : {5.0, 2.0, 1.0})
        if (round * power >= wanted * 0.999) step = round * power;
    return {std::floor(least / step + 1e-9) * step, std::ceil(most / step - 1e-9) * step, step};
}

int layers_of(const PlotPanel& panel) {
    std::size_t most = panel.dots.size();
    for (const PlotLine& line : panel.lines) most = std::max(most, line.values.size());
    return static_cast<int>(most);
}

// Dark enough for a white page.
ImU32 hue_of(std::size_t line) {
    constexpr std::array kHues{IM_COL32(0x0B, 0x5F, 0xB0, 255), IM_COL32(0xC2, 0x4A, 0x10, 255),
                               IM_COL32(0x1B, 0x7F, 0x5C, 255), IM_COL32(0x8A, 0x3F, 0xA8, 255),
                               IM_COL32(0x7A, 0x66, 0x00, 255), IM_COL32(0xB0, 0x1E, 0x5A, 255)};
    return kHues.at(line % kHues.size());
}

float legend_height(ui::Context& ui, const PlotPanel& panel) {
    return static_cast<float>(panel.lines.size()) * ui.line(ui::Size::small);
}

float panel_height(ui::Context& ui, const PlotPanel& panel) {
    // Title, plot, layer numbers, axis name, and legend.
    return ui.line(ui::Size::small) * 3 + ui.px(kTall) + ui.px(12) + legend_height(ui, panel);
}

float caption_height(ui::Context& ui, const PlotSheet& sheet, float width) {
    if (sheet.caption.empty()) return 0;
    return ui::Canvas(ui).measure_wrapped(sheet.caption, {.size = ui::Size::body}, width).y +
           ui.px(12);
}

std::size_t columns_of(const PlotSheet& sheet) {
    const std::size_t all = sheet.panels.size();
    return sheet.columns == 0 ? all : std::min(all, static_cast<std::size_t>(sheet.columns));
}

// The panels of each row.
std::vector<std::span<const PlotPanel>> rows_of(const PlotSheet& sheet) {
    std::vector<std::span<const PlotPanel>> rows;
    std::span<const PlotPanel> rest = sheet.panels;
    while (!rest.empty()) {
        rows.push_back(rest.first(std::min(columns_of(sheet), rest.size())));
        rest = rest.subspan(rows.back().size());
    }
    return rows;
}

float panels_width(ui::Context& ui, const PlotSheet& sheet) {
    const auto count = static_cast<float>(columns_of(sheet));
    return count * ui.px(kWide) + (count - 1) * ui.px(kPlotGap);
}

float row_height(ui::Context& ui, std::span<const PlotPanel> row) {
    float height = 0;
    for (const PlotPanel& panel : row) height = std::max(height, panel_height(ui, panel));
    return height;
}

// The rectangle for layers, or parts, and values.
struct Place {
    ui::Rect rect;
    Axis axis;
    int layers = 1;
    std::span<const double> part;
    [[nodiscard]] float across(int point) const {
        if (part.empty()) return (static_cast<float>(point) + 0.5F) / static_cast<float>(layers);
        return static_cast<float>(part[static_cast<std::size_t>(point)]);
    }
    [[nodiscard]] ImVec2 at(int point, double value) const {
        const float x = across(point);
        const double y = (value - axis.least) / (axis.most - axis.least);
        return {rect.x + rect.w * x, rect.y + rect.h * (1 - static_cast<float>(y))};
    }
};

void draw_values(ui::Context& ui, const ui::Rect& left, const Place& place) {
    ui::Canvas canvas(ui);
    ui::TextStyle style{.face = ui::Face::mono, .size = ui::Size::small, .color = ui.colors().dim};
    style.align = ui::Align::right;
    const float line = ui.line(ui::Size::small);
    for (int i = 0; i <= place.axis.steps(); ++i) {
        const float y = place.at(0, place.axis.least + place.axis.step * i).y;
        canvas.line({place.rect.x, y}, {place.rect.x + place.rect.w, y}, ui.colors().border);
        canvas.label({left.x, y - line / 2, left.w - ui.px(6), line}, place.axis.text(i), style);
    }
}

void draw_layers(ui::Context& ui, const ui::Rect& below, const Place& place, int first) {
    ui::Canvas canvas(ui);
    const ui::TextStyle style{
        .face = ui::Face::mono, .size = ui::Size::small, .color = ui.colors().dim};
    float free_from = below.x - ui.px(20);
    for (int layer = 0; layer < place.layers; ++layer) {
        const std::string name = layer == 0 && first == 0 ? "input" : std::to_string(first + layer);
        const float wide = canvas.measure(name, style);
        const float x = place.at(layer, 0).x - wide / 2;
        if (x < free_from) continue;
        canvas.text({x, below.y}, name, style);
        free_from = x + wide + ui.px(8);
    }
}

// 0 to 100, in steps of 20.
void draw_percentages(ui::Context& ui, const ui::Rect& below) {
    ui::Canvas canvas(ui);
    const ui::TextStyle style{
        .face = ui::Face::mono, .size = ui::Size::small, .color = ui.colors().dim};
    for (int percent = 0; percent <= 100; percent += 20) {
        const std::string name = std::to_string(percent);
        const float x = below.x + below.w * static_cast<float>(percent) / 100;
        canvas.text({x - canvas.measure(name, style) / 2, below.y}, name, style);
    }
}

void draw_line(ui::Context& ui, const Place& place, const PlotLine& line, ImU32 hue) {
    ui::Canvas canvas(ui);
    std::optional<ImVec2> last;
    for (std::size_t l = 0; l < line.values.size(); ++l) {
        if (!std::isfinite(line.values[l])) {
            last.reset();
            continue;
        }
        const ImVec2 at = place.at(static_cast<int>(l), line.values[l]);
        if (last) canvas.line(*last, at, hue, ui.px(1.75F));
        canvas.circle(at, ui.px(2.25F), hue);
        last = at;
    }
}

void draw_legend(ui::Context& ui, ui::Rect rect, const PlotPanel& panel) {
    ui::Canvas canvas(ui);
    for (std::size_t i = 0; i < panel.lines.size(); ++i) {
        ui::Rect row = rect.cut_top(ui.line(ui::Size::small));
        const ui::Rect spot = row.cut_left(ui.px(22));
        canvas.line({spot.x, spot.center().y}, {spot.x + ui.px(16), spot.center().y}, hue_of(i),
                    ui.px(1.75F));
        canvas.label(row, panel.lines[i].name, small_words());
    }
}

void draw_panel(ui::Context& ui, ui::Rect rect, const PlotPanel& panel) {
    ui::Canvas canvas(ui);
    const float line = ui.line(ui::Size::small);
    canvas.label(rect.cut_top(line), panel.title,
                 {.face = ui::Face::bold, .size = ui::Size::small});
    rect.cut_top(ui.px(6));
    const ui::Rect plot = rect.cut_top(ui.px(kTall));
    Place place{plot, axis_of(panel), std::max(1, layers_of(panel)), panel.part};
    const ui::TextStyle mono{.face = ui::Face::mono, .size = ui::Size::small};
    float left = 0;
    for (int i = 0; i <= place.axis.steps(); ++i)
        left = std::max(left, canvas.measure(place.axis.text(i), mono) + ui.px(8));
    const ui::Rect values = place.rect.cut_left(left);
    if (!panel.part.empty()) place.rect.cut_right(ui.px(12));  // for half of "100"
    draw_values(ui, values, place);
    for (std::size_t l = 0; l < panel.dots.size(); ++l)
        for (const double value : panel.dots[l])
            if (std::isfinite(value))
                canvas.circle(place.at(static_cast<int>(l), value), ui.px(1.75F),
                              ui::with_alpha(ui.colors().dim, 0.6F));
    for (std::size_t i = 0; i < panel.lines.size(); ++i)
        draw_line(ui, place, panel.lines[i], hue_of(i));
    rect.cut_top(ui.px(2));
    const ui::Rect points = rect.cut_top(line);
    if (panel.part.empty())
        draw_layers(ui, points, place, panel.first);
    else
        draw_percentages(ui, {place.rect.x, points.y, place.rect.w, points.h});
    ui::Rect name = rect.cut_top(line);
    name.cut_left(left);
    ui::TextStyle centered{.size = ui::Size::small, .color = ui.colors().dim};
    centered.align = ui::Align::center;
    const std::string_view layers = panel.first == 0 ? "after layer" : "layer";
    canvas.label(name, panel.below.empty() ? layers : std::string_view(panel.below), centered);
    rect.cut_left(left);
    draw_legend(ui, rect, panel);
}

}  // namespace

ImVec2 size_of(ui::Context& ui, const PlotSheet& sheet) {
    const float width = panels_width(ui, sheet);
    const auto rows = rows_of(sheet);
    float height = static_cast<float>(rows.size() - 1) * ui.px(kPlotGap);
    for (const auto& row : rows) height += row_height(ui, row);
    const float margin = ui.px(kPlotMargin);
    return {std::ceil(width + margin * 2),
            std::ceil(caption_height(ui, sheet, width) + height + margin * 2)};
}

void draw(ui::Context& ui, const ui::Rect& rect, const PlotSheet& sheet) {
    ui::Rect rest = rect.inset(ui.px(kPlotMargin));
    const float caption = caption_height(ui, sheet, rest.w);
    if (caption > 0)
        ui::Canvas(ui).wrapped(rest.cut_top(caption), sheet.caption, {.size = ui::Size::body});
    for (const auto& row : rows_of(sheet)) {
        ui::Rect across = rest.cut_top(row_height(ui, row));
        for (const PlotPanel& panel : row) {
            draw_panel(ui, across.cut_left(ui.px(kWide)), panel);
            across.cut_left(ui.px(kPlotGap));
        }
        rest.cut_top(ui.px(kPlotGap));
    }
}

}  // namespace headlight::figure
