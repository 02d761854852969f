#pragma once

#include <cstdint>

namespace headlight::gl {

// A picture on the GPU, RGBA8, row 0 at the top.
class ImageTexture {
  public:
    // height × width × channels floats in [0, 1]; channels 1 (shown grey) or 3.
    // smooth: linear filtering; otherwise each pixel stays a square.
    ImageTexture(const float* pixels, int height, int width, int channels, bool smooth);
    ~ImageTexture();
    ImageTexture(ImageTexture&& other) noexcept;
    ImageTexture& operator=(ImageTexture&& other) noexcept;
    ImageTexture(const ImageTexture&) = delete;
    ImageTexture& operator=(const ImageTexture&) = delete;

    [[nodiscard]] std::uint32_t texture() const { return texture_; }
    [[nodiscard]] int width() const { return width_; }
    [[nodiscard]] int height() const { return height_; }

  private:
    std::uint32_t texture_ = 0;
    int width_ = 0, height_ = 0;
};

}  // namespace headlight::gl
