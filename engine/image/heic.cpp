#include "image/formats.h"
#include "image/iso_brands.h"

#ifdef HEADLIGHT_HEIC
#include <libheif/heif.h>

#include <memory>
#include <vector>

#include "image/limits.h"
#include "image/samples.h"
#endif

namespace headlight {
namespace {

bool is_heic(Bytes file) {
    return !has_avif_brand(file) &&
           has_brand(file, {"heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"});
}

#ifdef HEADLIGHT_HEIC

void expect(const heif_error& error, const std::string& name) {
    if (error.code == heif_error_Ok) return;
    if (error.subcode == heif_suberror_End_of_data) refuse_cut_short(name);
    if (error.code == heif_error_Unsupported_filetype ||
        error.code == heif_error_Unsupported_feature)
        throw ImageError(name + ": the installed libheif cannot decode this HEIC: " +
                         error.message + " (HEVC may need the package libheif-plugin-libde265)");
    throw ImageError(name + ": expected an undamaged HEIC, found: " + error.message);
}

// Removes the padding between libheif's rows.
std::vector<std::uint8_t> packed(const std::uint8_t* plane, int stride, int height, int row,
                                 bool premultiplied) {
    std::vector<std::uint8_t> samples;
    samples.reserve(static_cast<std::size_t>(row) * height);
    for (int y = 0; y < height; ++y, plane += stride)
        samples.insert(samples.end(), plane, plane + row);
    for (std::size_t at = 0; premultiplied && at < samples.size(); at += 4)
        for (std::size_t c = at; c < at + 3; ++c)
            samples[c] = unmultiplied(samples[c], samples[at + 3]);
    return samples;
}

template <class T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

// libheif itself crops, rotates and mirrors as the file says.
Image decode_heic(Bytes file, const std::string& name, const DecodeOptions& options) {
    const Owned<heif_context> context(heif_context_alloc(), heif_context_free);
    expect(heif_context_read_from_memory_without_copy(context.get(), file.data(), file.size(),
                                                      nullptr),
           name);
    heif_image_handle* found = nullptr;
    expect(heif_context_get_primary_image_handle(context.get(), &found), name);
    const Owned<const heif_image_handle> handle(found, heif_image_handle_release);
    check_size(heif_image_handle_get_height(found), heif_image_handle_get_width(found), name,
               options.max_pixels);

    const bool alpha = heif_image_handle_has_alpha_channel(found) != 0;
    const Owned<heif_decoding_options> how(heif_decoding_options_alloc(),
                                           heif_decoding_options_free);
    how->convert_hdr_to_8bit = 1;
    heif_image* decoded = nullptr;
    expect(heif_decode_image(found, &decoded, heif_colorspace_RGB,
                             alpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB,
                             how.get()),
           name);
    const Owned<const heif_image> image(decoded, heif_image_release);
    const int height = heif_image_get_height(decoded, heif_channel_interleaved),
              width = heif_image_get_width(decoded, heif_channel_interleaved);
    check_size(height, width, name, options.max_pixels);
    int stride = 0;
    const std::uint8_t* plane =
        heif_image_get_plane_readonly(decoded, heif_channel_interleaved, &stride);
    const int channels = alpha ? 4 : 3;
    const bool premultiplied = alpha && heif_image_handle_is_premultiplied_alpha(found) != 0;
    const auto samples = packed(plane, stride, height, width * channels, premultiplied);
    return image_of(samples.data(), height, width, channels, options.alpha);
}

#else
constexpr Decode decode_heic = nullptr;
#endif

}  // namespace

const OptionalFormat kHeic{"HEIC", is_heic, decode_heic};

}  // namespace headlight
