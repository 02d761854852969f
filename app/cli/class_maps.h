#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/audience.h"
#include "cli/source.h"
#include "gradient/class_map_set.h"

namespace headlight::cli {

struct ClassMapsOptions {
    std::string method = "attention";  // "attention": the maps of all heads, which others write
    std::optional<std::string>
        of_class;  // index from 0, or name; empty: each image's predicted class
    std::optional<std::string> layers, heads;  // from 1; empty: all
    std::optional<int> start_layer;            // number of layers to skip at the start
    std::optional<double> discard_ratio;
    std::optional<int> steps;
    std::optional<std::uint64_t> random_weights;  // seed of weights in random order
    bool json = false;                            // describe the result on standard output

    [[nodiscard]] bool asked() const { return method != "attention"; }
};

// "attention", and the names in gradient/class_maps.h.
std::vector<std::string> map_methods();
std::string map_methods_help();

// Throws UsageError for options that need a class map method, if none is given.
void refuse_without_method(const ClassMapsOptions& options);

// What is subtracted from each map: the map of the same class with another image, model or
// settings.
struct ClassMapsBefore {
    SourceOptions source;        // with an empty image: each image itself
    bool has_attention = false;  // --before-attention was given
};

// Maps of several methods for one image, and those to subtract. methods: names separated by commas.
// `options`: its method is ignored, and its class is for those methods that ask for one. Throws as
// write_class_maps does.
struct ClassMapSets {
    ClassMapSet now;
    std::optional<ClassMapSet> before;
};
ClassMapSets read_class_maps(const SourceOptions& source, const std::string& methods,
                             const ClassMapsOptions& options,
                             const std::optional<ClassMapsBefore>& before,
                             const Audience& audience);

// Writes one map per image, float32 [rows, columns]; for several images or a folder [images, rows,
// columns]. By the extension of `out`:
// - .npy: that array; for several images, `out`.txt lists their names;
// - .npz: "map"; "image", "class" (int32, -1: none) and "probability" of each image; and
//   "provenance" as JSON;
// - .safetensors, for one image: "map", with the provenance as metadata.
// Throws UsageError for contradictory options, another std::exception with one sentence if the work
// fails, and Stopped.
void write_class_maps(const SourceOptions& source, const std::vector<std::string>& images,
                      const ClassMapsOptions& options, const std::optional<ClassMapsBefore>& before,
                      const std::string& out, const Audience& audience);

}  // namespace headlight::cli
