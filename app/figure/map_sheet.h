#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/canvas.h"
#include "ui/color_scale.h"

namespace headlight::figure {

// A figure of many maps over one picture: a name above each column and before each row, the caption
// above them and one colour bar for all of them below.
struct MapSheet {
    std::string caption;  // "": none
    ui::PhotoPicture picture;
    std::vector<std::string> columns, rows;
    std::vector<ui::Cells> maps;  // rows × columns, row by row; without cells: an empty place
    std::vector<std::vector<bool>> chosen;  // of each map the cells to be outlined; or empty
    // Where the maps lie on the picture, in its pixels, and which cells of each lie there.
    ui::Rect covered;
    gl::CellWindow window;
    // Where the query lies on it; none: nowhere.
    std::optional<ui::Rect> query;
    ui::ColorScale scale;
    std::string scale_label;
    float opacity = 0.65F;  // of the maps over the picture
    float tile = 96;        // units of a picture's longer side
};

// The pixels that it takes, with a margin.
ImVec2 size_of(ui::Context& ui, const MapSheet& sheet);
void draw(ui::Context& ui, const ui::Rect& rect, const MapSheet& sheet);

}  // namespace headlight::figure
