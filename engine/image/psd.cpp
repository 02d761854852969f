// The composited view of a Photoshop file. Headlight has its own reader because stb_image divides
// the colors by their alpha, which Pillow does not.
#include <cstdint>
#include <string>
#include <vector>

#include "image/formats.h"
#include "image/limits.h"
#include "image/samples.h"

namespace headlight {
namespace {

// PackBits: n >= 0: copy the next n + 1 bytes; n < 0: repeat the next byte 1 - n times; -128:
// nothing.
void unpack(Bytes packed, const std::string& name, std::span<std::uint8_t> row) {
    std::size_t at = 0, filled = 0;
    const auto next = [&] {
        if (at >= packed.size())
            throw ImageError(name + ": expected an undamaged PSD, found a row that is too short");
        return std::to_integer<std::uint8_t>(packed[at++]);
    };
    while (filled < row.size()) {
        const auto n = static_cast<std::int8_t>(next());
        if (n == -128) continue;
        const std::uint8_t repeated = n < 0 ? next() : std::uint8_t{0};
        for (int i = n < 0 ? 1 - n : n + 1; i > 0 && filled < row.size(); --i)
            row[filled++] = n < 0 ? repeated : next();
    }
}

struct PsdHeader {
    std::uint32_t stored;  // number of planes
    std::uint32_t height, width, depth, mode;
    [[nodiscard]] std::size_t row() const { return std::size_t{width} * depth / 8; }
    // Number of planes to read: gray, or colors, plus alpha if it is the only extra plane.
    [[nodiscard]] std::uint32_t read() const { return mode == 1 ? 1 : stored == 4 ? 4 : 3; }
};

PsdHeader header_of(Bytes file, const std::string& name, const DecodeOptions& options) {
    const PsdHeader header{big(file, 12, 2), big(file, 14, 4), big(file, 18, 4), big(file, 22, 2),
                           big(file, 24, 2)};
    if (file.size() < 26) refuse_cut_short(name);
    constexpr std::uint32_t kGrey = 1, kRgb = 3;
    if (big(file, 4, 2) != 1)
        throw ImageError(name +
                         ": expected a PSD, found a PSB, Photoshop's format for large pictures");
    if ((header.depth != 8 && header.depth != 16) ||
        !((header.mode == kRgb && header.stored >= 3) ||
          (header.mode == kGrey && header.stored >= 1)))
        throw ImageError(name + ": expected a PSD in gray or RGB with 8 or 16 bits, found mode " +
                         std::to_string(header.mode) + " with " + std::to_string(header.depth) +
                         " bits");
    check_size(header.height, header.width, name, options.max_pixels);
    return header;
}

// The planes to read, one after the other, as stored: big-endian.
std::vector<std::uint8_t> planes(Bytes file, const std::string& name, const PsdHeader& header) {
    std::uint64_t at = 26;  // three sections follow the header, each preceded by its length
    for (int section = 0; section < 3; ++section) {
        if (at + 4 > file.size()) refuse_cut_short(name);
        at += 4 + std::uint64_t{big(file, at, 4)};
    }
    if (at + 2 > file.size()) refuse_cut_short(name);
    const std::uint32_t packing = big(file, at, 2);
    if (packing > 1)
        throw ImageError(
            name + ": expected a PSD without compression or with PackBits, found compression " +
            std::to_string(packing));
    at += 2;
    const std::uint64_t rows = std::uint64_t{header.stored} * header.height;
    const std::uint64_t lengths = at;
    if (packing == 1) at += 2 * rows;
    const std::uint64_t least = packing == 1 ? 0 : rows * header.row();
    if (at + least > file.size()) refuse_cut_short(name);

    std::vector<std::uint8_t> samples(header.row() * header.height * header.read());
    for (std::uint64_t row = 0; row < rows; ++row) {
        const std::uint64_t length = packing == 1 ? big(file, lengths + 2 * row, 2) : header.row();
        if (at + length > file.size()) refuse_cut_short(name);
        if (row < std::uint64_t{header.read()} * header.height) {
            const auto to = std::span(samples).subspan(row * header.row(), header.row());
            const Bytes from = part(file, at, length);
            if (packing == 1)
                unpack(from, name, to);
            else
                std::ranges::transform(from, to.begin(), std::to_integer<std::uint8_t>);
        }
        at += length;
    }
    return samples;
}

template <typename Sample>
Image interleaved(const std::vector<std::uint8_t>& bytes, const PsdHeader& header, Alpha alpha) {
    const std::size_t pixels = std::size_t{header.height} * header.width, count = header.read();
    std::vector<Sample> samples(pixels * count);
    for (std::size_t c = 0; c < count; ++c)
        for (std::size_t p = 0; p < pixels; ++p) {
            std::size_t value = 0;
            for (std::size_t i = 0; i < sizeof(Sample); ++i)
                value = value << 8 | bytes[(c * pixels + p) * sizeof(Sample) + i];
            samples[p * count + c] = static_cast<Sample>(value);
        }
    return image_of(samples.data(), static_cast<int>(header.height), static_cast<int>(header.width),
                    static_cast<int>(count), alpha);
}

}  // namespace

Image decode_psd(Bytes file, const std::string& name, const DecodeOptions& options) {
    const PsdHeader header = header_of(file, name, options);
    const std::vector<std::uint8_t> bytes = planes(file, name, header);
    return header.depth == 16 ? interleaved<std::uint16_t>(bytes, header, options.alpha)
                              : interleaved<std::uint8_t>(bytes, header, options.alpha);
}

}  // namespace headlight
