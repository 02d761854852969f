#include "chrome/file_grid.h"

#include <gtest/gtest.h>

namespace headlight::screens {
namespace {

// Five folders above seven files, three in a row:
//   0 1 2
//   3 4
//   5 6 7
//   8 9 10
//   11
FileGrid grid_of(int folders, int files) {
    FileGrid grid;
    grid.folders = folders;
    grid.files = files;
    grid.cols = 3;
    grid.tile_w = 100;
    grid.folder_h = 20;
    grid.file_h = 80;
    grid.gap = 10;
    return grid;
}

TEST(FileGrid, arrows_to_the_side_pass_through_all_tiles_and_stop_at_the_ends) {
    const FileGrid grid = grid_of(5, 7);
    EXPECT_EQ(grid.beside(4, 1, 0), 5);
    EXPECT_EQ(grid.beside(5, -1, 0), 4);
    EXPECT_EQ(grid.beside(0, -1, 0), 0);
    EXPECT_EQ(grid.beside(11, 1, 0), 11);
}

TEST(FileGrid, arrows_down_keep_their_column_where_the_row_below_has_it) {
    const FileGrid grid = grid_of(5, 7);
    EXPECT_EQ(grid.beside(1, 0, 1), 4);
    EXPECT_EQ(grid.beside(2, 0, 1), 4);   // the last folder
    EXPECT_EQ(grid.beside(4, 0, 1), 6);   // from folders to files
    EXPECT_EQ(grid.beside(9, 0, 1), 11);  // the last file
    EXPECT_EQ(grid.beside(11, 0, 1), 11);
}

TEST(FileGrid, arrows_up_come_back) {
    const FileGrid grid = grid_of(5, 7);
    EXPECT_EQ(grid.beside(11, 0, -1), 8);
    EXPECT_EQ(grid.beside(6, 0, -1), 4);  // from files to folders
    EXPECT_EQ(grid.beside(7, 0, -1), 4);  // the last folder
    EXPECT_EQ(grid.beside(1, 0, -1), 1);
}

TEST(FileGrid, works_with_folders_or_files_alone) {
    EXPECT_EQ(grid_of(0, 2).beside(0, 0, -1), 0);
    EXPECT_EQ(grid_of(0, 4).beside(2, 0, 1), 3);
    EXPECT_EQ(grid_of(4, 0).beside(3, 0, 1), 3);
    EXPECT_EQ(grid_of(1, 0).beside(0, 1, 1), 0);
}

TEST(FileGrid, a_height_finds_its_row) {
    const FileGrid grid = grid_of(5, 7);
    for (int i = 0; i < grid.count(); ++i) {
        const ui::Rect tile = grid.tile(i);
        const int start = grid.row_start(tile.center().y);
        EXPECT_EQ(grid.tile(start).y, tile.y) << i;
        EXPECT_EQ(grid.tile(start).x, 0) << i;
    }
    EXPECT_EQ(grid.row_start(grid.height() + 1000), grid.count());
}

}  // namespace
}  // namespace headlight::screens
