#include "image/formats.h"
#include "image/iso_brands.h"

#ifdef HEADLIGHT_AVIF
#include <avif/avif.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
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
    if (result == AVIF_RESULT_TRUNCATED_DATA) refuse_cut_short(name);
    throw ImageError(name + ": expected an undamaged AVIF, found: " + avifResultToString(result));
}

// A fraction of the clean aperture, stored as two unsigned numbers. The numerator of an offset is
// signed.
struct Fraction {
    std::int64_t over = 0, under = 1;
};
Fraction fraction(std::uint32_t over, std::uint32_t under) {
    return {static_cast<std::int32_t>(over), static_cast<std::int32_t>(under)};
}

// Start and length of the aperture along a side of `pixels` pixels. `offset` is the distance of its
// center from the picture's center (ISO/IEC 14496-12, 12.1.4).
struct Span {
    std::int64_t first = 0, count = 0;
};
std::optional<Span> span_of(std::int64_t pixels, const Fraction& size, const Fraction& offset) {
    if (size.under <= 0 || offset.under <= 0 || size.over % size.under != 0) return {};
    const std::int64_t count = size.over / size.under;
    const std::int64_t twice = 2 * offset.over + (pixels - count) * offset.under;
    if (count < 1 || count > pixels || twice % (2 * offset.under) != 0) return {};
    const std::int64_t first = twice / (2 * offset.under);
    if (first < 0 || first + count > pixels) return {};
    return Span{first, count};
}

// Cuts out the visible part of the picture. libavif leaves cropping, then rotating and mirroring,
// to its callers.
Image clean_aperture(Image image, const avifImage& stored, const std::string& name) {
    if ((stored.transformFlags & AVIF_TRANSFORM_CLAP) == 0) return image;
    const avifCleanApertureBox& box = stored.clap;
    const auto across = span_of(image.width, fraction(box.widthN, box.widthD),
                                fraction(box.horizOffN, box.horizOffD));
    const auto down = span_of(image.height, fraction(box.heightN, box.heightD),
                              fraction(box.vertOffN, box.vertOffD));
    if (!across || !down)
        throw ImageError(name +
                         ": expected a clean aperture (clap) of whole pixels within the picture, "
                         "found another. Save the picture again without it");
    Image part{static_cast<int>(down->count),
               static_cast<int>(across->count),
               image.channels,
               {},
               image.alpha};
    const auto count = static_cast<std::size_t>(across->count) * image.channels;
    part.values.reserve(count * static_cast<std::size_t>(down->count));
    for (std::int64_t row = down->first; row < down->first + down->count; ++row) {
        const auto at = static_cast<std::size_t>(row * image.width + across->first) *
                        static_cast<std::size_t>(image.channels);
        const auto* from = image.values.data() + at;
        part.values.insert(part.values.end(), from, from + count);
    }
    return part;
}

// Rotates counterclockwise first, then mirrors.
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
    // Files of older encoders lack fields that the standard later required, but their pictures are
    // complete.
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
    Image whole = image_of(samples.data(), static_cast<int>(rgb.height),
                           static_cast<int>(rgb.width), channels, options.alpha);
    return turned(clean_aperture(std::move(whole), stored, name), stored);
}

#else
constexpr Decode decode_avif = nullptr;
#endif

}  // namespace

const OptionalFormat kAvif{"AVIF", has_avif_brand, decode_avif};

}  // namespace headlight
