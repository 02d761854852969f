// Reads the first picture of a GIF. Headlight has its own reader to get Pillow's colors for
// transparent areas and outside the frame, which stb_image does not keep.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "image/formats.h"
#include "image/limits.h"
#include "image/samples.h"

namespace headlight {
namespace {

class GifReader {
  public:
    GifReader(Bytes file, const std::string& name) : file_(file), name_(name) {}

    [[noreturn]] void fail(const std::string& found) const {
        throw ImageError(name_ + ": expected an undamaged GIF, found " + found);
    }
    unsigned byte() {
        if (at_ >= file_.size()) refuse_cut_short(name_);
        return std::to_integer<unsigned>(file_[at_++]);
    }
    unsigned word() {
        const unsigned low = byte();
        return low | byte() << 8;
    }
    void skip(std::size_t count) {
        for (; count > 0; --count) byte();
    }
    // Skips blocks of up to 255 bytes, each preceded by its length, up to an empty one.
    void skip_blocks() {
        while (const unsigned length = byte()) skip(length);
    }
    std::vector<std::array<std::uint8_t, 3>> palette(unsigned flags) {
        std::vector<std::array<std::uint8_t, 3>> colors(std::size_t{2} << (flags & 7));
        for (auto& color : colors)
            for (auto& sample : color) sample = static_cast<std::uint8_t>(byte());
        return colors;
    }

  private:
    Bytes file_;
    const std::string& name_;
    std::size_t at_ = 6;  // after "GIF89a"
};

// Reads codes of increasing width across block boundaries.
class CodeReader {
  public:
    explicit CodeReader(GifReader& file) : file_(file) {}

    unsigned next(unsigned width) {
        while (count_ < width) {
            while (left_ == 0)
                if (left_ = file_.byte(); left_ == 0) file_.fail("fewer pixels than it says");
            bits_ |= file_.byte() << count_;
            count_ += 8;
            --left_;
        }
        const unsigned code = bits_ & ((1U << width) - 1);
        bits_ >>= width;
        count_ -= width;
        return code;
    }

