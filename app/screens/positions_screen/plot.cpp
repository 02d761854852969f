#include <algorithm>
#include <cmath>

#include "positions_screen/view.h"

// Curves over offsets or layers, with labeled grid lines.
namespace headlight::screens {

Plot plot_in(Frame& frame, ui::Rect rect, const std::vector<std::string_view>& levels, double low,
             double high) {
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle small{
        .face = ui::Face::mono, .size = ui::Size::small, .color = frame.colors().dim};
    float widest = 0;
    for (const auto level : levels) widest = std::max(widest, canvas.measure(level, small));
    const ui::Rect side = rect.cut_left(widest + frame.px(8));
    // Within the plot's height, since text is above and below; if it is low, only the outer ones.
    const bool all = rect.h >= frame.line() * static_cast<float>(levels.size());
    for (std::size_t i = 0; i < levels.size(); ++i) {
        if (!all && i > 0 && i + 1 < levels.size()) continue;
        const float part =
            static_cast<float>(i) / static_cast<float>(std::max<std::size_t>(1, levels.size() - 1));
        canvas.text({side.x, rect.y + std::max(0.0F, rect.h - frame.line()) * part}, levels[i],
                    small);
    }
    for (const float part : {0.0F, 0.5F, 1.0F})
        canvas.line({rect.x, rect.y + rect.h * part}, {rect.x + rect.w, rect.y + rect.h * part},
                    frame.colors().border);
    return {rect, low, high};
}

void curve(Frame& frame, const Plot& plot, const std::vector<double>& values, std::size_t last,
           ImU32 color) {
    std::vector<ImVec2> points;
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (std::isnan(values[k])) continue;
        const double value = std::clamp(values[k], plot.low, plot.high);
        const auto up = static_cast<float>((value - plot.low) / (plot.high - plot.low));
        points.push_back({plot.rect.x + plot.rect.w * static_cast<float>(k) /
                                            static_cast<float>(std::max<std::size_t>(1, last)),
                          plot.rect.y + plot.rect.h * (1 - up)});
    }
    if (points.size() > 1) ui::Canvas(frame.ui).path(std::move(points), color, frame.px(2));
}

}  // namespace headlight::screens
