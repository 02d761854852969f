#include "frame/traced.h"

namespace headlight::screens {

ui::Contours traced(const MatrixView& map, const ui::ColorScale& scale) {
    ui::Contours lines;
    for (const float level : ui::contour_levels(scale))
        for (const ContourLine& found : contours_of(map, level)) {
            ui::Contour& line = lines.emplace_back();
            line.closed = found.closed;
            for (const auto& [row, col] : found.corners) line.corners.push_back({col, row});
        }
    return lines;
}

}  // namespace headlight::screens