  private:
    GifReader& file_;
    unsigned bits_ = 0, count_ = 0, left_ = 0;
};

// LZW (Welch 1984) as in appendix F of GIF89a: `count` palette indices.
std::vector<std::uint8_t> indices(GifReader& file, std::size_t count) {
    constexpr unsigned kMostCodes = 4096, kMostBits = 12, kNone = kMostCodes;
    const unsigned bits = file.byte();
    if (bits < 1 || bits > 8) file.fail("codes of " + std::to_string(bits) + " bits");
    const unsigned clear = 1U << bits, end = clear + 1;
    std::array<std::uint16_t, kMostCodes> before{};  // the string without its last index
    std::array<std::uint8_t, kMostCodes> last{};
    std::array<std::uint8_t, kMostCodes + 1> backwards{};
    for (unsigned i = 0; i < clear; ++i) last[i] = static_cast<std::uint8_t>(i);

    std::vector<std::uint8_t> out;
    out.reserve(count);
    CodeReader codes(file);
    unsigned width = bits + 1, known = end + 1, previous = kNone, first = 0;
    while (out.size() < count) {
        const unsigned code = codes.next(width);
        if (code == clear) {
            width = bits + 1, known = end + 1, previous = kNone;
            continue;
        }
        if (code == end) file.fail("fewer pixels than it says");
        if (code > known || (code == known && previous == kNone)) file.fail("an impossible code");
        std::size_t length = 0;
        unsigned walk = code;
        if (code == known) {  // this code is just being defined: the previous string plus its first
                              // index
            backwards[length++] = static_cast<std::uint8_t>(first);
            walk = previous;
        }
        for (; walk > end; walk = before[walk]) backwards[length++] = last[walk];
        backwards[length++] = last[walk];
        first = last[walk];
        if (previous != kNone && known < kMostCodes) {
            before[known] = static_cast<std::uint16_t>(previous);
            last[known] = static_cast<std::uint8_t>(first);
            if (++known == 1U << width && width < kMostBits) ++width;
        }
        previous = code;
        while (length > 0 && out.size() < count) out.push_back(backwards[--length]);
    }
    return out;
}

struct Frame {
    unsigned left, top, width, height;
    bool interlaced;
};

// The position of stored row i: in an interlaced picture every eighth row comes first, then those
// between.
unsigned row_of(unsigned i, const Frame& frame) {
    if (!frame.interlaced) return i;
    constexpr std::array<std::array<unsigned, 2>, 4> kPasses{{{0, 8}, {4, 8}, {2, 4}, {1, 2}}};
    for (const auto& [start, step] : kPasses) {
        const unsigned rows = frame.height > start ? (frame.height - start + step - 1) / step : 0;
        if (i < rows) return start + i * step;
        i -= rows;
    }
    return 0;
}

// Reads the blocks before the first picture: the index of the transparent color, if any.
std::optional<unsigned> transparent_index(GifReader& file) {
    constexpr unsigned kExtension = 0x21, kGraphicControl = 0xF9, kPicture = 0x2C;
    std::optional<unsigned> transparent;
    for (;;) {
        const unsigned block = file.byte();
        if (block == kPicture) return transparent;
        if (block != kExtension) file.fail("no picture in it");
        if (file.byte() != kGraphicControl) {
            file.skip_blocks();
            continue;
        }
        const unsigned length = file.byte();
        if (length < 4) file.fail("a short control block");
        const bool has = (file.byte() & 1) != 0;
        file.skip(2);
        const unsigned index = file.byte();
        transparent = has ? std::optional(index) : std::nullopt;
        file.skip(length - 4);
        file.skip_blocks();
    }
}

}  // namespace

Image decode_gif(Bytes bytes, const std::string& name, const DecodeOptions& options) {
    GifReader file(bytes, name);
    const unsigned width = file.word(), height = file.word(), flags = file.byte();
    check_size(height, width, name, options.max_pixels);
    file.skip(2);  // background color, which viewers ignore, and aspect
    constexpr unsigned kHasPalette = 0x80, kInterlaced = 0x40;
    std::vector<std::array<std::uint8_t, 3>> palette;
    if ((flags & kHasPalette) != 0) palette = file.palette(flags);
    const std::optional<unsigned> transparent = transparent_index(file);
    Frame frame{file.word(), file.word(), file.word(), file.word(), false};
    const unsigned own = file.byte();
    frame.interlaced = (own & kInterlaced) != 0;
    if ((own & kHasPalette) != 0) palette = file.palette(own);
    if (palette.empty()) file.fail("no palette");
    check_size(frame.height, frame.width, name, options.max_pixels);

    // Pixels outside the frame are transparent, or else have the first color of the palette.
    palette.resize(256);
    std::vector<std::uint8_t> canvas(std::size_t{width} * height,
                                     static_cast<std::uint8_t>(transparent.value_or(0)));
    const auto stored = indices(file, std::size_t{frame.width} * frame.height);
    for (unsigned i = 0; i < frame.height; ++i)
        for (unsigned x = 0; x < frame.width; ++x) {
            const unsigned row = frame.top + row_of(i, frame), col = frame.left + x;
            if (row < height && col < width)
                canvas[std::size_t{row} * width + col] = stored[std::size_t{i} * frame.width + x];
        }
    std::vector<std::uint8_t> samples(4 * canvas.size());
    for (std::size_t p = 0; p < canvas.size(); ++p) {
        for (std::size_t c = 0; c < 3; ++c) samples[4 * p + c] = palette[canvas[p]][c];
        samples[4 * p + 3] = transparent == canvas[p] ? 0 : 255;
    }
    return image_of(samples.data(), static_cast<int>(height), static_cast<int>(width), 4,
                    options.alpha);
}

}  // namespace headlight
