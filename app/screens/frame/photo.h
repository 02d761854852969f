#pragma once

#include <cstdint>
#include <memory>

#include "image/image.h"
#include "ui/context.h"

namespace headlight::screens {

// The texture of an image. smooth: see gl::ImageTexture.
inline std::uint32_t photo(ui::Context& ui, const std::shared_ptr<const Image>& image,
                           bool smooth) {
    const std::shared_ptr<const float> pixels(image, image->values.data());
    return ui.heatmaps().photo(pixels, image->height, image->width, image->channels, smooth);
}

}  // namespace headlight::screens
