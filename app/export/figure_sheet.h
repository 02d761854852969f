#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "encoder/token_maps.h"
#include "figure/map_sheet.h"
#include "figure/svg.h"
#include "gradient/map_methods.h"
#include "state/state.h"

// Selects and lays out the maps of a figure, for `headlight figure` and the window's figure panel.
namespace headlight::app {

// The source of maps: files, and JSON or empty.
struct FigureSource {
    std::string model, image, settings;
    std::string scene;                              // JSON, if the image is a scene; or empty
    std::optional<std::uint64_t> random_weights{};  // seed; empty: the weights of the file

    friend bool operator==(const FigureSource&, const FigureSource&) = default;
};

// Class maps instead of the heads' maps: one layer of them, one map per method.
struct FigureClassMaps {
    std::vector<MapMethod> methods;
    std::string of_class;  // class name; "" for a model without classes, or for no class

    friend bool operator==(const FigureClassMaps&, const FigureClassMaps&) = default;
};

struct FigureOptions {
    FigureSource now, before;  // before: what is subtracted, if anything
    std::string layers_word = "--layers", heads_word = "--heads";  // that errors name
    bool read_by = false;
    std::optional<FigureClassMaps> class_maps{};
    // How attention is colored, and `figure`: which maps, how laid out and how large. Differences
    // ignore the attention scale, clipping, mass, contours and hues, and several queries are in
    // separate rows.
    Look look;

    friend bool operator==(const FigureOptions&, const FigureOptions&) = default;
};

// A sheet, and the data that it shows.
struct FigureSheet {
    figure::MapSheet sheet;
    std::vector<TokenMaps> maps;
    figure::Provenance facts;
};

// Shows the maps of each query (at least one) on one scale; or, with a second result, the
// differences on a scale around zero. Throws ValueError if there are no such layers or heads,
// AnalysisError if there is no difference.
FigureSheet figure_sheet(MapsOfBoth both, const FigureOptions& options);

}  // namespace headlight::app
