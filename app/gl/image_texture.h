#pragma once

#include <cstdint>
#include <vector>

#include "gl/objects.h"

namespace headlight::gl {

// An image prepared for upload to the GPU: RGBA8 in the order of kWindowFormat (api.h), as in
// RenderTarget. A smooth image also has mipmaps, halved down to a single pixel. Uses no OpenGL.
struct ImageLevels {
    struct Level {
        int width = 0, height = 0;
        std::vector<std::uint8_t> bytes;  // height × width × 4
    };
    std::vector<Level> levels;  // full size first
};

// height × width × channels floats in [0, 1]; values outside are clamped, and NaN gives 0.
// channels: 1 (shown gray) or 3. Throws std::invalid_argument for an empty image or another number
// of channels.
ImageLevels image_levels(const float* pixels, int height, int width, int channels, bool smooth);

// An image on the GPU, row 0 at the top.
class ImageTexture {
  public:
    // With one level, pixels stay square; with several, filtering is linear.
    explicit ImageTexture(const ImageLevels& levels);
    ImageTexture(const float* pixels, int height, int width, int channels, bool smooth)
        : ImageTexture(image_levels(pixels, height, width, channels, smooth)) {}

    [[nodiscard]] std::uint32_t texture() const { return texture_.id(); }
    [[nodiscard]] int width() const { return width_; }
    [[nodiscard]] int height() const { return height_; }

  private:
    Texture texture_;
    int width_ = 0, height_ = 0;
};

}  // namespace headlight::gl
