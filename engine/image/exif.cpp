#include "image/exif.h"

#include <cstdint>
#include <string_view>

#include "image/bytes.h"

namespace headlight {
namespace {

constexpr int kUpright = 1;

// EXIF data is a small TIFF file: byte order, 42, offset of the first directory. The directory has
// 12 bytes per entry.
int orientation_in_tiff(Bytes tiff) {
    const bool little = holds(tiff, 0, "II");
    if (!little && !holds(tiff, 0, "MM")) return kUpright;
    const auto order = little ? std::endian::little : std::endian::big;
    if (number(tiff, 2, 2, order) != 42) return kUpright;

    const std::uint64_t directory = number(tiff, 4, 4, order);
    const std::uint64_t entries = number(tiff, directory, 2, order);
    for (std::uint64_t i = 0; i < entries; ++i) {
        const std::uint64_t entry = directory + 2 + 12 * i;
        constexpr std::uint32_t kOrientationTag = 0x0112, kShort = 3;
        if (number(tiff, entry, 2, order) != kOrientationTag) continue;
        if (number(tiff, entry + 2, 2, order) != kShort) return kUpright;
        const auto value = static_cast<int>(number(tiff, entry + 8, 2, order));
        return value >= 1 && value <= 8 ? value : kUpright;
    }
    return kUpright;
}

// Segments: FF, marker, two bytes of length (including themselves), content. Metadata comes before
// the picture itself, which begins at "start of scan".
int orientation_in_jpeg(Bytes file) {
    constexpr std::uint32_t kApp1 = 0xE1, kStartOfScan = 0xDA, kFill = 0xFF;
    constexpr std::string_view kExif("Exif\0\0", 6);
    std::uint64_t at = 2;
    while (big(file, at, 1) == 0xFF) {
        const std::uint32_t marker = big(file, at + 1, 1);
        if (marker == kFill) {
            ++at;
            continue;
        }
        const std::uint32_t length = big(file, at + 2, 2);
        if (marker == kStartOfScan || length < 2) return kUpright;
        // A second APP1 often holds XMP, so only one that starts with "Exif" counts.
        if (marker == kApp1 && length >= 8 && holds(file, at + 4, kExif))
            return orientation_in_tiff(part(file, at + 10, length - 8));
        at += 2 + length;
    }
    return kUpright;
}

// Chunks: four bytes of length, four of name, content, four of checksum.
int orientation_in_png(Bytes file) {
    std::uint64_t at = 8;
    while (at + 8 <= file.size()) {
        const std::uint64_t length = big(file, at, 4);
        if (holds(file, at + 4, "eXIf")) return orientation_in_tiff(part(file, at + 8, length));
        at += 12 + length;
    }
    return kUpright;
}

// RIFF: after 12 bytes, chunks of four bytes of name, four of length, content, padded to an even
// length. Some programs write "Exif" before the content, as in JPEG.
int orientation_in_webp(Bytes file) {
    constexpr std::string_view kExif("Exif\0\0", 6);
    std::uint64_t at = 12;
    while (at + 8 <= file.size()) {
        const std::uint64_t length = number(file, at + 4, 4, std::endian::little);
        const std::uint64_t begin = at + 8, before = holds(file, begin, kExif) ? kExif.size() : 0;
        if (holds(file, at, "EXIF")) return orientation_in_tiff(part(file, begin + before, length));
        at = begin + length + length % 2;
    }
    return kUpright;
}

}  // namespace

int exif_orientation(std::span<const std::byte> file) {
    if (holds(file, 0, "\xFF\xD8")) return orientation_in_jpeg(file);
    if (holds(file, 0, "\x89PNG\r\n\x1A\n")) return orientation_in_png(file);
    if (holds(file, 0, "RIFF") && holds(file, 8, "WEBP")) return orientation_in_webp(file);
    return kUpright;
}

Image turn_upright(Image image, int orientation) {
    if (orientation == kUpright) return image;

    // Each orientation mirrors the stored rows, the stored columns, or both, and from 5 on then
    // swaps rows and columns.
    const bool swaps = orientation >= 5;
    const bool flips_rows =
        orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    const bool flips_cols =
        orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;

    Image upright{swaps ? image.width : image.height,
                  swaps ? image.height : image.width,
                  image.channels,
                  {},
                  image.alpha};
    upright.values.reserve(image.values.size());
    for (int row = 0; row < upright.height; ++row) {
        for (int col = 0; col < upright.width; ++col) {
            int from_row = swaps ? col : row, from_col = swaps ? row : col;
            if (flips_rows) from_row = image.height - 1 - from_row;
            if (flips_cols) from_col = image.width - 1 - from_col;
            for (int c = 0; c < image.channels; ++c)
                upright.values.push_back(image.at(from_row, from_col, c));
        }
    }
    return upright;
}

}  // namespace headlight
