#pragma once

#include <memory>

#include "image/image.h"
#include "ui/pictures.h"

namespace headlight::screens {

// An image for a canvas. smooth: see gl::ImageTexture.
inline ui::PhotoPicture photo(const std::shared_ptr<const Image>& image, bool smooth) {
    return {{image, image->values.data()}, image->height, image->width, image->channels, smooth};
}

}  // namespace headlight::screens
