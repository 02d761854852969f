#pragma once

#include <optional>
#include <string>
#include <vector>

#include "encoder/token_maps.h"
#include "figure/map_sheet.h"
#include "figure/svg.h"
#include "state/state.h"

// Which maps a figure shows, and how: the same for `headlight figure` and for the window's sheet.
namespace headlight::platform {

struct FigureOptions {
    std::string model, image, settings;  // what made it: files, and JSON or nothing
    std::string scene;                   // JSON, where the image is one; or nothing
    std::string config;                  // a file, or nothing
    std::string layers_word = "--layers", heads_word = "--heads";  // that errors name
    bool read_by = false;
    Look look;  // how attention is coloured, and `figure`: which maps, how laid out and how large

    friend bool operator==(const FigureOptions&, const FigureOptions&) = default;
};

// A sheet, and the numbers that it shows.
struct FigureSheet {
    figure::MapSheet sheet;
    std::vector<TokenMaps> maps;
    figure::Provenance facts;
};

// Of every query's maps, of one at least, all on one scale. Throws ValueError where there are no
// such layers or heads.
FigureSheet figure_sheet(std::vector<TokenMaps> queries, const FigureOptions& options);

}  // namespace headlight::platform
