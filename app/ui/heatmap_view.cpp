#include "ui/heatmap_view.h"

#include <algorithm>
#include <cmath>

#include "ui/controls.h"

namespace headlight::ui {

namespace {

// The top left corner of cell (row, col).
ImVec2 corner(const Rect& rect, const gl::CellWindow& window, float row, float col) {
    return {rect.x + (col - window.col) / window.cols * rect.w,
            rect.y + (row - window.row) / window.rows * rect.h};
}

// A highlighted line is at least 4 px wide, so that one row of 3000 is visible.
Rect lit_band(const Rect& rect, float from, float to, bool vertical) {
    const float least = 4;
    if (to - from < least) {
        const float middle = (from + to) / 2;
        from = middle - least / 2;
        to = middle + least / 2;
    }
    return vertical ? Rect{from, rect.y, to - from, rect.h} : Rect{rect.x, from, rect.w, to - from};
}

// In large type, thick enough to be seen from the last row.
float line_thickness(const Context& ui) {
    const float units = ui.text_scale() > 1 ? 1.5F * ui.text_scale() : 1;
    return std::max(1.0F, std::round(ui.px(units)));
}

// Around a cell, with a minimum visible size, and inside the matrix.
Rect marker(const Context& ui, const Rect& matrix, ImVec2 from, ImVec2 to) {
    const float least = ui.px(8) * ui.text_scale();
    const auto side = [&](float begin, float end, float first, float last) {
        const float length = std::max(end - begin, least);
        const float at =
            std::clamp((begin + end - length) / 2, first, std::max(first, last - length));
        return std::pair(at, length);
    };
    const auto [x, w] = side(from.x, to.x, matrix.x, matrix.x + matrix.w);
    const auto [y, h] = side(from.y, to.y, matrix.y, matrix.y + matrix.h);
    return {x, y, w, h};
}

void light_lines(Context& ui, const Rect& rect, const HeatmapSpec& spec) {
    Canvas canvas(ui);
    const ImU32 accent = ui.colors().accent;
    const auto [row, col] = std::pair(spec.row, spec.col);
    const auto clip = canvas.clip({rect.x - 2, rect.y - 2, rect.w + 4, rect.h + 4});
    // Only the two long edges, so that the cells between them keep their colors; a thumbnail has
    // space for only one line.
    const bool tiny = std::min(rect.w, rect.h) < ui.px(80);
    const auto light = [&](const Rect& band, ImU32 color) {
        const bool level = band.w == rect.w;
        const float thick = tiny ? std::max(1.0F, std::round(ui.px(1))) : line_thickness(ui);
        if (tiny && (level ? band.h : band.w) < ui.px(8)) {
            const ImVec2 c = band.center();
            canvas.fill(level ? Rect{rect.x, c.y - thick, rect.w, 2 * thick}
                              : Rect{c.x - thick, rect.y, 2 * thick, rect.h},
                        color);
            return;
        }
        const auto edge = [&](float at, float outwards) {
            const auto strip = [&](float from) {
                return level ? Rect{rect.x, from, rect.w, thick}
                             : Rect{from, rect.y, thick, rect.h};
            };
            canvas.fill(strip(at + outwards * thick), with_alpha(ui.colors().background, 0.5F));
            canvas.fill(strip(at), color);
        };
        edge(std::round(level ? band.y : band.x) - thick, -1);
        edge(std::round(level ? band.y + band.h : band.x + band.w), 1);
    };
    if (row) {
        const float top = corner(rect, spec.window, static_cast<float>(*row), 0).y;
        const float bottom = corner(rect, spec.window, static_cast<float>(*row) + 1, 0).y;
        light(lit_band(rect, top, bottom, false), accent);
        ui.report("lit." + spec.name, std::to_string(*row));
    }
    if (col) {
        const float left = corner(rect, spec.window, 0, static_cast<float>(*col)).x;
        const float right = corner(rect, spec.window, 0, static_cast<float>(*col) + 1).x;
        light(lit_band(rect, left, right, true), accent);
        ui.report("lit_col." + spec.name, std::to_string(*col));
    }
    if (row && col && spec.outline_cell) {
        const ImVec2 a =
            corner(rect, spec.window, static_cast<float>(*row), static_cast<float>(*col));
        const ImVec2 b =
            corner(rect, spec.window, static_cast<float>(*row) + 1, static_cast<float>(*col) + 1);
        canvas.mark(marker(ui, rect, a, b), accent, std::max(ui.px(2), line_thickness(ui)));
    }
}

constexpr TextStyle kCellStyle{.face = Face::mono, .size = Size::small};
constexpr int kMostDecimals = 3, kLeastDecimals = 1;

// Between the numbers of neighbors. Large type needs more.
float cell_margin(const Context& ui) { return ui.px(6) * ui.text_scale(); }

// A small number whose exponent does not fit is rounded like its neighbors.
std::string cell_text(const Canvas& canvas, float value, int decimals, float width) {
    std::string text = number(value, decimals);
    if (canvas.measure(text, kCellStyle) <= width || std::abs(value) >= 1e-3F) return text;
    const std::string zero = "0." + std::string(static_cast<std::size_t>(decimals), '0');
    return value < 0 ? "−" + zero : zero;
}

// A range of cells, first to last.
struct CellRange {
    int row = 0, col = 0, end_row = 0, end_col = 0;
};
CellRange cells_in_sight(const HeatmapSpec& spec) {
    const auto& [row, col, rows, cols] = spec.window;
    return {std::max(0, static_cast<int>(row)), std::max(0, static_cast<int>(col)),
            std::min(spec.cells.rows, static_cast<int>(std::ceil(row + rows))),
            std::min(spec.cells.cols, static_cast<int>(std::ceil(col + cols)))};
}

// The number of decimals that fits in every cell; 0 if numbers do not fit.
int decimals_for(const Canvas& canvas, const HeatmapSpec& spec, float width) {
    const CellRange range = cells_in_sight(spec);
    const auto fit = [&](int decimals) {
        for (int r = range.row; r < range.end_row; ++r)
            for (int c = range.col; c < range.end_col; ++c)
                if (canvas.measure(cell_text(canvas, spec.cells.at(r, c), decimals, width),
                                   kCellStyle) > width)
                    return false;
        return true;
    };
    for (int decimals = kMostDecimals; decimals >= kLeastDecimals; --decimals)
        if (fit(decimals)) return decimals;
    return 0;
}

void write_numbers(Context& ui, const Rect& rect, const HeatmapSpec& spec) {
    const float cell_w = rect.w / spec.window.cols, cell_h = rect.h / spec.window.rows,
                width = cell_w - cell_margin(ui);
    Canvas canvas(ui);
    // All cells have the default number of decimals if the widest number fits.
    int decimals = kMostDecimals;
    if (cell_h < ui.line(Size::small) || width < canvas.measure("0.0", kCellStyle)) return;
    if (width < canvas.measure("−0.000", kCellStyle)) decimals = decimals_for(canvas, spec, width);
    if (decimals == 0) return;
    const CellRange range = cells_in_sight(spec);
    const auto clip = canvas.clip(rect);
    for (int r = range.row; r < range.end_row; ++r)
        for (int c = range.col; c < range.end_col; ++c) {
            const ImVec2 at =
                corner(rect, spec.window, static_cast<float>(r), static_cast<float>(c));
            const float value = spec.cells.at(r, c);
            TextStyle ink = kCellStyle;
            ink.color = ink_on(spec.scale.color(value));
            ink.align = Align::center;
            canvas.label({at.x, at.y, cell_w, cell_h}, cell_text(canvas, value, decimals, width),
                         ink);
        }
}

// Covers the cells that are not revealed yet: the rows below, and the rest of the current row.
void hide_unformed(Context& ui, const Rect& rect, const HeatmapSpec& spec) {
    const float at = spec.revealed * static_cast<float>(spec.cells.rows);
    const float row = std::floor(at);
    const float col = (at - row) * static_cast<float>(spec.cells.cols);
    const ImVec2 done = corner(rect, spec.window, row, col);
    const float below = corner(rect, spec.window, row + 1, 0).y;
    Canvas canvas(ui);
    const auto clip = canvas.clip(rect);
    canvas.fill({done.x, done.y, rect.x + rect.w - done.x, below - done.y}, ui.colors().card);
    canvas.fill({rect.x, below, rect.w, rect.y + rect.h - below}, ui.colors().card);
}

HeatmapHit hit(const Rect& rect, const HeatmapSpec& spec, const Interaction& state) {
    if (!state.hovered) return {};
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const int row = static_cast<int>(
        std::floor(spec.window.row + (mouse.y - rect.y) / rect.h * spec.window.rows));
    const int col = static_cast<int>(
        std::floor(spec.window.col + (mouse.x - rect.x) / rect.w * spec.window.cols));
    const bool inside = row >= 0 && row < spec.cells.rows && col >= 0 && col < spec.cells.cols;
    if (!inside) return {};
    return {true, state.clicked, state.double_clicked, row, col};
}

}  // namespace

ImVec2 cell_for_numbers(Context& ui) {
    return {Canvas(ui).measure("−0.000", kCellStyle) + cell_margin(ui), ui.line(Size::small)};
}

HeatmapHit heatmap(Context& ui, const Rect& rect, const HeatmapSpec& spec) {
    if (spec.cells.empty() || rect.empty()) return {};
    const Interaction state = interact(ui, spec.name, rect, Stop::no);
    ui.name(spec.name, {rect, spec.window});
    Canvas canvas(ui);
    canvas.matrix(rect, {spec.name, spec.cells, spec.window, spec.scale.style()}, 1, spec.rounding);
    if (spec.numbers) write_numbers(ui, rect, spec);
    if (spec.revealed < 1) hide_unformed(ui, rect, spec);
    canvas.outline(rect, ui.colors().border, 1, spec.rounding);
    light_lines(ui, rect, spec);
    return hit(rect, spec, state);
}

void zoom_and_pan(Context& ui, const Rect& rect, gl::CellWindow& window, int rows, int cols) {
    const ImGuiIO& io = ImGui::GetIO();
    if (rect.empty() || !rect.contains(io.MousePos) ||
        !ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem))
        return;
    const gl::CellWindow before = window;
    if (io.MouseWheel != 0) {
        const float factor = std::pow(0.8F, io.MouseWheel);
        const float at_row = (io.MousePos.y - rect.y) / rect.h,
                    at_col = (io.MousePos.x - rect.x) / rect.w;
        const float new_rows =
            std::clamp(window.rows * factor, std::min(2.0F, static_cast<float>(rows)),
                       static_cast<float>(rows));
        const float new_cols =
            std::clamp(window.cols * factor, std::min(2.0F, static_cast<float>(cols)),
                       static_cast<float>(cols));
        window.row += (window.rows - new_rows) * at_row;
        window.col += (window.cols - new_cols) * at_col;
        window.rows = new_rows;
        window.cols = new_cols;
    }
    if (ImGui::IsMouseDragging(1) || ImGui::IsMouseDragging(2)) {
        window.row -= io.MouseDelta.y / rect.h * window.rows;
        window.col -= io.MouseDelta.x / rect.w * window.cols;
    }
    if (ImGui::IsMouseDoubleClicked(1))
        window = {0, 0, static_cast<float>(rows), static_cast<float>(cols)};
    // A shared window may extend beyond this matrix.
    window.row = std::max(0.0F, std::min(window.row, static_cast<float>(rows) - window.rows));
    window.col = std::max(0.0F, std::min(window.col, static_cast<float>(cols) - window.cols));
    if (!(before == window)) ui.ask_for_frame();
}

