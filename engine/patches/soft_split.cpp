#include "patches/soft_split.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "kernels/parallel.h"

namespace headlight {
namespace {

using std::to_string;

constexpr std::int64_t kMost = std::numeric_limits<int>::max();

// Number of windows down and across.
struct Windows {
    std::int64_t rows = 0, cols = 0;
};

Windows count_windows(int rows, int cols, int kernel, int stride, int padding) {
    const std::string found = ", found kernel " + to_string(kernel) + ", stride " +
                              to_string(stride) + " and padding " + to_string(padding) + " on " +
                              to_string(rows) + " x " + to_string(cols) + " tokens.";
    if (rows < 1 || cols < 1 || kernel < 1 || stride < 1)
        throw PatchError("Expected tokens, kernel and stride of at least 1" + found);
    // With more padding, some windows would hold no token. (torch.nn.Unfold allows that.)
    if (padding < 0 || padding >= kernel)
        throw PatchError("Expected a padding from 0 to one less than the kernel" + found);
    const auto room = [&](int length) { return length + 2 * std::int64_t{padding} - kernel; };
    if (room(rows) < 0 || room(cols) < 0) throw PatchError("Expected room for a window" + found);
    const Windows windows{room(rows) / stride + 1, room(cols) / stride + 1};
    if (windows.rows > kMost / windows.cols)
        throw PatchError("Expected at most " + to_string(kMost) + " windows" + found);
    return windows;
}

}  // namespace

Matrix soft_split(const MatrixView& tokens, int rows, int cols, int kernel, int stride,
                  int padding) {
    const Windows windows = count_windows(rows, cols, kernel, stride, padding);
    if (tokens.rows != Index{rows} * cols)
        throw PatchError("Expected the tokens of a grid of " + to_string(rows) + " x " +
                         to_string(cols) + ", found " + to_string(tokens.rows) + ".");

    const Index area = Index{kernel} * kernel;
    if (tokens.cols > kMost / area)
        throw PatchError("Expected windows of at most " + to_string(kMost) + " numbers, found " +
                         to_string(kernel) + " x " + to_string(kernel) + " tokens of " +
                         to_string(tokens.cols) + ".");
    Matrix result(windows.rows * windows.cols, tokens.cols * area);  // [N', C·kernel·kernel]
    parallel_for(result.rows(), [&](Index window) {
        const Index top = window / windows.cols * stride - padding;
        const Index left = window % windows.cols * stride - padding;
        float* to = result.row(window).data();
        for (Index place = 0; place < area; ++place) {
            const Index row = top + place / kernel, col = left + place % kernel;
            const bool inside = row >= 0 && row < rows && col >= 0 && col < cols;
            const float* from = inside ? tokens.row(row * cols + col) : nullptr;
            for (Index c = 0; c < tokens.cols; ++c) to[c * area + place] = inside ? from[c] : 0.0F;
        }
    });
    return result;
}

PatchGrid soft_split_grid(const PatchGrid& grid, int kernel, int stride, int padding) {
    const Windows windows = count_windows(grid.rows, grid.cols, kernel, stride, padding);
    const std::int64_t step = grid.settings.stride;
    const std::int64_t new_stride = step * stride, size = step * (kernel - 1) + grid.settings.size;
    const std::int64_t offset = step * padding + grid.offset;
    const std::int64_t height = (windows.rows - 1) * new_stride + size;
    const std::int64_t width = (windows.cols - 1) * new_stride + size;
    if (std::max({new_stride, offset, height, width}) > kMost)
        throw PatchError("Expected windows within " + to_string(kMost) + " pixels, found " +
                         to_string(width) + " x " + to_string(height) + ", a window every " +
                         to_string(new_stride) + ".");

    PatchGrid split = grid;
    split.settings.size = static_cast<int>(size);
    split.settings.stride = static_cast<int>(new_stride);
    split.rows = static_cast<int>(windows.rows);
    split.cols = static_cast<int>(windows.cols);
    split.used_height = static_cast<int>(height);
    split.used_width = static_cast<int>(width);
    split.offset = static_cast<int>(offset);
    return split;
}

}  // namespace headlight
