#include "image/formats.h"

#ifdef HEADLIGHT_TIFF
#include <tiffio.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "image/exif.h"
#include "image/limits.h"
#include "image/samples.h"
#endif

namespace headlight {
namespace {

bool is_tiff(Bytes file) {
    using namespace std::string_view_literals;
    return holds(file, 0, "II*\0"sv) || holds(file, 0, "MM\0*"sv) || holds(file, 0, "II+\0"sv) ||
           holds(file, 0, "MM\0+"sv);
}

#ifdef HEADLIGHT_TIFF

// The file for libtiff, with the first error and whether libtiff read past the end. libtiff reports
// errors to one handler for the whole program.
struct TiffSource {
    Bytes bytes;
    std::uint64_t at = 0;
    std::string error{};
    bool ran_dry = false;
};

TiffSource& of(thandle_t handle) { return *static_cast<TiffSource*>(handle); }

void record_error(thandle_t handle, const char*, const char* format, std::va_list arguments) {
    char text[200];
    std::vsnprintf(text, sizeof text, format, arguments);
    if (handle != nullptr && of(handle).error.empty()) of(handle).error = text;
}

tmsize_t read_bytes(thandle_t handle, void* to, tmsize_t count) {
    const Bytes found = part(of(handle).bytes, of(handle).at, static_cast<std::uint64_t>(count));
    if (!found.empty()) std::memcpy(to, found.data(), found.size());
    of(handle).at += found.size();
    if (found.size() < static_cast<std::size_t>(count)) of(handle).ran_dry = true;
    return static_cast<tmsize_t>(found.size());
}

toff_t seek(thandle_t handle, toff_t offset, int from) {
    TiffSource& source = of(handle);
    source.at = offset + (from == SEEK_CUR   ? source.at
                          : from == SEEK_END ? source.bytes.size()
                                             : 0);
    return source.at;
}

using Tiff = std::unique_ptr<TIFF, void (*)(TIFF*)>;

Tiff open(TiffSource& source) {
    static const bool silent = [] {
        TIFFSetErrorHandler(nullptr);
        TIFFSetWarningHandler(nullptr);
        TIFFSetErrorHandlerExt(record_error);
        return true;
    }();
    (void)silent;
    return {
        TIFFClientOpen(
            "", "rm", &source, read_bytes, [](thandle_t, void*, tmsize_t) -> tmsize_t { return 0; },
            seek, [](thandle_t) { return 0; },
            [](thandle_t handle) -> toff_t { return of(handle).bytes.size(); }, nullptr, nullptr),
        TIFFClose};
}

[[noreturn]] void refuse(const TiffSource& source, const std::string& name) {
    if (source.ran_dry) refuse_cut_short(name);
    const std::size_t begin = source.error.find_first_not_of(": ");  // skips the file name that
                                                                     // libtiff puts first
    throw ImageError(name + ": expected an undamaged TIFF, found one that libtiff does not read (" +
                     (begin == std::string::npos ? "no reason given" : source.error.substr(begin)) +
                     "). Save it again as TIFF or PNG");
}

struct Layout {
    std::uint32_t width = 0, height = 0;
    std::uint16_t bits = 1, stored = 1;  // bits per sample; samples per pixel
    std::uint16_t photometric = PHOTOMETRIC_MINISBLACK, planar = PLANARCONFIG_CONTIG;
    std::uint16_t format = SAMPLEFORMAT_UINT, orientation = ORIENTATION_TOPLEFT;
    std::uint16_t fourth = EXTRASAMPLE_UNSPECIFIED;  // meaning of the first sample after the colors

