#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/model_file.h"
#include "cli/source.h"
#include "encoder/token_maps.h"
#include "kernels/stop.h"

namespace headlight::cli {

// The source of the result to subtract; unset options are the same as for the main result. config
// and part belong to its own model if that is another one.
struct BeforeOptions {
    std::optional<std::string> image, model, attention, config, part;

    [[nodiscard]] bool asked() const { return image || model || attention || config || part; }
};

struct MapsOptions {
    std::string model, image;
    std::string attention;  // JSON, or empty
    std::string config;     // JSON file, or empty
    std::string part;       // an encoder of the model's file, or empty
    // "class", a patch's token number, or several separated by commas. Empty: class, or for
    // attention maps without a class token the middle patch, as in the window.
    std::string query;
    std::string reading = "from";               // whom it reads, or "by": who reads it
    std::string layers = "all", heads = "all";  // those to keep, or numbers from 1 such as 1,4-6
    LayoutOptions layout;                       // for attention maps without a model
    BeforeOptions before;
};
// The source of the maps, without the image.
SourceOptions source_of_maps(const MapsOptions& maps);
// The options of the result to subtract; empty if there is none.
std::optional<MapsOptions> options_before(const MapsOptions& options);

// The attention of each query token in the chosen heads and layers: the same numbers as in the rows
// or columns that `trace` writes. Queries are in the requested order. If a second result is given,
// also its maps for the tokens at the same positions. Throws UsageError for contradictory options,
// another std::exception with one sentence if the work fails, and Stopped.
MapsOfBoth read_maps(const MapsOptions& options,
                     const std::function<void(const std::string&)>& progress, const StopFlag& stop);

// Throws UsageError if `out` is one of the input files.
void expect_own_output(const std::string& out, const MapsOptions& options);

// Writes the .npy or .npz of several images (ImagesOfMaps); a folder stands for all its images.
// Names those that cannot be read on standard error, and skips them. Throws as read_maps does; also
// WorkError if a folder has no images or their maps differ in size, and, when all is written, if
// some images could not be read; and UsageError if a result is to be subtracted.
void write_maps_of_images(const MapsOptions& options, const std::vector<std::string>& images,
                          const std::string& out,
                          const std::function<void(const std::string&)>& progress,
                          const StopFlag& stop);

}  // namespace headlight::cli
