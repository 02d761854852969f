#pragma once

#include <cstdint>

#include "gl/objects.h"

namespace headlight::gl {

// A picture on the GPU, RGBA8, row 0 at the top.
class ImageTexture {
  public:
    // height × width × channels floats in [0, 1] (beyond: the nearer end; NaN: 0); channels 1
    // (shown grey) or 3. smooth: linear filtering, with mipmaps when shrunk; otherwise each pixel
    // stays a square. Throws std::invalid_argument for an empty picture or another number of
    // channels.
    ImageTexture(const float* pixels, int height, int width, int channels, bool smooth);

    [[nodiscard]] std::uint32_t texture() const { return texture_.id(); }
    [[nodiscard]] int width() const { return width_; }
    [[nodiscard]] int height() const { return height_; }

  private:
    Texture texture_;
    int width_ = 0, height_ = 0;
};

}  // namespace headlight::gl
