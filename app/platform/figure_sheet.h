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

// What made maps: files, and JSON or nothing.
struct FigureSource {
    std::string model, image, settings;
    std::string scene;  // JSON, where the image is one; or nothing

    friend bool operator==(const FigureSource&, const FigureSource&) = default;
};

// Maps of what a class depends on, in the place of the heads' maps: one layer of them, a map for
// each method.
struct FigureClassMaps {
    std::vector<std::string> methods;  // their titles
    std::string of_class;              // its name; "": of a model without classes

    friend bool operator==(const FigureClassMaps&, const FigureClassMaps&) = default;
};

struct FigureOptions {
    FigureSource now, before;  // before: where that is subtracted
    std::string layers_word = "--layers", heads_word = "--heads";  // that errors name
    bool read_by = false;
    std::optional<FigureClassMaps> class_maps{};
    // How attention is colored, and `figure`: which maps, how laid out and how large. Differences
    // have neither attention's scale, cut and mass nor contours and hues: of several queries each
    // has rows of its own.
    Look look;

    friend bool operator==(const FigureOptions&, const FigureOptions&) = default;
};

// A sheet, and the numbers that it shows.
struct FigureSheet {
    figure::MapSheet sheet;
    std::vector<TokenMaps> maps;
    figure::Provenance facts;
};

// Of every query's maps, of one at least, all on one scale; or of these less those before, around
// zero. Throws ValueError where there are no such layers or heads, AnalysisError where there is no
// difference.
FigureSheet figure_sheet(MapsOfBoth both, const FigureOptions& options);

}  // namespace headlight::platform
