
#include "image/image.h"

namespace headlight {

Image to_grey(const Image& image) {
    if (image.channels == 1) return image;
    Image grey{image.height, image.width, 1, {}};
    grey.values.reserve(image.values.size() / 3);
    for (auto rgb = image.values.begin(); rgb != image.values.end(); rgb += 3)
        grey.values.push_back(0.299F * rgb[0] + 0.587F * rgb[1] + 0.114F * rgb[2]);
    return grey;
}

Image to_rgb(const Image& image) {
    if (image.channels == 3) return image;
    Image rgb{image.height, image.width, 3, {}};
    rgb.values.reserve(image.values.size() * 3);
    for (const float grey : image.values) rgb.values.insert(rgb.values.end(), 3, grey);
    return rgb;
}

}  // namespace headlight
