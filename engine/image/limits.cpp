#include "image/limits.h"

#include "image/image.h"

namespace headlight {

void check_size(std::int64_t height, std::int64_t width, const std::string& name,
                std::int64_t max_pixels) {
    const std::string found = ", found " + std::to_string(width) + " x " + std::to_string(height);
    if (height < 1 || width < 1)
        throw ImageError(name + ": expected a width and height of at least 1" + found);
    // Check each side first, so that the product cannot overflow.
    if (height > max_pixels || width > max_pixels || height > max_pixels / width)
        throw ImageError(name + ": expected at most " + std::to_string(max_pixels) + " pixels" +
                         found);
}

void refuse_cut_short(const std::string& name) {
    throw ImageError(
        name +
        ": expected a whole image, found a file that ends too early. Copy or download it again");
}

}  // namespace headlight
