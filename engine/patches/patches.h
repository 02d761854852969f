#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "image/image.h"
#include "kernels/matrix.h"
#include "kernels/names.h"

namespace headlight {

class PatchError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// What happens to a border too thin for a whole patch.
enum class Ragged {
    // Extend the image to the right and below with zeros. Zeros are added after normalization, so
    // they are mid-gray for mean 0.5.
    pad,
    crop,  // leave the border out
};
template <>
inline constexpr auto kNames<Ragged> = std::to_array<std::string_view>({"pad", "crop"});

struct PatchSettings {
    int size = 16;    // pixels along one side of a square patch, >= 1
    int stride = 16;  // pixels from one patch to the next, >= 1; if smaller than size, patches
                      // overlap
    Ragged ragged = Ragged::pad;

    friend bool operator==(const PatchSettings&, const PatchSettings&) = default;
};

// In pixels of the preprocessed image; may reach beyond it if padded.
struct PixelRect {
    int row = 0, col = 0, height = 0, width = 0;

    friend bool operator==(const PixelRect&, const PixelRect&) = default;
};

// The places of an image's patches. Patch p is in grid row p / cols and grid column p % cols.
struct PatchGrid {
    PatchSettings settings;
    int image_height = 0, image_width = 0;  // before padding or cropping
    int rows = 0, cols = 0;                 // patches down and across
    // From the first pixel that a patch covers to the last; > image: padded, < image: cropped.
    int used_height = 0, used_width = 0;
    int offset = 0;  // pixels of padding above and left of the image

    [[nodiscard]] int count() const { return rows * cols; }
    [[nodiscard]] PixelRect rect(int patch) const;
    // The patch that covers a pixel; the last in reading order if several do, -1 if none does.
    // Pixels of the padding have coordinates from -offset on.
    [[nodiscard]] int patch_at(int row, int col) const;

    friend bool operator==(const PatchGrid&, const PatchGrid&) = default;
};

// For people, counted from 1: "row 2, column 5" in a grid with `cols` columns.
std::string row_and_column(Index patch, int cols);

// With pad and a stride larger than size, which leaves gaps, no patch begins after the last pixel.
// Throws PatchError for an image without pixels, size or stride < 1, `crop` if no whole patch fits,
// and more patches than fit in an int.
PatchGrid make_patch_grid(int image_height, int image_width, const PatchSettings& settings);

// Why a picture of this size is refused if only whole patches are allowed: "expected multiples of
// 16 pixels, ..., found 225 × 225. The nearest sizes are 224 and 240".
std::string whole_patches_text(int height, int width, int patch);

// Tokens [count, size·size·channels]: (pixel - mean[c]) / std[c], ordered by channel, then row,
// then column, as torch.nn.Unfold does. mean and std hold one number per channel. Throws PatchError
// for mean or std of another length, a std that is not positive, and a grid for another image.
Matrix extract_patches(const Image& image, const PatchGrid& grid, const std::vector<float>& mean,
                       const std::vector<float>& std);

// The same for normalized pixels, given as planes [samples, channels, image_height, image_width] of
// the grid's image: tokens [samples·count, size·size·channels], sample by sample. Throws PatchError
// for samples or channels < 1, and for another number of pixels.
Matrix extract_patches(std::span<const float> planes, int samples, int channels,
                       const PatchGrid& grid);

}  // namespace headlight
