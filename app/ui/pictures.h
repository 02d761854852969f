#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "gl/heatmap.h"

namespace headlight::ui {

// A matrix to show: cells owned elsewhere, and a version number that changes with them.
struct Cells {
    const float* data = nullptr;
    int rows = 0, cols = 0, stride = 0;
    std::uint64_t version = 0;
    // Keeps the cells of a large matrix alive. Without it, the texture is made synchronously within
    // the frame.
    std::shared_ptr<const void> keeper = {};

    [[nodiscard]] bool empty() const { return rows == 0 || cols == 0; }
    [[nodiscard]] float at(int r, int c) const {
        return data[static_cast<std::ptrdiff_t>(r) * stride + c];
    }
};

// A matrix as the widget of that name shows it: the visible cells and the colors.
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
    bool cells = false;   // its pixels are cells: when enlarged, keep their edges sharp
};

}  // namespace headlight::ui
