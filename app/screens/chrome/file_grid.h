#pragma once

#include "ui/geometry.h"

namespace headlight::screens {

// The tiles of the file browser: low ones for folders, below them tall ones for files. Tiles are
// numbered through, folders first; heights are counted from the grid's top.
struct FileGrid {
    int folders = 0, files = 0, cols = 1;
    float tile_w = 0, folder_h = 0, file_h = 0, gap = 0, label = 0;
    float heading = 0;  // above the folders, and above the files

    [[nodiscard]] int count() const { return folders + files; }
    [[nodiscard]] float height() const;
    [[nodiscard]] ui::Rect tile(int index) const;
    // The first tile of the row that holds this height; the end of the tiles below all rows.
    [[nodiscard]] int row_start(float y) const;
    // The tile that lies so many tiles to the right and rows down (negative: left, up), or the last
    // one on the way. Needs count() > 0.
    [[nodiscard]] int beside(int index, int right, int down) const;

  private:
    [[nodiscard]] int rows(int tiles) const { return (tiles + cols - 1) / cols; }
    [[nodiscard]] float folders_top() const { return folders > 0 ? heading : 0; }
    [[nodiscard]] float files_top() const;
};

}  // namespace headlight::screens
