#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "image/bytes.h"
#include "image/exif.h"
#include "image/formats.h"
#include "image/image.h"
#include "image/limits.h"
#include "image/pnm.h"
#include "image/samples.h"

// Only this file contains stb_image. Its functions are static, and formats with a decoder of their
// own are left out.
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_ONLY_BMP
#define STBI_ONLY_TGA
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_FAILURE_USERMSG
// For damaged files, version 2.27 reads memory that it has not written.
#define STBI_MALLOC(size) std::calloc(1, size)
#define STBI_REALLOC std::realloc
#define STBI_FREE std::free
// For an empty chunk of a PNG, stb_image calls memcpy with null pointers, which is undefined.
static void* copy_if_any(void* to, const void* from, std::size_t count) {
    return count == 0 ? to : std::memcpy(to, from, count);
}
#define memcpy copy_if_any
#include <stb_image.h>
#undef memcpy

namespace headlight {
namespace {

// The file as a data source for stb_image. At a premature end, stb_image continues with zeros, so
// that part of the picture is black or gray. This source records such reads past the end.
class Source {
  public:
    explicit Source(Bytes bytes) : bytes_(bytes) {}

    [[nodiscard]] bool ran_dry() const { return ran_dry_; }
    [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }

    int read(char* to, int size) {
        if (size <= 0) return 0;
        // The first read fills stb_image's small look-ahead buffer, where a short read is normal.
        // All other reads are of pixels and must be complete.
        if (buffer_ == nullptr) buffer_ = to;
        const std::size_t count = std::min(static_cast<std::size_t>(size), left());
        if (count == 0 || (to != buffer_ && count < static_cast<std::size_t>(size)))
            ran_dry_ = true;
        std::memcpy(to, bytes_.data() + at_, count);
        at_ += count;
        return static_cast<int>(count);
    }

    // Skipping past the end is harmless until something is read there (some BMPs lack the last
    // padding).
    void skip(int count) {
        if (count > 0) at_ += std::min(static_cast<std::size_t>(count), left());
    }

