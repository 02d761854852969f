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

// What is added beside the maps of all heads: nothing; the mean, maximum or minimum over a layer's
// heads, over a head's layers and over the whole model, patch by patch; or a layer's heads as one
// picture, each in its own hue.
enum class Combined { nothing, mean, max, min, hues };
template <>
inline constexpr auto kNames<Combined> = std::to_array<std::string_view>({"nothing", "mean", "max",
                                                                          "min", "hues"});

// How a figure shows several queries: in one map, each in its own hue, or in separate rows.
enum class FigureQueries { hues, rows };
template <>
inline constexpr auto kNames<FigureQueries> = std::to_array<std::string_view>({"hues", "rows"});
// What is above the maps: an automatic caption, the user's own words, or nothing.
enum class FigureCaption { made, own, none };
template <>
inline constexpr auto kNames<FigureCaption> = std::to_array<std::string_view>({"made", "own",
                                                                               "none"});

// What is under the maps: the picture in color or in gray, or nothing.
enum class FigurePicture { color, grey, none };
template <>
inline constexpr auto kNames<FigurePicture> = std::to_array<std::string_view>({"color", "grey",
                                                                               "none"});

// The background of the page: the theme's, white, or transparent.
enum class FigureGround { theme, white, transparent };
template <>
inline constexpr auto kNames<FigureGround> = std::to_array<std::string_view>({"theme", "white",
                                                                              "transparent"});

inline constexpr int kMostColumns = 64, kLeastTile = 16, kMostTile = 1024, kMostResolution = 4;
inline constexpr float kMostWidthCm = 1000;

// How a figure of the selected heads' maps is laid out. The coloring of attention follows the
// screen.
struct FigureLook {
    std::vector<MapMethod> methods;             // class maps to draw instead of heads; empty: heads
    std::string layers = "all", heads = "all";  // numbers from 1 on, as "1,9-12"
    FigureQueries queries = FigureQueries::hues;
    Combined combine = Combined::nothing;  // combines the selected heads to one map per layer
    float mass = 100;                      // percent: outlines the fewest patches that hold it
    FigurePicture picture = FigurePicture::color;
    std::optional<float> opacity;  // of the maps over the picture, 0..1; empty: the default
    int columns = 0;               // maps in a row; 0: as many as a layer has
    int tile = 96;                 // longer side of a map, in units
    FigureCaption caption = FigureCaption::made;
    std::string words;  // the user's own caption
    Theme theme = Theme::light;
    FigureGround ground = FigureGround::theme;  // white uses the colors of the light theme
    int resolution = 2;                         // pixels per unit in a PNG
    float width_cm = 0;  // printed width of the whole figure, cm; 0: 1 unit = 1/96 inch

    friend bool operator==(const FigureLook&, const FigureLook&) = default;
};

}  // namespace headlight
