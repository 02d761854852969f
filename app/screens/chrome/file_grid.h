#pragma once

#include "ui/geometry.h"

namespace headlight::screens {

// The layout of the file browser: low tiles for folders, and tall tiles below for files. Tile
// indices start with the folders. Heights are in pixels from the top of the grid.
struct FileGrid {
    int folders = 0, files = 0, cols = 1;
    float tile_w = 0, folder_h = 0, file_h = 0, gap = 0, label = 0;
    float heading = 0;  // height of each heading

    [[nodiscard]] int count() const { return folders + files; }
    [[nodiscard]] float height() const;
    [[nodiscard]] ui::Rect tile(int index) const;
    // The first tile of the row at this height; the end of the tiles below all rows.
    [[nodiscard]] int row_start(float y) const;
    // The tile `right` columns and `down` rows away (negative: left, up), or the last one on the
    // way. Needs count() > 0.
    [[nodiscard]] int beside(int index, int right, int down) const;

  private:
    [[nodiscard]] int rows(int tiles) const { return (tiles + cols - 1) / cols; }
    [[nodiscard]] float folders_top() const { return folders > 0 ? heading : 0; }
    [[nodiscard]] float files_top() const;
};

}  // namespace headlight::screens
