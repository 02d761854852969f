#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/canvas.h"
#include "ui/color_scale.h"
#include "ui/contours.h"

namespace headlight::figure {

// A figure of many maps over one picture: a name above each column and before each row, a caption
// above, and one color bar below for all. Maps drawn in hues have a legend beside the bar.
struct MapSheet {
    // Outlined cells of a map, row by row, and a query's position on the picture, in its pixels.
    struct Outline {
        std::vector<bool> chosen;
        ImU32 color = IM_COL32_WHITE;
    };
    struct Mark {
        ui::Rect pixels;
        ImU32 color = 0;
    };
    struct Map {
        std::string title;       // above it, if columns and rows have no names
        ui::Cells cells;         // if it is not drawn in hues; with neither, the place is empty
        ui::PhotoPicture hues;   // one pixel per cell; or nothing
        int rows = 0, cols = 0;  // of cells or hues
        ui::Contours contours;   // contour lines
        std::optional<ui::ColorScale> scale{};  // its own; empty: the sheet's
        std::vector<Outline> outlines;
        std::vector<Mark> marks;

        [[nodiscard]] bool empty() const { return rows == 0 || cols == 0; }
    };
    struct Hue {
        std::string name;
        ImU32 color = 0;
    };

    std::string caption;                     // "": none
    ui::PhotoPicture picture;                // empty: not drawn
    std::vector<std::string> columns, rows;  // their names; or "" for each
    std::vector<Map> maps;  // rows × columns, row by row; last ones may be missing
    // The area of the picture that the maps cover, in its pixels, and the cells of each map in that
    // area.
    ui::Rect covered;
    gl::CellWindow window;
    std::vector<Hue> legend;  // for maps drawn in hues
    ui::ColorScale scale;     // of the brightness, for maps drawn in hues
    // Labels for the ends of the bar if each map has its own scale; empty: numbers.
    std::string low_words, high_words;
    bool smooth = false;                          // for cells: see gl::HeatmapStyle
    std::string scale_label;                      // wrapped into lines
    float opacity = 0.65F, hued_opacity = 0.75F;  // of the maps over the picture
    float tile = 96;                              // longer side of a picture, in units
};

// The size in pixels, including a margin.
ImVec2 size_of(ui::Context& ui, const MapSheet& sheet);
void draw(ui::Context& ui, const ui::Rect& rect, const MapSheet& sheet);

}  // namespace headlight::figure
