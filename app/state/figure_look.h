#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gradient/map_methods.h"
#include "kernels/names.h"

namespace headlight {

enum class Theme { dark, light };
template <>
inline constexpr auto kNames<Theme> = std::to_array<std::string_view>({"dark", "light"});

// What stands beside the maps of all heads: nothing; or all of a layer's heads, of a head's layers,
// and of the model as one map, patch by patch; or a layer's heads as one picture, each in its hue.
enum class Combined { nothing, mean, max, min, hues };
template <>
inline constexpr auto kNames<Combined> = std::to_array<std::string_view>({"nothing", "mean", "max",
                                                                          "min", "hues"});

// Several queries in a figure: in one map, each in its hue, or each in rows of its own.
enum class FigureQueries { hues, rows };
template <>
inline constexpr auto kNames<FigureQueries> = std::to_array<std::string_view>({"hues", "rows"});
// What stands above the maps: what made them, in words; own words; nothing.
enum class FigureCaption { made, own, none };
template <>
inline constexpr auto kNames<FigureCaption> = std::to_array<std::string_view>({"made", "own",
                                                                               "none"});

// What lies below the maps: the picture, in its colors or in grey; nothing.
enum class FigurePicture { color, grey, none };
template <>
inline constexpr auto kNames<FigurePicture> = std::to_array<std::string_view>({"color", "grey",
                                                                               "none"});

// What the page is: the theme's background, white, or nothing.
enum class FigureGround { theme, white, transparent };
template <>
inline constexpr auto kNames<FigureGround> = std::to_array<std::string_view>({"theme", "white",
                                                                              "transparent"});

inline constexpr int kMostColumns = 64, kLeastTile = 16, kMostTile = 1024, kMostResolution = 4;
inline constexpr float kMostWidthCm = 1000;

// How the maps of chosen heads become a figure; how attention is colored in it is the screen's
// choice.
struct FigureLook {
    std::vector<MapMethod>
        methods;  // maps of what a class depends on, not of heads; empty: of heads
    std::string layers = "all", heads = "all";  // numbers from 1 on, as "1,9-12"
    FigureQueries queries = FigureQueries::hues;
    Combined combine = Combined::nothing;  // the chosen heads, as one map for each layer
    float mass = 100;                      // per cent: the fewest patches that hold it are outlined
    FigurePicture picture = FigurePicture::color;
    std::optional<float> opacity;  // of the maps over it, 0..1; nothing: the usual one
    int columns = 0;               // so many maps stand side by side; 0: a layer's
    int tile = 96;                 // units of a map's longer side
    FigureCaption caption = FigureCaption::made;
    std::string words;  // of a caption of one's own
    Theme theme = Theme::light;
    FigureGround ground = FigureGround::theme;  // white: in the colors of the light theme
    int resolution = 2;  // pixels of a PNG for each unit
    float width_cm = 0;  // printed width of the whole figure; 0: 1/96 inch for each unit

    friend bool operator==(const FigureLook&, const FigureLook&) = default;
};

}  // namespace headlight