    [[nodiscard]] std::uint16_t colors() const {
        return photometric == PHOTOMETRIC_RGB ? 3 : photometric == PHOTOMETRIC_SEPARATED ? 4 : 1;
    }
    [[nodiscard]] bool alpha() const {
        return photometric != PHOTOMETRIC_SEPARATED && stored > colors() &&
               fourth != EXTRASAMPLE_UNSPECIFIED;
    }
};

Layout layout_of(TIFF* tiff) {
    Layout l;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &l.width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &l.height);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &l.bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &l.stored);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &l.planar);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &l.format);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &l.orientation);
    if (TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &l.photometric) == 0 && l.stored >= 3)
        l.photometric = PHOTOMETRIC_RGB;
    // libtiff has JPEG convert its chroma.
    std::uint16_t compression = COMPRESSION_NONE;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
    if (l.photometric == PHOTOMETRIC_YCBCR && compression == COMPRESSION_JPEG &&
        l.planar == PLANARCONFIG_CONTIG) {
        TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        l.photometric = PHOTOMETRIC_RGB;
    }
    std::uint16_t extra = 0, *kinds = nullptr;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &extra, &kinds);
    constexpr std::uint16_t kOfCorelDraw = 999;
    if (extra > 0) l.fourth = kinds[0] == kOfCorelDraw ? EXTRASAMPLE_UNASSALPHA : kinds[0];
    return l;
}

// True if samples can be used as stored. Otherwise they are luma and chroma, or unsupported.
bool is_plain(const Layout& l) {
    const bool small = l.bits == 1 || l.bits == 2 || l.bits == 4;
    const bool whole = l.bits == 8 || l.bits == 16;
    if (l.format != SAMPLEFORMAT_UINT && l.format != SAMPLEFORMAT_VOID) return false;
    switch (l.photometric) {
        case PHOTOMETRIC_MINISBLACK:
        case PHOTOMETRIC_MINISWHITE:
            return whole || (small && l.stored == 1);
        case PHOTOMETRIC_PALETTE:
            return l.bits == 8 || (small && l.stored == 1);
        case PHOTOMETRIC_RGB:
            return whole && l.stored >= 3;
        case PHOTOMETRIC_SEPARATED:
            return whole && l.stored >= 4;
        default:
            return false;
    }
}

// A separately stored rectangle of pixels: a tile, or a strip as wide as the picture.
struct Blocks {
    bool tiled = false;
    std::uint32_t width = 0, height = 0;
};

Blocks blocks_of(TIFF* tiff, const Layout& l, const std::string& name) {
    Blocks blocks{TIFFIsTiled(tiff) != 0, l.width, l.height};
    if (blocks.tiled) {
        TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &blocks.width);
        TIFFGetField(tiff, TIFFTAG_TILELENGTH, &blocks.height);
        // A tile may be larger than its picture; this limit guards against malicious sizes.
        constexpr std::int64_t kLargestTile = 1 << 24;
        check_size(blocks.height, blocks.width, name, kLargestTile);
    } else {
        std::uint32_t rows = l.height;
        TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &rows);
        blocks.height = std::clamp<std::uint32_t>(rows, 1, l.height);
    }
    return blocks;
}

unsigned sample_at(const std::uint8_t* row, std::size_t index, unsigned bits) {
    if (bits == 8) return row[index];
    if (bits == 16) {
        std::uint16_t value = 0;
        std::memcpy(&value, row + 2 * index, 2);  // libtiff has converted it to native byte order
        return value;
    }
    const std::size_t bit = index * bits;
    return row[bit / 8] >> (8 - bits - bit % 8) & ((1U << bits) - 1);
}

