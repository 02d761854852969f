#include "patches/patches.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "kernels/parallel.h"

namespace headlight {
namespace {

using std::to_string;

// The number of patches along a side of `length` pixels.
std::int64_t patches_along(std::int64_t length, const PatchSettings& settings) {
    const std::int64_t size = settings.size, stride = settings.stride;
    const auto divide_up = [stride](std::int64_t n) { return (n + stride - 1) / stride; };
    if (settings.ragged == Ragged::crop) return length < size ? 0 : (length - size) / stride + 1;
    // Enough patches to reach the last pixel; if the stride leaves gaps, none begins after it.
    return std::min(divide_up(std::max<std::int64_t>(length - size, 0)) + 1, divide_up(length));
}

int to_int(std::int64_t value, const char* what) {
    if (value > std::numeric_limits<int>::max())
        throw PatchError(std::string("Expected fewer ") + what + ", found " + to_string(value) +
                         ".");
    return static_cast<int>(value);
}

void check_normalisation(const char* what, std::size_t found, int channels) {
    if (found != static_cast<std::size_t>(channels))
        throw PatchError(std::string("Expected one ") + what + " per channel, " +
                         to_string(channels) + ", found " + to_string(found) + ".");
}

// Writes one token: a patch channel by channel, with zeros outside the image.
template <typename PixelAt>
void write_token(const PatchGrid& grid, int patch, int channels, PixelAt pixel_at, float* token) {
    const PixelRect rect = grid.rect(patch);
    const auto inside = [](int at, int length) { return at >= 0 && at < length; };
    for (int c = 0; c < channels; ++c)
        for (int row = rect.row; row < rect.row + rect.height; ++row)
            for (int col = rect.col; col < rect.col + rect.width; ++col)
                *token++ = inside(row, grid.image_height) && inside(col, grid.image_width)
                               ? pixel_at(row, col, c)
                               : 0.0F;
}

// The tokens of all samples, [B·N, C·P·P]; calls pixel_at(sample, row, column, channel).
template <typename PixelAt>
Matrix write_tokens(const PatchGrid& grid, int samples, int channels, PixelAt pixel_at) {
    const Index side = grid.settings.size, count = grid.count();
    Matrix tokens(samples * count, side * side * channels);
    parallel_for(tokens.rows(), [&](Index token) {
        const auto sample = static_cast<int>(token / count),
                   patch = static_cast<int>(token % count);
        const auto of_sample = [&](int row, int col, int c) {
            return pixel_at(sample, row, col, c);
        };
        write_token(grid, patch, channels, of_sample, tokens.row(token).data());
    });
    return tokens;
}

}  // namespace

PixelRect PatchGrid::rect(int patch) const {
    return {patch / cols * settings.stride - offset, patch % cols * settings.stride - offset,
            settings.size, settings.size};
}

int PatchGrid::patch_at(int row, int col) const {
    row += offset;
    col += offset;
    if (row < 0 || col < 0) return -1;
    // Only the last patch that begins at or before the pixel can cover it.
    const int grid_row = std::min(row / settings.stride, rows - 1);
    const int grid_col = std::min(col / settings.stride, cols - 1);
    if (row - grid_row * settings.stride >= settings.size) return -1;
    if (col - grid_col * settings.stride >= settings.size) return -1;
    return grid_row * cols + grid_col;
}

std::string row_and_column(Index patch, int cols) {
    return "row " + std::to_string(patch / cols + 1) + ", column " +
           std::to_string(patch % cols + 1);
}

std::string whole_patches_text(int height, int width, int patch) {
    const auto nearest = [&](const std::string& what, int pixels) {
        const int below = pixels / patch * patch, above = below + patch;
        if (below == 0) return what + " is " + to_string(above);
        return what + "s are " + to_string(below) + " and " + to_string(above);
    };
    std::string sizes = nearest("size", height);
    if (height != width) {
        sizes = height % patch != 0 ? nearest("height", height) : "";
        if (width % patch != 0)
            sizes += (sizes.empty() ? "" : ", the nearest ") + nearest("width", width);
    }
    return "expected multiples of " + to_string(patch) + " pixels, the side of a patch, found " +
           to_string(height) + " × " + to_string(width) + ". The nearest " + sizes;
}

PatchGrid make_patch_grid(int image_height, int image_width, const PatchSettings& settings) {
    const int size = settings.size, stride = settings.stride;
    if (size < 1 || stride < 1)
        throw PatchError("Expected a patch size and stride of at least 1, found size " +
                         to_string(size) + " and stride " + to_string(stride) + ".");
    const std::string image =
        "an image of " + to_string(image_width) + " x " + to_string(image_height);
    if (image_height < 1 || image_width < 1)
        throw PatchError("Expected pixels to split, found " + image + ".");

    const std::int64_t rows = patches_along(image_height, settings);
    const std::int64_t cols = patches_along(image_width, settings);
    if (rows == 0 || cols == 0)
        throw PatchError("Expected room for a patch of " + to_string(size) + " x " +
                         to_string(size) + ", found " + image +
                         ". Choose a larger size for the image.");
    to_int(rows * cols, "patches");

    PatchGrid grid{settings, image_height, image_width, static_cast<int>(rows),
                   static_cast<int>(cols)};
    grid.used_height = to_int((rows - 1) * stride + size, "pixels down");
    grid.used_width = to_int((cols - 1) * stride + size, "pixels across");
    return grid;
}

Matrix extract_patches(const Image& image, const PatchGrid& grid, const std::vector<float>& mean,
                       const std::vector<float>& std) {
    if (image.height != grid.image_height || image.width != grid.image_width)
        throw PatchError("Expected the image of the grid, " + to_string(grid.image_width) + " x " +
                         to_string(grid.image_height) + ", found " + to_string(image.width) +
                         " x " + to_string(image.height) + ".");
    check_normalisation("mean", mean.size(), image.channels);
    check_normalisation("standard deviation", std.size(), image.channels);
    for (const float deviation : std)
        if (!(deviation > 0))
            throw PatchError("Expected a standard deviation above 0, found " +
                             to_string(deviation) + ".");

    return write_tokens(grid, 1, image.channels, [&](int /*sample*/, int row, int col, int c) {
        return (image.at(row, col, c) - mean[c]) / std[c];
    });
}

Matrix extract_patches(std::span<const float> planes, int samples, int channels,
                       const PatchGrid& grid) {
    const std::size_t plane = static_cast<std::size_t>(grid.image_height) * grid.image_width;
    // Uses division, because a product of numbers from a file could overflow.
    if (samples < 1 || channels < 1 || plane == 0 || planes.size() % plane != 0 ||
        planes.size() / plane != static_cast<std::uint64_t>(samples) * channels)
        throw PatchError("Expected " + to_string(samples) + " samples of " + to_string(channels) +
                         " planes of " + to_string(grid.image_width) + " x " +
                         to_string(grid.image_height) + " pixels, found " +
                         to_string(planes.size()) + " pixels.");

    return write_tokens(grid, samples, channels, [&](int sample, int row, int col, int c) {
        const std::size_t before = plane * (static_cast<std::size_t>(sample) * channels + c);
        return planes[before + static_cast<std::size_t>(row) * grid.image_width + col];
    });
}

}  // namespace headlight
