#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "cli/source.h"
#include "gradient/class_map_set.h"
#include "kernels/stop.h"

namespace headlight::cli {

struct ClassMapsOptions {
    std::string method = "attention";  // "attention": the maps of all heads, which others write
    std::optional<int> of_class;       // index from 0; none: each image's own answer
    std::optional<std::string> layers, heads;  // from 1; none: all
    std::optional<int> start_layer;            // so many layers are left out before the first
    std::optional<double> discard_ratio;
    std::optional<int> steps;
    bool json = false;  // whether the result is described on standard output

    [[nodiscard]] bool asked() const { return method != "attention"; }
};

// "attention", and the names of gradient/class_maps.h.
std::vector<std::string> map_methods();
std::string map_methods_help();

// Throws UsageError for what only class maps take, where they are not asked for.
void refuse_without_method(const ClassMapsOptions& options, const std::string& out);

struct ClassMapsAudience {
    std::ostream& out;  // hears the description
    std::function<void(const std::string&)> progress;
    StopFlag stop;
};

// The maps of several methods for one image. methods: names with commas. `options` without its
// method. Throws as write_class_maps does.
ClassMapSet read_class_maps(const SourceOptions& source, const std::string& methods,
                            const ClassMapsOptions& options, const ClassMapsAudience& audience);

// One map of each image, float32 [rows, columns]; of several images or a folder [images, rows,
// columns]. `out` is
// - .npy: that array; of several images their names are beside it in `out`.txt;
// - .npz: "map"; "image", "class" (int32, -1: none) and "probability" of each image; and
//   "provenance", what made it as JSON;
// - .safetensors, of one image: "map", and what made it as metadata.
// Throws UsageError where options contradict each other, another std::exception of one sentence
// where the work cannot be done, Stopped.
void write_class_maps(const SourceOptions& source, const std::vector<std::string>& images,
                      const ClassMapsOptions& options, const std::string& out,
                      const ClassMapsAudience& audience);

}  // namespace headlight::cli
