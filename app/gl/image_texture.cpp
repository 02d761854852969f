#include "gl/image_texture.h"

#include <algorithm>
#include <stdexcept>

#include "gl/api.h"
#include "gl/colormap.h"
#include "gl/saved_state.h"

namespace headlight::gl {

namespace {

using ImageLevel = ImageLevels::Level;

// The pixels [first, last) of one side that become pixel `i` of the half-size image: two, or three
// for the last one if the number is odd.
struct Halved {
    int first, last;
};
Halved halved(int i, int count) {
    if (count == 1) return {0, 1};
    return {2 * i, i + 1 == count / 2 ? count : 2 * i + 2};
}

// Each pixel is the mean of those that it replaces.
ImageLevel half_of(const ImageLevel& level) {
    ImageLevel half{std::max(1, level.width / 2), std::max(1, level.height / 2), {}};
    half.bytes.resize(std::size_t{4} * half.width * half.height);
    std::uint8_t* out = half.bytes.data();
    for (int y = 0; y < half.height; ++y) {
        const Halved rows = halved(y, level.height);
        for (int x = 0; x < half.width; ++x) {
            const Halved cols = halved(x, level.width);
            unsigned sums[4] = {};
            for (int row = rows.first; row < rows.last; ++row) {
                const std::size_t at =
                    (static_cast<std::size_t>(row) * level.width + cols.first) * 4;
                const std::uint8_t* in = level.bytes.data() + at;
                for (int k = 0; k < 4 * (cols.last - cols.first); ++k) sums[k % 4] += in[k];
            }
            const auto count =
                static_cast<unsigned>((rows.last - rows.first) * (cols.last - cols.first));
            for (const unsigned sum : sums)
                *out++ = static_cast<std::uint8_t>((sum + count / 2) / count);
        }
    }
    return half;
}

}  // namespace

ImageLevels image_levels(const float* pixels, int height, int width, int channels, bool smooth) {
    if (height < 1 || width < 1 || (channels != 1 && channels != 3))
        throw std::invalid_argument(
            "image texture: needs at least 1 x 1 pixels of 1 or 3 channels");
    const std::size_t count = static_cast<std::size_t>(height) * width;
    ImageLevels result{{{width, height, std::vector<std::uint8_t>(count * 4, 255)}}};
    std::uint8_t* bytes = result.levels.front().bytes.data();
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t c = 0; c < 3; ++c)
            bytes[4 * i + (kBlueFirst ? 2 - c : c)] =
                to_byte(channels == 3 ? pixels[3 * i + c] : pixels[i]);
    while (smooth && (result.levels.back().width > 1 || result.levels.back().height > 1))
        result.levels.push_back(half_of(result.levels.back()));
    return result;
}

ImageTexture::ImageTexture(const ImageLevels& levels)
    : width_(levels.levels.front().width), height_(levels.levels.front().height) {
    const SavedUploadState saved;
    texture_ = make_texture();
    int number = 0;
    for (const ImageLevel& level : levels.levels)
        glTexImage2D(GL_TEXTURE_2D, number++, GL_RGBA8, level.width, level.height, 0, kWindowFormat,
                     GL_UNSIGNED_BYTE, level.bytes.data());
    if (number > 1) {
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    }
}

}  // namespace headlight::gl
