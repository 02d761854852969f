#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "frame/head_switch.h"
#include "program/ordinals.h"
#include "ui/color_bar.h"
#include "walk/panels.h"

namespace headlight::screens {

namespace {

using Measure = HeadMeasureInfo;

// Skips measures that do not apply, such as registers for a model without any.
bool of_use(const Frame& frame, const Measure& measure) {
    return measure.is_possible(*frame.trace.model, frame.trace.layout);
}

std::vector<const Measure*> measures_of(const Frame& frame) {
    std::vector<const Measure*> measures;
    for (const Measure& measure : run_measures())
        if (of_use(frame, measure)) measures.push_back(&measure);
    return measures;
}

const Measure& chosen_measure(const Frame& frame) {
    const Measure& chosen = info(frame.state.look.head_number);
    return of_use(frame, chosen) ? chosen : run_measures().front();
}

ui::ColorScale scale_of(const Frame& frame, const Measure& measure) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const auto& heads : frame.summary.layers)
        for (const HeadNumbers& head : heads)
            if (const double value = head[measure.id]; std::isfinite(value)) {
                low = std::min(low, value);
                high = std::max(high, value);
            }
    if (measure.is_share || !(low < high)) low = std::min(0.0, low);
    if (!(low < high)) high = low + 1;  // all are zero, or NaN
    if (!std::isfinite(low)) low = 0, high = 1;
    return {attention_map(frame), static_cast<float>(low), static_cast<float>(high)};
}

// "Layer 5, head 3: entropy 4.21 bits, distance 61.00 pixels, on the class token 0.02"
std::string all_numbers(const Frame& frame, const std::string& layer, int head,
                        const HeadNumbers& numbers) {
    std::string text;
    for (const Measure* measure : measures_of(frame)) {
        const double number = numbers[measure->id];
        text += (text.empty() ? "" : ", ") + std::string(measure->label) + " " +
                (std::isnan(number) ? "none" : ui::number(number, measure->is_share ? 3 : 2));
        if (!std::isnan(number) && !measure->unit.empty()) text += " " + std::string(measure->unit);
    }
    return layer + ", head " + std::to_string(head + 1) + ": " + text;
}

struct Grid {
    ui::Rect rect;  // of the cells
    float across = 0, down = 0;
    int rows = 0, cols = 0;

    [[nodiscard]] ui::Rect cell(int row, int col) const {
        const float x = std::round(rect.x + static_cast<float>(col) * across),
                    y = std::round(rect.y + static_cast<float>(row) * down);
        return {x, y, std::round(rect.x + static_cast<float>(col + 1) * across) - x,
                std::round(rect.y + static_cast<float>(row + 1) * down) - y};
    }
};

// Every n-th name, so that all fit; the current one takes precedence.
template <class Name, class Place>
void names_along(Frame& frame, int count, int current, float each, float wanted, Name name,
                 Place place) {
    const int every = std::max(1, static_cast<int>(std::ceil(wanted / each)));
    for (int i = 0; i < count; ++i) {
        const bool near = i != current && std::abs(i - current) < every;
        if (i != current && (i % every != 0 || near)) continue;
        ui::Canvas(frame.ui).label(
            place(i), name(i),
            {.face = i == current ? ui::Face::bold : ui::Face::words,
             .size = ui::Size::small,
             .color = i == current ? frame.colors().text : frame.colors().dim,
             .align = ui::Align::center});
    }
}

void draw_cells(Frame& frame, const Grid& grid, const Measure& measure,
                const ui::ColorScale& scale) {
    const float gap = grid.down > frame.px(6) && grid.across > frame.px(6) ? 1.0F : 0.0F;
    for (int row = 0; row < grid.rows; ++row) {
        const auto& heads = frame.summary.layers[static_cast<std::size_t>(row)];
        for (int col = 0; col < static_cast<int>(heads.size()); ++col) {
            ui::Rect cell = grid.cell(row, col);
            cell.w -= gap, cell.h -= gap;
            const auto value = static_cast<float>(heads[static_cast<std::size_t>(col)][measure.id]);
            const gl::Rgb color = scale.color(value);
            ui::Canvas(frame.ui).fill(cell, IM_COL32(color.r, color.g, color.b, 255));
        }
    }
}

// A diagonal line in a color that is visible on all others.
void cross_out(Frame& frame, const Grid& grid) {
    ui::Canvas canvas(frame.ui);
    for (const auto& [layer, head] : frame.recipe.switched_off) {
        if (layer >= grid.rows || head >= grid.cols) continue;
        const ui::Rect cell = grid.cell(layer, head).inset(frame.px(2));
        const ImVec2 right{cell.x + cell.w, cell.y}, left{cell.x, cell.y + cell.h};
        for (const auto& [color, wide] :
             {std::pair{IM_COL32(0, 0, 0, 200), 4.0F}, std::pair{IM_COL32_WHITE, 1.75F}}) {
            canvas.line(cell.min(), cell.max(), color, frame.px(wide));
            canvas.line(right, left, color, frame.px(wide));
        }
    }
}

bool is_crossed_out(const Frame& frame, int row, int col) {
    const auto& off = frame.recipe.switched_off;
    return std::ranges::find(off, HeadPlace{row, col}) != off.end();
}

