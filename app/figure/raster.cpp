#include "figure/raster.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gl/smooth.h"

namespace headlight::figure {

namespace {

constexpr int kMostPixels = 4096, kGradientPixels = 32;

// The cells along one axis inside a window, and the number of cells per pixel.
struct Span {
    int first = 0, last = 0, each = 1;  // [first, last)

    [[nodiscard]] int pixels() const { return (last - first + each - 1) / each; }
};

Span span_of(float begin, float extent, int count) {
    Span span;
    span.first = std::clamp(static_cast<int>(std::floor(begin)), 0, count);
    span.last = std::clamp(static_cast<int>(std::ceil(begin + extent)), span.first, count);
    while (span.pixels() > kMostPixels) span.each *= 2;
    return span;
}

// Many programs smooth enlarged images, whatever the file says. So each cell has enough pixels to
// keep its edges sharp at twice its size.
int repeats_for(float size, int pixels) {
    const int wanted = static_cast<int>(std::ceil(std::max(1.0F, size * 2)));
    return std::clamp(wanted, 1, std::max(1, kMostPixels / std::max(1, pixels)));
}

void append(std::vector<std::uint8_t>& bytes, gl::Rgb color, int times) {
    for (int i = 0; i < times; ++i) bytes.insert(bytes.end(), {color.r, color.g, color.b});
}

// The value that represents the cells under one pixel.
float value_at(const ui::MatrixPicture& picture, const Span& rows, const Span& cols, int y, int x) {
    const int top = rows.first + y * rows.each, left = cols.first + x * cols.each;
    if (rows.each == 1 && cols.each == 1) return picture.cells.at(top, left);
    std::vector<float> cells;
    for (int r = top; r < std::min(top + rows.each, rows.last); ++r)
        for (int c = left; c < std::min(left + cols.each, cols.last); ++c)
            cells.push_back(picture.cells.at(r, c));
    return gl::farthest(picture.style, cells);
}

// Interpolates the part of the matrix inside the window.
Raster smooth_raster_of(const ui::DrawnMatrix& matrix) {
    const auto& [name, cells, window, style] = matrix.picture;
    const double left = std::max(0.0F, window.col), top = std::max(0.0F, window.row),
                 cols = std::min(static_cast<float>(cells.cols), window.col + window.cols) - left,
                 rows = std::min(static_cast<float>(cells.rows), window.row + window.rows) - top;
    if (cols <= 0 || rows <= 0) return {};
    const double wide = matrix.rect.w / window.cols, tall = matrix.rect.h / window.rows;
    const auto pixels = [](double length) {
        return std::clamp(static_cast<int>(std::lround(length * 2)), 1, kMostPixels);
    };
    Raster raster{pixels(cols * wide), pixels(rows * tall), 3, {}, {}};
    const gl::CellGrid grid{cells.data, cells.rows, cells.cols, cells.stride};
    for (int y = 0; y < raster.height; ++y)
        for (int x = 0; x < raster.width; ++x)
            append(raster.bytes,
                   gl::color_of(style,
                                gl::between_middles(grid, top + (y + 0.5) * rows / raster.height,
                                                    left + (x + 0.5) * cols / raster.width)),
                   1);
    raster.place = {matrix.rect.x + static_cast<float>((left - window.col) * wide),
                    matrix.rect.y + static_cast<float>((top - window.row) * tall),
                    static_cast<float>(cols * wide), static_cast<float>(rows * tall)};
    return raster;
}

bool shows_between(const ui::DrawnMatrix& matrix) {
    return matrix.picture.style.smooth &&
           gl::shows_between(matrix.picture.window, static_cast<int>(std::lround(matrix.rect.w)),
                             static_cast<int>(std::lround(matrix.rect.h)));
}

}  // namespace

Raster raster_of(const ui::DrawnMatrix& matrix) {
    if (shows_between(matrix)) return smooth_raster_of(matrix);
    const auto& [name, cells, window, style] = matrix.picture;
    const Span rows = span_of(window.row, window.rows, cells.rows),
               cols = span_of(window.col, window.cols, cells.cols);
    const float wide = matrix.rect.w / window.cols,
                tall = matrix.rect.h / window.rows;  // of a cell
    const int across = repeats_for(wide * static_cast<float>(cols.each), cols.pixels()),
              down = repeats_for(tall * static_cast<float>(rows.each), rows.pixels());
    Raster raster{cols.pixels() * across, rows.pixels() * down, 3, {}, {}};
    for (int y = 0; y < rows.pixels(); ++y) {
        std::vector<std::uint8_t> line;
        for (int x = 0; x < cols.pixels(); ++x)
            append(line, gl::color_of(style, value_at(matrix.picture, rows, cols, y, x)), across);
        for (int i = 0; i < down; ++i)
            raster.bytes.insert(raster.bytes.end(), line.begin(), line.end());
    }
    raster.place = {matrix.rect.x + (static_cast<float>(cols.first) - window.col) * wide,
                    matrix.rect.y + (static_cast<float>(rows.first) - window.row) * tall,
                    static_cast<float>(cols.pixels() * cols.each) * wide,
                    static_cast<float>(rows.pixels() * rows.each) * tall};
    return raster;
}

namespace {

// Repeats each pixel as a rectangle.
Raster enlarged(const Raster& raster, int across, int down) {
    Raster large{raster.width * across, raster.height * down, raster.channels, {}, raster.place};
    const auto channels = static_cast<std::size_t>(raster.channels);
    for (int y = 0; y < large.height; ++y)
        for (int x = 0; x < large.width; ++x) {
            const auto pixel = static_cast<std::size_t>(y / down * raster.width + x / across);
            const auto first = raster.bytes.begin() + static_cast<std::ptrdiff_t>(pixel * channels);
            large.bytes.insert(large.bytes.end(), first,
                               first + static_cast<std::ptrdiff_t>(channels));
        }
    return large;
}

}  // namespace

Raster raster_of(const ui::DrawnPhoto& photo) {
    const ui::PhotoPicture& picture = photo.picture;
    Raster raster{picture.width, picture.height, picture.channels, {}, photo.rect};
    const std::size_t count = static_cast<std::size_t>(picture.width) *
                              static_cast<std::size_t>(picture.height) *
                              static_cast<std::size_t>(picture.channels);
    raster.bytes.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        raster.bytes.push_back(gl::to_byte(picture.pixels.get()[i]));
    if (!picture.cells) return raster;
    const auto repeats = [](float size, int pixels) {
        return repeats_for(size / static_cast<float>(pixels), pixels);
    };
    return enlarged(raster, repeats(photo.rect.w, picture.width),
                    repeats(photo.rect.h, picture.height));
}

Raster raster_of(const ui::DrawnGradient& gradient) {
    Raster raster{kGradientPixels, kGradientPixels, 4, {}, gradient.rect};
    constexpr std::array shifts{IM_COL32_R_SHIFT, IM_COL32_G_SHIFT, IM_COL32_B_SHIFT,
                                IM_COL32_A_SHIFT};
    for (int y = 0; y < kGradientPixels; ++y) {
        const float down = (static_cast<float>(y) + 0.5F) / kGradientPixels;
        const ImU32 left = ui::mix(gradient.top_left, gradient.bottom_left, down),
                    right = ui::mix(gradient.top_right, gradient.bottom_right, down);
        for (int x = 0; x < kGradientPixels; ++x) {
            const ImU32 color =
                ui::mix(left, right, (static_cast<float>(x) + 0.5F) / kGradientPixels);
            for (const int shift : shifts)
                raster.bytes.push_back(static_cast<std::uint8_t>(color >> shift));
        }
    }
    return raster;
}

}  // namespace headlight::figure