// Samples [height, width, stored].
template <typename Sample>
std::vector<Sample> read_plain(TIFF* tiff, const Layout& l, const std::string& name,
                               const TiffSource& source) {
    const Blocks blocks = blocks_of(tiff, l, name);
    const bool apart = l.planar == PLANARCONFIG_SEPARATE;
    const std::size_t within = apart ? 1 : l.stored;  // samples per pixel in one block
    const std::size_t row = (std::size_t{blocks.width} * within * l.bits + 7) / 8;
    std::vector<Sample> samples(std::size_t{l.height} * l.width * l.stored);
    std::vector<std::uint8_t> block(row * blocks.height);
    for (std::uint16_t plane = 0; plane < (apart ? l.stored : 1); ++plane)
        for (std::uint32_t top = 0; top < l.height; top += blocks.height)
            for (std::uint32_t left = 0; left < l.width; left += blocks.width) {
                const std::uint32_t rows = std::min(blocks.height, l.height - top);
                const auto size =
                    static_cast<tmsize_t>(row * (blocks.tiled ? blocks.height : rows));
                const tmsize_t got =
                    blocks.tiled
                        ? TIFFReadEncodedTile(tiff, TIFFComputeTile(tiff, left, top, 0, plane),
                                              block.data(), size)
                        : TIFFReadEncodedStrip(tiff, TIFFComputeStrip(tiff, top, plane),
                                               block.data(), size);
                if (got < size || !source.error.empty()) refuse(source, name);
                const std::size_t count = std::min(blocks.width, l.width - left) * within;
                for (std::uint32_t y = 0; y < rows; ++y)
                    for (std::size_t i = 0; i < count; ++i)
                        samples[((top + y) * std::size_t{l.width} + left + i / within) * l.stored +
                                (apart ? plane : i % within)] =
                            static_cast<Sample>(sample_at(block.data() + y * row, i, l.bits));
            }
    return samples;
}

// Entries have 16 bits; like Pillow, uses the upper byte. (Old programs wrote 8 bits.)
std::vector<std::array<std::uint8_t, 3>> palette_of(TIFF* tiff, const Layout& l,
                                                    const std::string& name) {
    std::array<std::uint16_t*, 3> stored{};
    if (TIFFGetField(tiff, TIFFTAG_COLORMAP, &stored[0], &stored[1], &stored[2]) == 0)
        throw ImageError(name + ": expected a TIFF with a palette, found one without");
    std::vector<std::array<std::uint8_t, 3>> palette(std::size_t{1} << l.bits);
    const auto small = [&](const std::uint16_t* channel) {
        return std::all_of(channel, channel + palette.size(), [](auto v) { return v < 256; });
    };
    const int shift = std::ranges::all_of(stored, small) ? 0 : 8;
    for (std::size_t i = 0; i < palette.size(); ++i)
        for (std::size_t c = 0; c < 3; ++c)
            palette[i][c] = static_cast<std::uint8_t>(stored[c][i] >> shift);
    return palette;
}

// Divides premultiplied colors by the alpha after them, as Pillow does; for 16 bits, with the upper
// bytes.
template <typename Sample>
void unmultiply(Sample* pixel, std::size_t colors) {
    constexpr unsigned kShift = 8 * (sizeof(Sample) - 1),
                       kFull = std::numeric_limits<Sample>::max();
    const auto upper = [](Sample sample) { return static_cast<std::uint8_t>(sample >> kShift); };
    for (std::size_t c = 0; c < colors; ++c)
        pixel[c] = static_cast<Sample>(unmultiplied(upper(pixel[c]), upper(pixel[colors])) *
                                       (kFull / 255));
}

// Converts to the input of image_of(): gray or RGB, with alpha if there is any.
template <typename Sample>
Image image_from(TIFF* tiff, const std::vector<Sample>& stored, const Layout& l,
                 const std::string& name, Alpha alpha) {
    constexpr unsigned kFull = std::numeric_limits<Sample>::max();
    const unsigned most = l.bits >= 8 ? kFull : (1U << l.bits) - 1;
    const bool is_palette = l.photometric == PHOTOMETRIC_PALETTE,
               is_inks = l.photometric == PHOTOMETRIC_SEPARATED;
    const auto palette =
        is_palette ? palette_of(tiff, l, name) : std::vector<std::array<std::uint8_t, 3>>{};
    const std::size_t colors = l.colors(), shown = is_palette || is_inks ? 3 : colors,
                      count = shown + (l.alpha() ? 1 : 0);
    const std::size_t pixels = std::size_t{l.height} * l.width;
    std::vector<Sample> samples(pixels * count);
    for (std::size_t p = 0; p < pixels; ++p) {
        const Sample* from = stored.data() + p * l.stored;
        Sample* to = samples.data() + p * count;
        if (l.alpha()) to[shown] = from[colors];
        if (is_palette) {
            for (std::size_t c = 0; c < 3; ++c) to[c] = palette[from[0] % palette.size()][c];
        } else if (is_inks) {
            std::uint8_t inks[4];
            for (std::size_t c = 0; c < 4; ++c)
                inks[c] = static_cast<std::uint8_t>(from[c] >> (l.bits - 8));
            cmyk_to_rgb(inks, inks);
            for (std::size_t c = 0; c < 3; ++c)
                to[c] = static_cast<Sample>(inks[c] * (kFull / 255));
        } else {
            for (std::size_t c = 0; c < colors; ++c) {
                const unsigned value = from[c] * (kFull / most);
                to[c] = static_cast<Sample>(l.photometric == PHOTOMETRIC_MINISWHITE ? kFull - value
                                                                                    : value);
            }
            if (l.alpha() && l.fourth == EXTRASAMPLE_ASSOCALPHA) unmultiply(to, colors);
        }
    }
    return image_of(samples.data(), static_cast<int>(l.height), static_cast<int>(l.width),
                    static_cast<int>(count), alpha);
}