void take_mouse(Frame& frame, const Grid& grid) {
    const auto state = ui::interact(frame.ui, "heads.layers", grid.rect, ui::Stop::no);
    frame.ui.name(
        "heads.layers",
        {grid.rect, {0, 0, static_cast<float>(grid.rows), static_cast<float>(grid.cols)}});
    if (!state.hovered) return;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const int row = std::clamp(static_cast<int>((mouse.y - grid.rect.y) / grid.down), 0,
                               grid.rows - 1),
              col = std::clamp(static_cast<int>((mouse.x - grid.rect.x) / grid.across), 0,
                               grid.cols - 1);
    const auto& heads = frame.summary.layers[static_cast<std::size_t>(row)];
    if (col >= static_cast<int>(heads.size())) return;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    ui::Canvas(frame.ui).mark(grid.cell(row, col), frame.colors().text, frame.px(1.5F));
    const std::string text =
        all_numbers(frame, frame.trace.model->layers[static_cast<std::size_t>(row)].name, col,
                    heads[static_cast<std::size_t>(col)]);
    const bool off = is_crossed_out(frame, row, col);
    frame.ui.tooltip(frame.of_after(text) + (off ? "\nSwitched off." : "") +
                     "\nMeans over all queries. Click to go there, Ctrl-click to switch it " +
                     (off ? "on." : "off."));
    frame.ui.report("heads.layers", text);
    if (!state.clicked) return;
    if (ImGui::GetIO().KeyCtrl) return switch_head(frame, {row, col});
    frame.say("layer", layer_number(*frame.trace.model, row));
    // The heads of a layer with another number of heads are known only when it is computed.
    if (col < static_cast<int>(frame.trace.shape.heads)) frame.say("head", std::to_string(col + 1));
}

}  // namespace

bool shows_layer_map(const Frame& frame) {
    return frame.state.look.all_layers && frame.summary.layers.size() > 1;
}

float measure_choice_width(Frame& frame) {
    float widest = 0;
    for (const Measure* measure : measures_of(frame))
        widest = std::max(widest, ui::Canvas(frame.ui).measure(measure->column(), {}));
    return widest + frame.px(28);
}

void measure_choice(Frame& frame, const ui::Rect& rect) {
    const auto measures = measures_of(frame);
    std::vector<std::string> names;
    int selected = 0;
    for (const Measure* measure : measures) {
        if (measure == &chosen_measure(frame)) selected = static_cast<int>(names.size());
        names.push_back(measure->column());
    }
    const std::vector<std::string_view> labels(names.begin(), names.end());
    const int chosen = ui::choice(frame.ui, "heads.number", rect, labels, selected);
    if (chosen >= 0)
        frame.set("head_number",
                  std::string(name_of(measures[static_cast<std::size_t>(chosen)]->id)));
}

void layer_map(Frame& frame, ui::Rect rect) {
    const LayerNumbers& layers = frame.summary.layers;
    const Measure& measure = chosen_measure(frame);
    const ui::ColorScale scale = scale_of(frame, measure);
    const float line = frame.line();
    Grid grid;
    grid.rows = static_cast<int>(layers.size());
    for (const auto& heads : layers)
        grid.cols = std::max(grid.cols, static_cast<int>(heads.size()));
    if (grid.cols == 0) return;

    // If space is short, first drops the heads' numbers, then the text of the color bar.
    const bool roomy = rect.h > static_cast<float>(grid.rows) * frame.px(9) + line * 3;
    ui::Canvas canvas(frame.ui);
    const float names = canvas.measure("T1 ", {.face = ui::Face::bold, .size = ui::Size::small});
    ui::Layout rest(frame.ui, rect);
    const ui::Rect bar = rest.bottom(roomy ? line + frame.px(10) : line);
    rest.skip_bottom(roomy ? 8 : 4);
    const ui::Rect top = roomy ? rest.top(2 * line) : ui::Rect{};
    const ui::Rect side = rest.left(line), left = rest.left(names);
    if (rest.empty()) return;
    grid.down = std::min(rest.h / static_cast<float>(grid.rows), frame.px(26));
    grid.across = std::min(rest.w / static_cast<float>(grid.cols), frame.px(40));
    grid.rect = {rest.x, rest.y, grid.across * static_cast<float>(grid.cols),
                 grid.down * static_cast<float>(grid.rows)};
    draw_cells(frame, grid, measure, scale);
    cross_out(frame, grid);
    canvas.mark(grid.cell(frame.trace.layer, frame.head), frame.colors().accent, frame.px(2));
    names_along(
        frame, grid.rows, frame.trace.layer, grid.down, line,
        [&](int i) { return layer_number(*frame.trace.model, i); },
        [&](int i) {
            const ui::Rect cell = grid.cell(i, 0);
            return ui::Rect{left.x, cell.center().y - line / 2, names - frame.px(4), line};
        });
    if (roomy)
        names_along(
            frame, grid.cols, frame.head, grid.across, names,
            [](int i) { return std::to_string(i + 1); },
            [&](int i) {
                const ui::Rect cell = grid.cell(0, i);
                return ui::Rect{cell.center().x - names / 2, top.y + line, names, line};
            });
    const ui::TextStyle axis = frame.small_dim(ui::Align::center);
    canvas.upright({side.x, grid.rect.y, side.w, grid.rect.h}, "layers", axis);
    if (roomy) canvas.label({grid.rect.x, top.y, grid.rect.w, line}, "heads", axis);
    take_mouse(frame, grid);
    const ui::Rect place{grid.rect.x, std::min(bar.y, grid.rect.y + grid.rect.h + frame.px(8)),
                         std::max(grid.rect.w, std::min(rest.w, frame.px(180))), bar.h};
    if (roomy)
        ui::color_bar(frame.ui, place, scale, frame.of_after(measure.column()));
    else
        ui::color_line(frame.ui, place, scale);
}

}  // namespace headlight::screens
