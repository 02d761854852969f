#include "gl/image_texture.h"

#include <stdexcept>
#include <vector>

#include "gl/api.h"
#include "gl/colormap.h"
#include "gl/saved_state.h"

namespace headlight::gl {

ImageTexture::ImageTexture(const float* pixels, int height, int width, int channels, bool smooth)
    : width_(width), height_(height) {
    if (height < 1 || width < 1 || (channels != 1 && channels != 3)) {
        throw std::invalid_argument(
            "image texture: needs at least 1 x 1 pixels of 1 or 3 channels");
    }
    const std::size_t count = static_cast<std::size_t>(height) * width;
    std::vector<std::uint8_t> bytes(count * 4, 255);
    // Blue first, as RenderTarget has it.
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t c = 0; c < 3; ++c) {
            bytes[4 * i + 2 - c] = to_byte(channels == 3 ? pixels[3 * i + c] : pixels[i]);
        }
    }

    const SavedUploadState saved;
    texture_ = make_texture();
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_BGRA, GL_UNSIGNED_BYTE,
                 bytes.data());
    if (smooth) {
        glGenerateMipmap(GL_TEXTURE_2D);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    }
}

}  // namespace headlight::gl
