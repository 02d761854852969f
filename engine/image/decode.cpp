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
#include "image/image.h"
#include "image/jpeg_tables.h"
#include "image/limits.h"
#include "image/pnm.h"
#include "image/samples.h"
#include "image/webp.h"

// stb_image lives in this file alone, its functions hidden from every other, and only with the
// formats that image.h promises.
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_BMP
#define STBI_ONLY_TGA
#define STBI_ONLY_GIF
#define STBI_ONLY_PSD
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_FAILURE_USERMSG
// 2.27 reads some of what it has not written where a file is damaged.
#define STBI_MALLOC(size) std::calloc(1, size)
#define STBI_REALLOC std::realloc
#define STBI_FREE std::free
// It copies nothing to nowhere for an empty piece of a PNG, which memcpy's contract forbids.
static void* copy_if_any(void* to, const void* from, std::size_t count) {
    return count == 0 ? to : std::memcpy(to, from, count);
}
#define memcpy copy_if_any
#include <stb_image.h>
#undef memcpy

namespace headlight {
namespace {

// The file as stb_image reads it, which goes on with zeros where a file ends too early, so that
// a picture comes out half black or grey. This source remembers being asked for more than there is.
class Source {
  public:
    explicit Source(Bytes bytes) : bytes_(bytes) {}

    [[nodiscard]] bool ran_dry() const { return ran_dry_; }
    [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }

    int read(char* to, int size) {
        if (size <= 0) return 0;
        // The first read fills stb_image's small look-ahead buffer. There it takes what comes; what
        // it reads elsewhere are pixels, all of which it needs.
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

// What a file is by its first bytes, for the sentence that refuses it.
std::string describe(Bytes file) {
    struct Signature {
        std::size_t offset;
        std::string_view bytes, found;
    };
    using namespace std::string_view_literals;
    static constexpr auto kBadHeader = " with a damaged header, or one of too large a picture"sv;
    static constexpr std::array kOurs{
        Signature{0, "\x89PNG"sv, "a PNG"}, Signature{0, "\xFF\xD8"sv, "a JPEG"},
        Signature{0, "GIF8"sv, "a GIF"}, Signature{0, "8BPS"sv, "a PSD"},
        Signature{0, "BM"sv, "a BMP"}};
    static constexpr std::array kForeign{Signature{4, "ftyp"sv, "AVIF, HEIF or video"},
                                         Signature{0, "II*\0"sv, "TIFF"},
                                         Signature{0, "MM\0*"sv, "TIFF"},
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
    for (const Signature& known : kOurs)
        if (begins(known)) return std::string(known.found).append(kBadHeader);
    for (const Signature& known : kForeign)
        if (begins(known)) return std::string(known.found);
    return "none of these";
}

[[noreturn]] void refuse(Bytes file, const std::string& name) {
    throw ImageError(name + ": expected a " + image_formats("or") + " image, found " +
                     describe(file));
}

std::string failure() {
    const char* reason = stbi_failure_reason();
    return reason != nullptr ? reason : "something unreadable";
}

// Whether a file is a PSD of 16 bits; stb_image's own answer is wrong (2.27 asks the wrong bytes).
// A packed one is refused: stb_image would take each half of its values for an 8-bit pixel.
bool is_16_bit_psd(Bytes file, const std::string& name) {
    if (!holds(file, 0, "8BPS") || big(file, 22, 2) != 16) return false;
    std::uint64_t at = 26;  // behind the header come three sections, each with its length in front
    for (int section = 0; section < 3; ++section) at += 4 + std::uint64_t{big(file, at, 4)};
    if (big(file, at, 2) != 0)
        throw ImageError(name + ": expected a 16-bit PSD without compression, found a packed one");
    return true;
}

template <typename Sample>
using Loader = Sample* (*)(const stbi_io_callbacks*, void*, int*, int*, int*, int);

template <typename Sample>
Image load(Bytes file, const std::string& name, Loader<Sample> loader, std::int64_t max_pixels) {
    Source source(file);
    int width = 0, height = 0, stored = 0;
    const std::unique_ptr<Sample, void (*)(void*)> samples(
        loader(&kCallbacks, &source, &width, &height, &stored, 0), stbi_image_free);
    if (source.ran_dry())
        throw ImageError(name + ": expected a whole image, found a file that ends too early");
    if (samples == nullptr)
        throw ImageError(name + ": expected an undamaged image, found: " + failure());
    check_size(height, width, name, max_pixels);
    return image_of(samples.get(), height, width, stored);
}

struct Sides {
    std::int64_t height, width;
};

// The sides as a PNG's or a BMP's header says them; nothing where it is neither. stb_image says of
// sides that it dislikes only that it does.
std::optional<Sides> sides_in_header(Bytes file) {
    if (holds(file, 0, "\x89PNG\r\n\x1A\n") && holds(file, 12, "IHDR") && file.size() >= 24)
        return Sides{big(file, 20, 4), big(file, 16, 4)};
    if (!holds(file, 0, "BM") || file.size() < 26) return std::nullopt;
    const auto little = [&](std::uint64_t at, unsigned count) {
        return number(file, at, count, std::endian::little);
    };
    switch (little(14, 4)) {  // how long the header is says which one it is
        case 12:
            return Sides{little(20, 2), little(18, 2)};
        case 40:
        case 56:
        case 108:
        case 124:
            // A negative height: rows from above.
            return Sides{std::abs(std::int64_t{static_cast<std::int32_t>(little(22, 4))}),
                         static_cast<std::int32_t>(little(18, 4))};
        default:
            return std::nullopt;
    }
}

Image decode_with_stb(Bytes file, const std::string& name, std::int64_t max_pixels) {
    if (const std::string found = unsound_jpeg_tables(file); !found.empty())
        throw ImageError(name + ": expected a JPEG with sound tables, found " + found);
    if (const auto sides = sides_in_header(file))
        check_size(sides->height, sides->width, name, max_pixels);
    int width = 0, height = 0, stored = 0;
    Source header(file);
    if (stbi_info_from_callbacks(&kCallbacks, &header, &width, &height, &stored) == 0)
        refuse(file, name);
    check_size(height, width, name, max_pixels);

    Source depth(file);
    if (is_16_bit_psd(file, name) || stbi_is_16_bit_from_callbacks(&kCallbacks, &depth) != 0)
        return load<stbi_us>(file, name, stbi_load_16_from_callbacks, max_pixels);
    return load<stbi_uc>(file, name, stbi_load_from_callbacks, max_pixels);
}

}  // namespace

std::string image_formats(const std::string& last) {
    return (reads_webp() ? "PNG, JPEG, WebP, BMP, TGA, GIF, PSD "
                         : "PNG, JPEG, BMP, TGA, GIF, PSD ") +
           last + " PNM";
}

Image decode_image(std::span<const std::byte> bytes, const std::string& name,
                   std::int64_t max_pixels) {
    if (bytes.empty()) refuse(bytes, name);
    if (is_pnm(bytes)) return decode_pnm(bytes, name, max_pixels);
    Image image = is_webp(bytes) ? decode_webp(bytes, name, max_pixels)
                                 : decode_with_stb(bytes, name, max_pixels);
    return turn_upright(std::move(image), exif_orientation(bytes));
}

}  // namespace headlight