  private:
    Bytes bytes_;
    std::size_t at_ = 0;
    const char* buffer_ = nullptr;
    bool ran_dry_ = false;
};

constexpr stbi_io_callbacks kCallbacks{
    [](void* source, char* to, int size) { return static_cast<Source*>(source)->read(to, size); },
    [](void* source, int count) { static_cast<Source*>(source)->skip(count); },
    [](void* source) { return static_cast<int>(static_cast<Source*>(source)->left() == 0); }};

// The file type by its first bytes, for an error message.
std::string describe(Bytes file) {
    struct Signature {
        std::size_t offset;
        std::string_view bytes, found;
    };
    using namespace std::string_view_literals;
    static constexpr auto kBadHeader = " with a damaged header or too many pixels"sv;
    static constexpr std::array kOurs{Signature{0, "\x89PNG"sv, "a PNG"},
                                      Signature{0, "GIF8"sv, "a GIF"},
                                      Signature{0, "BM"sv, "a BMP"}};
    static constexpr std::array kForeign{Signature{4, "ftyp"sv, "a video"},
                                         Signature{0, "%PDF"sv, "PDF"},
                                         Signature{0, "<svg"sv, "SVG"},
                                         Signature{0, "<?xml"sv, "XML"},
                                         Signature{0, "#?RADIANCE"sv, "Radiance HDR"},
                                         Signature{0, "P7\n"sv, "PAM"},
                                         Signature{0, "\0\0\1\0"sv, "an icon"}};
    const auto begins = [&](const Signature& known) {
        return holds(file, known.offset, known.bytes);
    };
    if (file.empty()) return "an empty file";
    for (const OptionalFormat* format : kOptionalFormats)
        if (format->recognizes(file))
            return std::string(format->name) +
                   ", which this build of Headlight does not support. Save the image as PNG or "
                   "JPEG and open that file";
    for (const Signature& known : kOurs)
        if (begins(known)) return std::string(known.found).append(kBadHeader);
    for (const Signature& known : kForeign)
        if (begins(known)) return std::string(known.found);
    return "a file of another kind";
}

[[noreturn]] void refuse(Bytes file, const std::string& name) {
    throw ImageError(name + ": expected a " + image_formats("or") + " image, found " +
                     describe(file));
}

std::string failure() {
    const char* reason = stbi_failure_reason();
    return reason != nullptr ? reason : "something unreadable";
}

template <typename Sample>
using Loader = Sample* (*)(const stbi_io_callbacks*, void*, int*, int*, int*, int);

template <typename Sample>
Image load(Bytes file, const std::string& name, Loader<Sample> loader,
           const DecodeOptions& options) {
    Source source(file);
    int width = 0, height = 0, stored = 0;
    const std::unique_ptr<Sample, void (*)(void*)> samples(
        loader(&kCallbacks, &source, &width, &height, &stored, 0), stbi_image_free);
    if (source.ran_dry()) refuse_cut_short(name);
    if (samples == nullptr)
        throw ImageError(name + ": expected an undamaged image, found: " + failure());
    check_size(height, width, name, options.max_pixels);
    return image_of(samples.get(), height, width, stored, options.alpha);
}

struct Sides {
    std::int64_t height, width;
};

// The size in the header of a PNG or BMP; nothing for other files. stb_image only reports that it
// rejects a size, but not the size.
std::optional<Sides> sides_in_header(Bytes file) {
    if (holds(file, 0, "\x89PNG\r\n\x1A\n") && holds(file, 12, "IHDR") && file.size() >= 24)
        return Sides{big(file, 20, 4), big(file, 16, 4)};
    if (!holds(file, 0, "BM") || file.size() < 26) return std::nullopt;
    const auto little = [&](std::uint64_t at, unsigned count) {
        return number(file, at, count, std::endian::little);
    };
    switch (little(14, 4)) {  // the length of the header identifies its version
        case 12:
            return Sides{little(20, 2), little(18, 2)};
        case 40:
        case 56:
        case 108:
        case 124:
            // Negative height: rows from top to bottom.
            return Sides{std::abs(std::int64_t{static_cast<std::int32_t>(little(22, 4))}),
                         static_cast<std::int32_t>(little(18, 4))};
        default:
            return std::nullopt;
    }
}

Image decode_with_stb(Bytes file, const std::string& name, const DecodeOptions& options) {
    if (const auto sides = sides_in_header(file))
        check_size(sides->height, sides->width, name, options.max_pixels);
    int width = 0, height = 0, stored = 0;
    Source header(file);
    if (stbi_info_from_callbacks(&kCallbacks, &header, &width, &height, &stored) == 0)
        refuse(file, name);
    check_size(height, width, name, options.max_pixels);

    Source depth(file);
    if (stbi_is_16_bit_from_callbacks(&kCallbacks, &depth) != 0)
        return load<stbi_us>(file, name, stbi_load_16_from_callbacks, options);
    return load<stbi_uc>(file, name, stbi_load_from_callbacks, options);
}

// By the first bytes. Unknown files are left to stb_image, because a TGA has no signature.
Decode decoder_of(Bytes file) {
    if (holds(file, 0, "\xFF\xD8")) return decode_jpeg;
    if (holds(file, 0, "GIF87a") || holds(file, 0, "GIF89a")) return decode_gif;
    if (holds(file, 0, "8BPS")) return decode_psd;
    if (is_pnm(file))
        return [](Bytes pnm, const std::string& name, const DecodeOptions& options) {
            return decode_pnm(pnm, name, options.max_pixels);
        };
    for (const OptionalFormat* format : kOptionalFormats)
        if (format->recognizes(file)) return format->decode;
    return file.empty() ? nullptr : decode_with_stb;
}

}  // namespace

std::string image_formats(const std::string& last) {
    std::string text = "PNG, JPEG, BMP, TGA, GIF, PSD ";
    for (const OptionalFormat* format : kOptionalFormats)
        if (format->decode != nullptr)
            text.insert(text.size() - 1, ", " + std::string(format->name));
    return text + last + " PNM";
}

bool reads_format(std::string_view name) {
    return std::ranges::any_of(kOptionalFormats, [&](const OptionalFormat* format) {
        return format->name == name && format->decode != nullptr;
    });
}

Image decode_image(std::span<const std::byte> bytes, const std::string& name,
                   std::int64_t max_pixels, Alpha alpha) {
    const Decode decode = decoder_of(bytes);
    if (decode == nullptr) refuse(bytes, name);
    return turn_upright(decode(bytes, name, {max_pixels, alpha}), exif_orientation(bytes));
}

}  // namespace headlight
