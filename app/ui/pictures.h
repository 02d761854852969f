#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "gl/heatmap.h"

namespace headlight::ui {

// A matrix to be shown: cells that someone else owns, and a number that changes when they do.
struct Cells {
    const float* data = nullptr;
    int rows = 0, cols = 0, stride = 0;
    std::uint64_t version = 0;
    // Of large matrices: as long as it lives, so do the cells. Without it their texture is made at
    // once, within the frame.
    std::shared_ptr<const void> keeper = {};

    [[nodiscard]] bool empty() const { return rows == 0 || cols == 0; }
    [[nodiscard]] float at(int r, int c) const {
        return data[static_cast<std::ptrdiff_t>(r) * stride + c];
    }
};

// A matrix as a widget of that name shows it: which of its cells, and in which colors.
struct MatrixPicture {
    std::string name;
    Cells cells;
    gl::CellWindow window;
    gl::HeatmapStyle style;
};

// A photograph: height × width × channels floats in [0, 1] that never change.
struct PhotoPicture {
    std::shared_ptr<const float> pixels;
    int height = 0, width = 0, channels = 0;
    bool smooth = false;  // see gl::ImageTexture
    bool cells = false;   // its pixels are cells: whoever enlarges them keeps their edges
};

}  // namespace headlight::ui
