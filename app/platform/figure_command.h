#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "encoder/token_maps.h"
#include "state/state.h"

// `headlight figure`: maps of chosen heads as a picture for a paper or a slide.
namespace headlight::platform {

struct FigureOptions {
    std::string model, image, settings;  // what made it: files, and JSON or nothing
    bool read_by = false;
    std::vector<int> layers, heads;      // from 0: the figure's rows and columns
    std::optional<double> mass;          // per cent: the fewest patches that hold it are outlined
    Look look;                           // its theme, and how attention is coloured
    int tile = 96;                       // units of a map's longer side
    std::optional<std::string> caption;  // nothing: what made it
    int resolution = 1;                  // pixels of a PNG for each unit
    std::filesystem::path out;           // .svg, or .png
};

// Draws the chosen maps, all on one scale, and writes the file whole or not at all; what made it is
// in its metadata. An SVG needs no display. Throws std::runtime_error, WindowError.
void save_figure(const TokenMaps& maps, const FigureOptions& options);

}  // namespace headlight::platform
