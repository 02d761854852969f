#include <algorithm>
#include <cmath>

#include "frame/tensor_text.h"
#include "ui/equation.h"
#include "walk/stages.h"

namespace headlight::screens {

namespace {

std::string range_text(const Shown& what) {
    const ui::ColorScale& scale = what.scale;
    if (what.summary->statistics.min == 0 && what.summary->statistics.max == 0) return "0";
    const std::string end = ui::number(scale.high, scale.high < 0.1F ? 3 : 2);
    return scale.low < 0 ? "±" + end : "0…" + end;
}

float range_width(const Frame& frame) {
    return ui::Canvas(frame.ui).measure("±0.000", frame.mono_dim()) + frame.px(8);
}

float symbol_width(const Frame& frame) { return frame.px(30) * frame.ui.text_scale(); }

ui::HeatmapSpec spec_of(const Strip& strip, const Shown& what) {
    const bool row = strip.line == Line::row;
    ui::HeatmapSpec spec;
    spec.name = strip.name;
    spec.cells = what.cells;
    spec.scale = what.scale;
    const float all = static_cast<float>(row ? what.view.cols : what.view.rows);
    const float count = strip.count > 0 ? strip.count : all;
    spec.window =
        row ? gl::CellWindow{0, strip.first, 1, count} : gl::CellWindow{strip.first, 0, count, 1};
    (row ? spec.col : spec.row) = strip.lit;
    return spec;
}

// After a row: symbol and range. A column has its symbol above and its range below.
void name_strip(Frame& frame, const ui::Rect& rect, const Strip& strip, const Shown& what) {
    const float edge = frame.line(), gap = frame.px(6);
    const auto glyphs = ui::parse_equation(strip.markup);
    const bool row = strip.line == Line::row;
    ui::Rect symbol{rect.x, rect.y - edge - frame.px(2), rect.w, edge},
        range{rect.x - gap, rect.y + rect.h + frame.px(2), rect.w + 2 * gap, edge};
    if (row) {
        symbol = {rect.x + rect.w + gap, rect.center().y - edge / 2,
                  std::max(symbol_width(frame),
                           ui::equation_width(frame.ui, glyphs, ui::Size::body) + gap),
                  edge};
        range = {symbol.x + symbol.w, symbol.y, range_width(frame), edge};
    }
    const std::string hovered =
        ui::equation(frame.ui, symbol, glyphs, row ? ui::Size::body : ui::symbol_size(frame.ui),
                     row ? ui::Align::left : ui::Align::center,
                     [&](const std::string&) { return color_of(frame, strip.tensor); });
    if (!hovered.empty()) frame.memory.next_lit_symbol = hovered;
    if (!strip.range) return;
    ui::TextStyle style = frame.mono_dim();
    style.align = row ? ui::Align::left : ui::Align::center;
    ui::Canvas(frame.ui).label(range, range_text(what), style);
}

}  // namespace

float strip_thickness(const Frame& frame, Line line, bool range) {
    const bool below = line == Line::column && range;
    return std::round(below ? range_width(frame) - frame.px(8) : frame.line() * 0.8F);
}

float strip_margin(const Frame& frame, const std::string& markup, bool range) {
    const float symbol =
        ui::equation_width(frame.ui, ui::parse_equation(markup), ui::Size::body) + frame.px(6);
    return frame.px(6) + std::max(symbol_width(frame), symbol) + (range ? range_width(frame) : 0);
}

void draw_strip(Frame& frame, const ui::Rect& rect, const Strip& strip) {
    if (rect.empty()) return;
    const Shown what = shown_line(frame, strip.tensor, strip.line, strip.index);
    if (!what.comparable) return no_difference(frame, rect);
    if (what.cells.empty()) return;
    const bool row = strip.line == Line::row;
    const ui::HeatmapHit hit = ui::heatmap(frame.ui, rect, spec_of(strip, what));
    name_strip(frame, rect, strip, what);
    if (frame.memory.lit_symbol == info(strip.tensor).name)
        ui::Canvas(frame.ui).outline(rect.inset(-2), color_of(frame, strip.tensor), frame.px(3));
    if (!hit.hovered) return;
    const int at = row ? hit.col : hit.row;
    frame.ui.tooltip(std::string(info(strip.tensor).title) + " [" + std::to_string(at) +
                     "]: " + ui::number(what.cells.at(hit.row, hit.col), 4));
    if (row)
        frame.memory.next_hovered.col = at;
    else
        focus_token(frame, hit, strip.tensor);
}

}  // namespace headlight::screens
