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

// What made the other result, where it is subtracted: what is not said is as now. Of another model
// config and part are its own.
struct BeforeOptions {
    std::optional<std::string> image, model, attention, config, part;

    [[nodiscard]] bool asked() const { return image || model || attention || config || part; }
};

struct MapsOptions {
    std::string model, image;
    std::string attention;         // JSON, or empty
    std::string config;            // JSON file, or empty
    std::string part;              // an encoder of the model's file, or empty
    // "class", a patch's number from 0, or several with commas. Empty: class; of attention maps that
    // have none the middle patch, as in the window.
    std::string query;
    std::string reading = "from";  // whom it reads, or "by": who reads it
    LayoutOptions layout;          // of attention maps alone
    BeforeOptions before;
};
// What the maps are computed from, without the image.
SourceOptions source_of_maps(const MapsOptions& maps);
// Of the result that is subtracted; nothing: none is.
std::optional<MapsOptions> options_before(const MapsOptions& options);

// Each token's attention in every head of every layer, the numbers that `trace` has in its rows or
// columns, in the order in which they were asked for; and that before, of the tokens in the same
// places, where it is asked for. Throws UsageError for options that contradict each other, another
// std::exception of one sentence where the work cannot be done, Stopped.
MapsOfBoth read_maps(const MapsOptions& options,
                     const std::function<void(const std::string&)>& progress, const StopFlag& stop);

// Throws UsageError where `out` is one of the files that are read.
void expect_own_output(const std::string& out, const MapsOptions& options);

// As a NumPy file, float32 [layers, heads, rows, columns]; of several [queries, layers, ...]. Where
// something is subtracted, the differences. Throws AnalysisError where there are none.
void write_maps(const MapsOfBoth& maps, const std::string& out);

// As a safetensors file of one tensor, "maps", of the same shape, whose metadata say what made it:
// made by, model, image, layers, query, reading, and where they were given attention, config, part;
// of a difference also those before. Throws AnalysisError where there is none.
void write_maps_with_facts(const MapsOfBoth& maps, const MapsOptions& options,
                           const std::string& out);

// The NumPy file of several images, which a folder among them stands for with all of its own:
// written image by image, float32 [images, layers, heads, rows, columns], of several queries
// [images, queries, layers, ...], and the images' files beside it in `out`.txt, a line each. Throws
// as read_maps does; WorkError too where a folder has no images, or their maps are of other sizes;
// UsageError where something is to be subtracted.
void write_maps_of_images(const MapsOptions& options, const std::vector<std::string>& images,
                          const std::string& out,
                          const std::function<void(const std::string&)>& progress,
                          const StopFlag& stop);

}  // namespace headlight::cli