// Luma and chroma (YCbCr), with libtiff's own conversion.
Image converted(TIFF* tiff, const Layout& l, const std::string& name, const TiffSource& source,
                Alpha alpha) {
    char why[1024] = "";
    if (l.photometric != PHOTOMETRIC_YCBCR || TIFFRGBAImageOK(tiff, why) == 0)
        throw ImageError(name +
                         ": expected a TIFF in gray, RGB, a palette, CMYK or YCbCr with whole "
                         "numbers of 1 to 16 bits, found color space " +
                         std::to_string(l.photometric) + " with " + std::to_string(l.bits) +
                         " bits" +
                         (l.format == SAMPLEFORMAT_IEEEFP ? " in floating point"
                          : l.format == SAMPLEFORMAT_INT  ? ", signed"
                                                          : ""));
    TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);  // rotation happens later
    const std::size_t pixels = std::size_t{l.height} * l.width;
    std::vector<std::uint32_t> raster(pixels);
    constexpr int kStopAtErrors = 1;
    if (TIFFReadRGBAImageOriented(tiff, l.width, l.height, raster.data(), ORIENTATION_TOPLEFT,
                                  kStopAtErrors) == 0 ||
        !source.error.empty())
        refuse(source, name);
    std::vector<std::uint8_t> samples;
    samples.reserve(3 * pixels);
    for (const std::uint32_t pixel : raster)
        for (const unsigned shift : {0U, 8U, 16U})
            samples.push_back(static_cast<std::uint8_t>(pixel >> shift));
    return image_of(samples.data(), static_cast<int>(l.height), static_cast<int>(l.width), 3,
                    alpha);
}

Image decode_tiff(Bytes file, const std::string& name, const DecodeOptions& options) {
    TiffSource source{file};
    const Tiff tiff = open(source);
    if (tiff == nullptr) refuse(source, name);
    source.error.clear();  // ignore errors in irrelevant tags
    const Layout l = layout_of(tiff.get());
    check_size(l.height, l.width, name, options.max_pixels);
    constexpr std::uint16_t kMostSamples = 8;
    if (l.stored > kMostSamples)
        throw ImageError(name + ": expected a TIFF with at most 8 samples per pixel, found " +
                         std::to_string(l.stored));
    Image image;
    if (!is_plain(l))
        image = converted(tiff.get(), l, name, source, options.alpha);
    else if (l.bits == 16)
        image = image_from(tiff.get(), read_plain<std::uint16_t>(tiff.get(), l, name, source), l,
                           name, options.alpha);
    else
        image = image_from(tiff.get(), read_plain<std::uint8_t>(tiff.get(), l, name, source), l,
                           name, options.alpha);
    const bool known = l.orientation >= 1 && l.orientation <= 8;
    return known ? turn_upright(std::move(image), l.orientation) : image;
}

#else
constexpr Decode decode_tiff = nullptr;
#endif

}  // namespace

const OptionalFormat kTiff{"TIFF", is_tiff, decode_tiff};

}  // namespace headlight
