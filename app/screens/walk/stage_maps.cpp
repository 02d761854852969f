#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "frame/tensor_text.h"
#include "kernels/counted.h"
#include "ui/color_bar.h"
#include "walk/stages.h"

// A step's result laid out as the grid of its tokens: a map for each channel or, for attention, the
// focused token's weights in each head.
namespace headlight::screens {

namespace {

constexpr Index kMostMaps = 96;  // of a wide result, its first channels

bool is_square(Tensor tensor) { return info(tensor).cols == Axis::key_token; }

// One map: its head, and its channel or, for attention, its query.
struct TokenMap {
    int head = 0, line = 0;
};

// The layout of the maps: a row for each head, or a single row that wraps.
struct MapSheet {
    int across = 1, down = 1;
    float cell = 0;  // width of a map's cell, pixels
};

struct MapPlan {
    Tensor tensor;
    TokenGrid grid;
    std::vector<TokenMap> maps{};
    int heads = 1, of_each = 1;
    Index left_out = 0;
};

// The patch grid, or that of a feature map in a file, whose cells are the tokens.
TokenGrid grid_in_view(const Frame& frame) {
    TokenGrid grid = token_grid_of(frame.trace);
    const PatchGrid& cells = frame.trace.grid;
    if (grid.are_known() || is_cross(frame.trace) || cells.rows < 2 || cells.cols < 2) return grid;
    grid.rows = cells.rows;
    grid.cols = cells.cols;
    return grid;
}

MapPlan plan_of(const Frame& frame) {
    const Tensor tensor = frame.node().result();
    MapPlan plan{.tensor = tensor, .grid = grid_in_view(frame)};
    plan.heads = info(tensor).per_head ? static_cast<int>(frame.trace.shape.heads) : 1;
    if (is_square(tensor)) {
        const int query = focus_row(frame, tensor).value_or(0);
        for (int head = 0; head < plan.heads; ++head) plan.maps.push_back({head, query});
        return plan;
    }
    const Index cols = frame.trace.cols(tensor), most = std::max<Index>(1, kMostMaps / plan.heads);
    plan.of_each = static_cast<int>(std::min(cols, most));
    plan.left_out = (cols - plan.of_each) * plan.heads;
    for (int head = 0; head < plan.heads; ++head)
        for (int channel = 0; channel < plan.of_each; ++channel)
            plan.maps.push_back({head, channel});
    return plan;
}

MapSheet sheet_of(const Frame& frame, const ui::Rect& rect, const MapPlan& plan) {
    const int count = static_cast<int>(plan.maps.size());
    const float gap = frame.px(6), words = frame.line();
    MapSheet best;
    for (int across = 1; across <= count; ++across) {
        // With few channels, each head has its own row.
        const bool by_head = plan.heads > 1 && plan.of_each > 1;
        if (by_head && plan.of_each % across != 0) continue;
        const int down = (count + across - 1) / across;
        const float w = (rect.w - gap * static_cast<float>(across - 1)) /
                        static_cast<float>(across),
                    h = (rect.h - gap * static_cast<float>(down - 1)) / static_cast<float>(down) -
                        words;
        const float cell = std::min(w / static_cast<float>(plan.grid.cols),
                                    h / static_cast<float>(plan.grid.rows));
        if (cell > best.cell) best = {across, down, cell};
    }
    return best;
}

// The values of a map: a column of the result without the prefix tokens, or a row of attention.
SharedResult cells_of(Frame& frame, const MapPlan& plan, const TokenMap& map, const Shown& what) {
    const Index prefix = plan.grid.prefix;
    const bool square = is_square(plan.tensor);
    const float* from =
        square ? what.view.row(map.line) + prefix : what.view.row(prefix) + map.line;
    const Index step = square ? 1 : what.view.stride;
    return frame.memory.derived
        .get({Derived::Kind::token_map, what.cells.version, from, static_cast<std::uint64_t>(step),
              nullptr, plan.grid.rows, plan.grid.cols},
             [&] {
                 Matrix cells(plan.grid.rows, plan.grid.cols);
                 for (Index i = 0; i < cells.size(); ++i) cells.data()[i] = from[i * step];
                 return cells;
             })
        .result;
}

std::string map_title(const Frame& frame, const MapPlan& plan, const TokenMap& map) {
    const std::string head = "head " + std::to_string(map.head + 1);
    if (is_square(plan.tensor)) return head;
    const std::string channel = std::to_string(map.line);
    if (plan.heads == 1) return frame.is_narrow() ? channel : "channel " + channel;
    return map.line == 0 ? "head " + std::to_string(map.head + 1) : channel;
}

// If the map is too narrow for the long title.
std::string short_title(const MapPlan& plan, const TokenMap& map) {
    const bool of_head = is_square(plan.tensor) || (plan.heads > 1 && map.line == 0);
    return of_head ? "h" + std::to_string(map.head + 1) : std::to_string(map.line);
}

// A cell of the map is a token; a click pins it and the channel.
void take_hit(Frame& frame, const MapPlan& plan, const TokenMap& map, const ui::HeatmapHit& hit,
              const SharedResult& cells) {
    if (!hit.hovered) return;
    const Index row = plan.grid.prefix + Index{hit.row} * plan.grid.cols + hit.col;
    const Side side = side_of(frame.trace, plan.tensor);
    frame.ui.tooltip(name_of_token(frame.trace, side, row) + ", " + map_title(frame, plan, map) +
                     ": " + ui::number(cells->view()(hit.row, hit.col), 4));
    if (is_square(plan.tensor)) {
        frame.memory.next_hovered.key_token = static_cast<int>(row);
        frame.memory.next_hovered.col = static_cast<int>(row);
        if (hit.clicked) frame.say("cell", std::to_string(map.line), std::to_string(row));
    } else {
        hover_token(frame, side, row);
        frame.memory.next_hovered.col = map.line;
        if (hit.clicked) frame.say("cell", std::to_string(row), std::to_string(map.line));
    }
    if (hit.clicked && plan.heads > 1 && map.head != frame.state.selection.head)
        frame.say("head", std::to_string(map.head + 1));
}

void draw_map(Frame& frame, ui::Layout rect, const MapPlan& plan, const TokenMap& map) {
    const Shown what = shown(frame, plan.tensor, map.head);
    if (what.cells.empty()) return;
    const SharedResult cells = cells_of(frame, plan, map, what);
    const bool lit = !is_square(plan.tensor) && frame.focus.col == map.line;
    ui::Canvas canvas(frame.ui);
    label_that_fits(canvas, rect.row(), {map_title(frame, plan, map), short_title(plan, map)},
                    {.size = ui::Size::small,
                     .color = map.line == 0 || is_square(plan.tensor) ? frame.colors().text
                                                                      : frame.colors().dim});
    ui::HeatmapSpec spec;
    spec.name = "stage.map." + std::to_string(map.head + 1) + "." + std::to_string(map.line);
    Shown of_map;
    of_map.set_cells(cells);
    spec.cells = of_map.cells;
    spec.scale = what.scale;
    spec.window = {0, 0, static_cast<float>(plan.grid.rows), static_cast<float>(plan.grid.cols)};
    take_hit(frame, plan, map, ui::heatmap(frame.ui, rect, spec), cells);
    if (lit) ui::Canvas(frame.ui).outline(rect.inset(-2), frame.colors().accent, frame.px(1.5F));
    const std::optional<int> token =
        is_square(plan.tensor) ? frame.focus.key_token : focus_row(frame, plan.tensor);
    if (!token || !plan.grid.is_patch(*token)) return;
    const float w = rect.w / static_cast<float>(plan.grid.cols),
                h = rect.h / static_cast<float>(plan.grid.rows);
    ui::Canvas(frame.ui).mark({rect.x + static_cast<float>(plan.grid.col(*token)) * w,
                               rect.y + static_cast<float>(plan.grid.row(*token)) * h, w, h},
                              frame.colors().accent, frame.px(1.5F));
}

std::string sheet_words(const Frame& frame, const MapPlan& plan) {
    const std::string grid =
        std::to_string(plan.grid.rows) + " × " + std::to_string(plan.grid.cols);
    if (is_square(plan.tensor))
        return "The row of " + name_of_token(frame.trace, Side::query, plan.maps.front().line) +
               " as " + grid + " maps, one for each head";
    std::string words = plan.maps.size() == 1 ? "1 channel, a " + grid + " map"
                                              : counted(std::ssize(plan.maps), "channel") +
                                                    ", each a " + grid + " map";
    if (plan.left_out > 0) words += " (" + std::to_string(plan.left_out) + " more not shown)";
    return words;
}

}  // namespace

bool has_maps(const Frame& frame) {
    const Tensor result = frame.node().result();
    const TokenGrid grid = grid_in_view(frame);
    if (!grid.are_known() || frame.trace.model->is_maps()) return false;
    const Op op = frame.node().op;
    if (op == Op::frame || op == Op::gather || op == Op::cut || op == Op::curve) return false;
    const Index rows = frame.trace.rows(result), cols = frame.trace.cols(result);
    if (is_square(result)) return rows == grid.count() && cols == grid.count();
    return info(result).rows == Axis::token && rows == grid.count() &&
           shares_tokens(frame.trace, result);
}

void stage_maps(Frame& frame, const ui::Rect& rect) {
    const MapPlan plan = plan_of(frame);
    ui::Layout rest(frame.ui, rect);
    const ui::Rect foot = rest.bottom(room_below(frame));
    const std::string words = sheet_words(frame, plan);
    const ui::TextStyle style = frame.small_dim();
    ui::Canvas(frame.ui).label(rest.row(4), words, style);
    frame.ui.report("stage.maps", words);
    const Shown what = shown(frame, plan.tensor, frame.head);
    if (what.cells.empty()) return no_difference(frame, rest);
    const MapSheet sheet = sheet_of(frame, rest, plan);
    const float gap = frame.px(6), w = std::floor(sheet.cell * static_cast<float>(plan.grid.cols)),
                h = std::floor(sheet.cell * static_cast<float>(plan.grid.rows)) + frame.line();
    const float left = rest.x + (rest.w - static_cast<float>(sheet.across) * (w + gap) + gap) / 2;
    const float used = static_cast<float>(sheet.down) * (h + gap) + frame.line();
    if (frame.state.look.lecture) rest.top(std::max(0.0F, (rest.h - used) / 2));
    for (std::size_t i = 0; i < plan.maps.size(); ++i) {
        const auto at = static_cast<int>(i);
        draw_map(
            frame,
            {frame.ui, whole({left + static_cast<float>(at % sheet.across) * (w + gap),
                              rest.y + static_cast<float>(at / sheet.across) * (h + gap), w, h})},
            plan, plan.maps[i]);
    }
    const float below = rest.y + static_cast<float>(sheet.down) * (h + gap) + frame.px(2);
    ui::color_line(frame.ui,
                   {left, std::min(below, foot.y + frame.px(6)),
                    std::min(rest.w, frame.px(220) * frame.ui.text_scale()), frame.line()},
                   what.scale);
}

}  // namespace headlight::screens
