#include "chrome/file_grid.h"

#include <algorithm>

namespace headlight::screens {

float FileGrid::files_top() const {
    const float before = folders_top() + static_cast<float>(rows(folders)) * (folder_h + gap);
    return before + (files > 0 ? heading : 0);
}

float FileGrid::height() const {
    return files_top() + static_cast<float>(rows(files)) * (file_h + gap);
}

ui::Rect FileGrid::tile(int index) const {
    const bool folder = index < folders;
    const int nth = folder ? index : index - folders, row = nth / cols, col = nth % cols;
    const float tall = folder ? folder_h : file_h, top = folder ? folders_top() : files_top();
    return {static_cast<float>(col) * (tile_w + gap), top + static_cast<float>(row) * (tall + gap),
            tile_w, tall};
}

int FileGrid::row_start(float y) const {
    const float below = y - files_top();
    const float in_folders = std::max(0.0F, y - folders_top());
    if (below < 0) return std::min(folders, static_cast<int>(in_folders / (folder_h + gap)) * cols);
    return folders + std::min(files, static_cast<int>(below / (file_h + gap)) * cols);
}

int FileGrid::beside(int index, int right, int down) const {
    index = std::clamp(index + right, 0, count() - 1);
    for (; down > 0; --down) {
        const bool folder = index < folders;
        const int nth = folder ? index : index - folders, col = nth % cols;
        const int tiles = folder ? folders : files;
        if (nth / cols + 1 < rows(tiles))
            index += std::min(cols, tiles - 1 - nth);
        else if (folder && files > 0)
            index = folders + std::min(col, files - 1);
    }
    for (; down < 0; ++down) {
        const bool folder = index < folders;
        const int nth = folder ? index : index - folders, col = nth % cols;
        if (nth >= cols)
            index -= cols;
        else if (!folder && folders > 0)
            index = std::min((rows(folders) - 1) * cols + col, folders - 1);
    }
    return index;
}

}  // namespace headlight::screens
