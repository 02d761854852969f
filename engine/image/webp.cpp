#include "image/webp.h"

#include "image/bytes.h"
#include "image/limits.h"

#ifdef HEADLIGHT_WEBP
#include <webp/decode.h>

#include <memory>

#include "image/samples.h"
#endif

namespace headlight {

bool is_webp(std::span<const std::byte> file) {
    return holds(file, 0, "RIFF") && holds(file, 8, "WEBP");
}

#ifdef HEADLIGHT_WEBP

namespace {

const std::uint8_t* raw(std::span<const std::byte> file) {
    return reinterpret_cast<const std::uint8_t*>(file.data());
}

// Why its header cannot be read.
std::string trouble(VP8StatusCode status) {
    return status == VP8_STATUS_NOT_ENOUGH_DATA
               ? ": expected a whole image, found a file that ends too early"
               : ": expected an undamaged WebP, found one with a damaged header";
}

}  // namespace

bool reads_webp() { return true; }

Image decode_webp(std::span<const std::byte> file, const std::string& name,
                  std::int64_t max_pixels) {
    WebPBitstreamFeatures header;
    const VP8StatusCode status = WebPGetFeatures(raw(file), file.size(), &header);
    if (status != VP8_STATUS_OK) throw ImageError(name + trouble(status));
    if (header.has_animation != 0)
        throw ImageError(name + ": expected a WebP of one picture, found an animation");
    check_size(header.height, header.width, name, max_pixels);
    // libwebp gives up where a file ends too early, and says only that.
    if (number(file, 4, 4, std::endian::little) + std::uint64_t{8} > file.size())
        throw ImageError(name + ": expected a whole image, found a file that ends too early");
    int width = 0, height = 0;
    const bool alpha = header.has_alpha != 0;
    const std::unique_ptr<std::uint8_t, void (*)(void*)> samples(
        (alpha ? WebPDecodeRGBA : WebPDecodeRGB)(raw(file), file.size(), &width, &height),
        WebPFree);
    if (samples == nullptr)
        throw ImageError(name + ": expected an undamaged WebP, found one that cannot be decoded");
    return image_of(samples.get(), height, width, alpha ? 4 : 3);
}

#else

bool reads_webp() { return false; }

Image decode_webp(std::span<const std::byte>, const std::string& name, std::int64_t) {
    throw ImageError(name + ": expected a " + image_formats("or") +
                     " image, found WebP, which this program was built without (libwebp-dev)");
}

#endif

}  // namespace headlight
