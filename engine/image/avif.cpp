#include "image/formats.h"
#include "image/iso_brands.h"

#ifdef HEADLIGHT_AVIF
#include <avif/avif.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "image/exif.h"
#include "image/limits.h"
#include "image/samples.h"
#endif

namespace headlight {
namespace {

#ifdef HEADLIGHT_AVIF

void expect(avifResult result, const std::string& name) {
    if (result == AVIF_RESULT_OK) return;
    if (result == AVIF_RESULT_TRUNCATED_DATA)
        throw ImageError(name + ": expected a whole image, found a file that ends too early");
    throw ImageError(name + ": expected an undamaged AVIF, found: " + avifResultToString(result));
}

// libavif leaves turning and mirroring to its callers. First it is turned, against the clock.
Image turned(Image image, const avifImage& stored) {
    constexpr int kUpright = 1, kMirroredColumns = 2, kMirroredRows = 4;
    constexpr int kTurned[]{kUpright, 8, 3, 6};
    if ((stored.transformFlags & AVIF_TRANSFORM_IROT) != 0)
        image = turn_upright(std::move(image), kTurned[stored.irot.angle % 4]);
#if AVIF_VERSION_MAJOR >= 1
    const bool columns = stored.imir.axis != 0;
#else
    const bool columns = stored.imir.mode != 0;
#endif
    if ((stored.transformFlags & AVIF_TRANSFORM_IMIR) != 0)
        image = turn_upright(std::move(image), columns ? kMirroredColumns : kMirroredRows);
    return image;
}

Image decode_avif(Bytes file, const std::string& name, const DecodeOptions& options) {
    const std::unique_ptr<avifDecoder, void (*)(avifDecoder*)> decoder(avifDecoderCreate(),
                                                                       avifDecoderDestroy);
    if (decoder == nullptr) throw std::bad_alloc();
    // Files of older encoders lack what the standard came to ask for; nothing of the picture.
    decoder->strictFlags = AVIF_STRICT_DISABLED;
    decoder->ignoreExif = decoder->ignoreXMP = AVIF_TRUE;
    expect(avifDecoderSetIOMemory(decoder.get(), reinterpret_cast<const std::uint8_t*>(file.data()),
                                  file.size()),
           name);
    expect(avifDecoderParse(decoder.get()), name);
    check_size(decoder->image->height, decoder->image->width, name, options.max_pixels);
    expect(avifDecoderNextImage(decoder.get()), name);
    const avifImage& stored = *decoder->image;
    check_size(stored.height, stored.width, name, options.max_pixels);

    avifRGBImage rgb;
    avifRGBImageSetDefaults(&rgb, &stored);
    const int channels = decoder->alphaPresent != 0 ? 4 : 3;
    rgb.depth = 8;
    rgb.format = channels == 4 ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB;
    rgb.rowBytes = rgb.width * static_cast<std::uint32_t>(channels);
    std::vector<std::uint8_t> samples(static_cast<std::size_t>(rgb.rowBytes) * rgb.height);
    rgb.pixels = samples.data();
    expect(avifImageYUVToRGB(&stored, &rgb), name);
    return turned(image_of(samples.data(), static_cast<int>(rgb.height),
                           static_cast<int>(rgb.width), channels, options.alpha),
                  stored);
}

#else
constexpr Decode decode_avif = nullptr;
#endif

}  // namespace

const OptionalFormat kAvif{"AVIF", "libavif-dev", has_avif_brand, decode_avif};

}  // namespace headlight
