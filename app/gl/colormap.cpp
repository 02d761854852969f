#include "gl/colormap.h"

#include <algorithm>
#include <cmath>

#include "gl/colormap_tables.h"

// Sources: viridis, magma and cividis are the published tables (CC0, from matplotlib). The
// diverging maps are ColorBrewer's RdBu and PuOr with equalized lightness; see
// make_colormap_tables.py.
namespace headlight::gl {
namespace {

using Table = std::array<Rgb, 256>;

constexpr Table unpack(const std::array<std::uint32_t, 256>& packed) {
    Table colors;
    for (std::size_t i = 0; i < colors.size(); ++i) {
        colors[i] = {static_cast<std::uint8_t>(packed[i] >> 16 & 0xFF),
                     static_cast<std::uint8_t>(packed[i] >> 8 & 0xFF),
                     static_cast<std::uint8_t>(packed[i] & 0xFF)};
    }
    return colors;
}

constexpr Table grey() {
    Table colors;
    for (std::size_t i = 0; i < colors.size(); ++i) {
        const auto level = static_cast<std::uint8_t>(i);
        colors[i] = {level, level, level};
    }
    return colors;
}

// From black over amber to a pale yellow, linear in each part; for brightness over a picture.
constexpr Table amber() {
    constexpr std::array<std::array<int, 3>, 3> ends{{{0, 0, 0}, {178, 116, 34}, {255, 232, 150}}};
    Table colors;
    for (std::size_t i = 0; i < colors.size(); ++i) {
        const std::size_t from = i < 128 ? 0 : 1;
        const int way = static_cast<int>(i) - (from == 0 ? 0 : 128), all = from == 0 ? 128 : 127;
        const auto part = [&](std::size_t c) {
            return static_cast<std::uint8_t>(ends[from][c] +
                                             (ends[from + 1][c] - ends[from][c]) * way / all);
        };
        colors[i] = {part(0), part(1), part(2)};
    }
    return colors;
}

struct Entry {
    std::string_view name;
    bool diverging;
    Table colors;
    Rgb clipped;  // as distinct from all others as possible, also for color-blind people
};

// In the order of ColorMap.
constexpr auto kMaps = std::to_array<Entry>({
    {"viridis", false, unpack(tables::viridis), {255, 150, 255}},
    {"magma", false, unpack(tables::magma), {64, 180, 255}},
    {"cividis", false, unpack(tables::cividis), {160, 60, 255}},
    {"grey", false, grey(), {60, 90, 255}},
    {"blue-white-red", true, unpack(tables::blue_white_red), {255, 230, 0}},
    {"purple-orange", true, unpack(tables::purple_orange), {0, 150, 0}},
    {"amber", false, amber(), {60, 120, 255}},
});
static_assert(std::size(kMaps) == kColorMapCount);

const Entry& entry(ColorMap map) { return kMaps[static_cast<std::size_t>(map)]; }

}  // namespace

std::string_view name(ColorMap map) { return entry(map).name; }

bool is_diverging(ColorMap map) { return entry(map).diverging; }

Rgb clipped_color(ColorMap map) { return entry(map).clipped; }

std::span<const Rgb, 256> table(ColorMap map) { return entry(map).colors; }

std::uint8_t to_byte(float value) {
    if (!(value > 0.0F)) {  // NaN too
        return 0;
    }
    return static_cast<std::uint8_t>(std::floor(std::min(value, 1.0F) * 255.0F + 0.5F));
}

Rgb sample(ColorMap map, float t) { return entry(map).colors[to_byte(t)]; }

float place_on(Curve curve, float value, float low, float high) {
    switch (curve) {
        case Curve::square_root:
            return (std::sqrt(std::max(value, 0.0F)) - std::sqrt(low)) /
                   (std::sqrt(high) - std::sqrt(low));
        case Curve::logarithm:
            return std::log2(std::max(value, low) / low) / std::log2(high / low);
        case Curve::linear:
            break;
    }
    return (value - low) / (high - low);
}

}  // namespace headlight::gl
