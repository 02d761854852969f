#include "cli/region_option.h"

#include <filesystem>

#include "cli/errors.h"
#include "cli/images.h"
#include "disk/files.h"
#include "disk/read_file.h"

namespace headlight::cli {

std::string mask_of(const std::string& named, const std::string& image) {
    if (!is_folder(named)) return named;
    const auto stem = std::filesystem::path(image).stem();
    for (const std::string& mask : all_images({named}))
        if (std::filesystem::path(mask).stem() == stem) return mask;
    throw WorkError(named + ": expected a mask called " + stem.string() +
                    " (with any extension) for " + image + ", found none.");
}

Region region_in_mask(const std::string& mask, const Trace& layer) {
    if (!layer.source)
        throw WorkError(mask +
                        ": expected a picture under this mask, found none. Give one with --image.");
    // Transparent pixels are outside the region.
    const Image image = decode_image(read_file(mask).bytes(), mask, kMaxPixels, Alpha::black);
    return region_of_mask(image, mask, layer.source->height, layer.source->width,
                          layer.preprocessing, layer.grid);
}

}  // namespace headlight::cli
