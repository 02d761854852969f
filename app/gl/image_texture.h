#pragma once

#include <cstdint>
#include <vector>

#include "gl/objects.h"

namespace headlight::gl {

// A picture as the GPU takes it, RGBA8 in the order of kWindowFormat (api.h; as RenderTarget has
// it), and of a smooth one the halves that stand for it when it is shrunk, down to a single pixel.
// No OpenGL here.
struct ImageLevels {
    struct Level {
        int width = 0, height = 0;
        std::vector<std::uint8_t> bytes;  // height × width × 4
    };
    std::vector<Level> levels;  // the picture first
};

// height × width × channels floats in [0, 1] (beyond: the nearer end; NaN: 0); channels 1 (shown
// grey) or 3. Throws std::invalid_argument for an empty picture or another number of channels.
ImageLevels image_levels(const float* pixels, int height, int width, int channels, bool smooth);

// A picture on the GPU, row 0 at the top.
class ImageTexture {
  public:
    // One level: each pixel stays a square; several: linear filtering.
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
