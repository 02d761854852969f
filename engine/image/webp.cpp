#include "image/formats.h"

#ifdef HEADLIGHT_WEBP
#include <webp/decode.h>
#include <webp/demux.h>

#include <memory>

#include "image/limits.h"
#include "image/samples.h"
#endif

namespace headlight {
namespace {

bool is_webp(Bytes file) { return holds(file, 0, "RIFF") && holds(file, 8, "WEBP"); }

#ifdef HEADLIGHT_WEBP

const std::uint8_t* raw(Bytes file) { return reinterpret_cast<const std::uint8_t*>(file.data()); }

[[noreturn]] void refuse_header(VP8StatusCode status, const std::string& name) {
    if (status == VP8_STATUS_NOT_ENOUGH_DATA) refuse_cut_short(name);
    throw ImageError(name + ": expected an undamaged WebP, found one with a damaged header");
}

[[noreturn]] void refuse_pixels(const std::string& name) {
    throw ImageError(name + ": expected an undamaged WebP, found one that cannot be decoded");
}

Image first_frame(Bytes file, const std::string& name, const DecodeOptions& options) {
    const WebPData data{raw(file), file.size()};
    const std::unique_ptr<WebPAnimDecoder, void (*)(WebPAnimDecoder*)> decoder(
        WebPAnimDecoderNew(&data, nullptr), WebPAnimDecoderDelete);
    WebPAnimInfo info;
    std::uint8_t* canvas = nullptr;
    int time = 0;
    if (decoder == nullptr || WebPAnimDecoderGetInfo(decoder.get(), &info) == 0 ||
        WebPAnimDecoderGetNext(decoder.get(), &canvas, &time) == 0)
        refuse_pixels(name);
    return image_of(canvas, static_cast<int>(info.canvas_height),
                    static_cast<int>(info.canvas_width), 4, options.alpha);
}

Image decode_webp(Bytes file, const std::string& name, const DecodeOptions& options) {
    WebPBitstreamFeatures header;
    const VP8StatusCode status = WebPGetFeatures(raw(file), file.size(), &header);
    if (status != VP8_STATUS_OK) refuse_header(status, name);
    check_size(header.height, header.width, name, options.max_pixels);
    // For a truncated file, libwebp only reports that decoding failed.
    if (number(file, 4, 4, std::endian::little) + std::uint64_t{8} > file.size())
        refuse_cut_short(name);
    if (header.has_animation != 0) return first_frame(file, name, options);
    int width = 0, height = 0;
    const bool alpha = header.has_alpha != 0;
    const std::unique_ptr<std::uint8_t, void (*)(void*)> samples(
        (alpha ? WebPDecodeRGBA : WebPDecodeRGB)(raw(file), file.size(), &width, &height),
        WebPFree);
    if (samples == nullptr) refuse_pixels(name);
    return image_of(samples.get(), height, width, alpha ? 4 : 3, options.alpha);
}

#else
constexpr Decode decode_webp = nullptr;
#endif

}  // namespace

const OptionalFormat kWebp{"WebP", is_webp, decode_webp};

}  // namespace headlight
