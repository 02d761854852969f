#include "encoder/nearest.h"

#include <fmt/format.h>

#include <algorithm>

#include "frame/capitals.h"
#include "frame/picture.h"
#include "heads/plot.h"
#include "heads/view.h"

// For models without classes: the tokens whose final state a token is most similar to, layer by
// layer.
namespace headlight::screens {

namespace {

constexpr Index kNearest = 4;

// Kept between frames: the step under the pointer, whose nearest tokens are marked.
struct NearestMemory {
    std::optional<int> step;
};

MatrixView cosines_of(const HeadsView& view) { return view.stream().nearest; }

std::vector<Index> nearest_at(const HeadsView& view, Index step) {
    return nearest_tokens(cosines_of(view), step, view.token, kNearest);
}

ImU32 color_of(const Frame& frame, std::size_t rank) {
    return frame.colors().head(static_cast<int>(rank));
}

void legend_line(Frame& frame, ui::Layout& legend, const std::string& name, float cosine,
                 ImU32 color) {
    ui::Layout row = legend.row();
    if (row.h < frame.line()) return;
    const std::string number = ui::number(cosine, 3);
    const ui::TextStyle mono{
        .face = ui::Face::mono, .size = ui::Size::small, .align = ui::Align::right};
    row.words_right(number, mono);
    legend_name(frame, row, name, color);
}

// The nearest other token after each layer.
void report_nearest(Frame& frame, const HeadsView& view, int steps) {
    const Index prefix = frame.trace.layout.prefix();
    std::string all;
    for (int step = 0; step < steps; ++step) {
        const std::vector<Index> nearest = nearest_at(view, step);
        if (nearest.empty()) continue;
        const std::string name = nearest[0] < prefix ? "·" : std::to_string(nearest[0] - prefix);
        all += (all.empty() ? "" : " ") + name;
    }
    frame.ui.report("heads.nearest.others", all);
}

void tell(Frame& frame, const HeadsView& view, int step) {
    const MatrixView cosines = cosines_of(view);
    const TokenLayout& layout = frame.trace.layout;
    std::string words = first_capital(fmt::format(
        "{}, {} is most similar to the final state of these tokens:", after(frame, step),
        token_name(layout, view.token)));
    for (const Index token : nearest_at(view, step))
        words +=
            fmt::format("\n{}  {}", ui::number(cosines(step, token), 3), token_name(layout, token));
    words += fmt::format("\n{}  to itself", ui::number(cosines(step, view.token), 3));
    frame.ui.tooltip(words);
}

}  // namespace

void nearest_card(Frame& frame, ui::Layout rect, const HeadsView& view) {
    const MatrixView cosines = cosines_of(view);
    const TokenLayout& layout = frame.trace.layout;
    const std::string token = with_article(token_name(layout, view.token));
    ui::Layout inside =
        card(frame, rect,
             {"FINAL TOKENS NEAREST TO " + capitals(token) + ", LAYER BY LAYER",
              "FINAL TOKENS NEAREST TO " + capitals(token), "NEAREST FINAL TOKENS", "NEAREST"});
    ui::Layout legend = inside.right(std::min(inside.w * 0.36F, frame.px(170)), 14);
    const std::vector<Index> last = nearest_at(view, cosines.rows - 1);
    float least = 0;
    for (Index l = 0; l < cosines.rows; ++l) {
        for (const Index other : last) least = std::min(least, cosines(l, other));
        least = std::min(least, cosines(l, view.token));
    }
    const ui::Rect steps = inside.last_row();
    const ui::Plot plot{with_ends(frame, {frame.ui, inside}, "1", ui::number(least, 2)),
                        static_cast<int>(cosines.rows) - 1, least, 1};
    ui::grid(frame.ui, plot);
    const Index end = cosines.rows - 1;
    const auto curve = [&](Index of, ImU32 color) {
        ui::lines(
            frame.ui, plot, [&](int step) { return cosines(step, of); }, color);
    };
    for (std::size_t k = last.size(); k-- > 0;) curve(last[k], color_of(frame, k));
    curve(view.token, frame.colors().text);
    legend_line(frame, legend, "itself", cosines(end, view.token), frame.colors().text);
    for (std::size_t k = 0; k < last.size(); ++k) {
        const std::string name = token_name(layout, last[k]);
        legend_line(frame, legend, name, cosines(end, last[k]), color_of(frame, k));
        frame.ui.report(fmt::format("heads.nearest.{}", k + 1),
                        fmt::format("{} {:.6f}", name, cosines(end, last[k])));
    }
    steps_line(frame, plot, steps);
    report_nearest(frame, view, plot.last + 1);
    auto& memory = frame.memory.own<NearestMemory>();
    const int step = plot.step_under(ImGui::GetIO().MousePos, kBesidePlot);
    const std::optional<int> hovered = step < 0 ? std::nullopt : std::optional(step);
    if (memory.step != hovered) frame.ui.ask_for_frame();
    memory.step = hovered;
    if (hovered) tell(frame, view, step);
}

void nearest_marks(Frame& frame, const ui::Rect& picture, const HeadsView& view) {
    if (view.stream().nearest.size() == 0) return;
    const MatrixView cosines = cosines_of(view);
    const Index step = std::min<Index>(
        frame.memory.own<NearestMemory>().step.value_or(static_cast<int>(cosines.rows) - 1),
        cosines.rows - 1);
    const PatchGrid& grid = frame.trace.grid;
    const MapPlace map = map_place(grid);
    const Image& image = *frame.trace.image;
    const float wide = map.covered.w / map.cells.cols * picture.w / static_cast<float>(image.width),
                tall =
                    map.covered.h / map.cells.rows * picture.h / static_cast<float>(image.height);
    const std::vector<Index> nearest = nearest_at(view, step);
    ui::Canvas canvas(frame.ui);
    const auto clip = canvas.clip(picture);
    for (std::size_t k = nearest.size(); k-- > 0;) {
        const Index patch = nearest[k] - frame.trace.layout.prefix();
        if (patch < 0 || patch >= grid.count()) continue;
        const auto row = static_cast<float>(patch / grid.cols),
                   col = static_cast<float>(patch % grid.cols);
        const ui::Rect cell{picture.x + (col - map.cells.col) * wide,
                            picture.y + (row - map.cells.row) * tall, wide, tall};
        const float radius = std::clamp(std::min(wide, tall) * 0.3F, frame.px(3), frame.px(7));
        canvas.circle(cell.center(), radius + frame.px(1.5F), IM_COL32(0, 0, 0, 190));
        canvas.circle(cell.center(), radius, color_of(frame, k));
    }
}

}  // namespace headlight::screens