int bars(Context& ui, const std::string& name, const Rect& rect, const std::vector<Bar>& values,
         std::optional<int> lit) {
    if (values.empty() || rect.empty()) return -1;
    const Interaction state = interact(ui, name, rect, Stop::no);
    ui.name(name, {rect, {0, 0, 1, static_cast<float>(values.size())}});
    float low = 0, high = 0;
    for (const Bar& bar : values)
        if (std::isfinite(bar.value))
            low = std::min(low, bar.value), high = std::max(high, bar.value);
    const float span = high > low ? high - low : 1;
    const auto y_of = [&](float v) { return rect.y + (high - v) / span * rect.h; };
    const float step = rect.w / static_cast<float>(values.size());
    Canvas canvas(ui);
    // With more bars than pixels, each pixel shows its largest bar.
    const auto columns = static_cast<std::size_t>(
        std::max(1.0F, std::min(static_cast<float>(values.size()), rect.w)));
    for (std::size_t i = 0; i < columns; ++i) {
        const std::size_t from = i * values.size() / columns,
                          to = std::max(from + 1, (i + 1) * values.size() / columns);
        Bar shown = values[from];
        for (std::size_t j = from; j < to; ++j)
            if (std::abs(values[j].value) > std::abs(shown.value)) shown = values[j];
        if (!std::isfinite(shown.value)) continue;
        const float width = rect.w / static_cast<float>(columns);
        const float gap = width > 6 ? std::min(ui.px(6), width * 0.25F) : width > 3 ? 1.0F : 0.0F;
        const float top = y_of(std::max(0.0F, shown.value)),
                    bottom = y_of(std::min(0.0F, shown.value));
        canvas.fill({rect.x + width * static_cast<float>(i) + gap / 2, top, width - gap,
                     std::max(1.0F, bottom - top)},
                    shown.color);
    }
    canvas.line({rect.x, y_of(0)}, {rect.x + rect.w, y_of(0)}, ui.colors().border);
    if (lit && *lit < static_cast<int>(values.size())) {
        const float x = rect.x + step * static_cast<float>(*lit);
        canvas.outline({x - 1, rect.y - 2, std::max(step, 3.0F) + 2, rect.h + 4},
                       ui.colors().accent, ui.px(1.25F));
    }
    if (!state.hovered) return -1;
    return std::clamp(static_cast<int>((ImGui::GetIO().MousePos.x - rect.x) / step), 0,
                      static_cast<int>(values.size()) - 1);
}

}  // namespace headlight::ui
