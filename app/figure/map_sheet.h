#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/canvas.h"
#include "ui/color_scale.h"
#include "ui/contours.h"

namespace headlight::figure {

// A figure of many maps over one picture: a name above each column and before each row, the caption
// above them and one color bar for all of them below. Maps in hues have a legend beside it.
struct MapSheet {
    // Cells of a map that are outlined, row by row, and a query's place on the picture, in its
    // pixels.
    struct Outline {
        std::vector<bool> chosen;
        ImU32 color = IM_COL32_WHITE;
    };
    struct Mark {
        ui::Rect pixels;
        ImU32 color = 0;
    };
    struct Map {
        std::string title;       // above it, where columns and rows have no names
        ui::Cells cells;         // where it is in no hues; of both none: an empty place
        ui::PhotoPicture hues;   // a pixel for each cell; or nothing
        int rows = 0, cols = 0;  // of either
        ui::Contours contours;   // lines over its cells
        std::optional<ui::ColorScale> scale{};  // its own; none: that of the sheet
        std::vector<Outline> outlines;
        std::vector<Mark> marks;

        [[nodiscard]] bool empty() const { return rows == 0 || cols == 0; }
    };
    struct Hue {
        std::string name;
        ImU32 color = 0;
    };

    std::string caption;                     // "": none
    ui::PhotoPicture picture;                // without pixels: nothing is seen of it
    std::vector<std::string> columns, rows;  // their names; or "" for each
    std::vector<Map> maps;                   // rows × columns, row by row; the last may be missing
    // Where the maps lie on the picture, in its pixels, and which cells of each lie there.
    ui::Rect covered;
    gl::CellWindow window;
    std::vector<Hue> legend;                      // of maps in hues
    ui::ColorScale scale;                         // of those in hues: how bright they are
    // What the ends of the bar mean where each map has a scale of its own; empty: its numbers.
    std::string low_words, high_words;
    bool smooth = false;                          // cells: see gl::HeatmapStyle
    std::string scale_label;                      // in as many lines as it needs
    float opacity = 0.65F, hued_opacity = 0.75F;  // of the maps over the picture
    float tile = 96;                              // units of a picture's longer side
};

// The pixels that it takes, with a margin.
ImVec2 size_of(ui::Context& ui, const MapSheet& sheet);
void draw(ui::Context& ui, const ui::Rect& rect, const MapSheet& sheet);

}  // namespace headlight::figure
