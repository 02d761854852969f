#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

#include "kernels/stop.h"
#include "model/model.h"

namespace headlight::cli {

// The layout of attention maps without a model, and the sample of a batch.
struct LayoutOptions {
    std::string grid;  // --grid: "15x20", or empty
    std::optional<int> tokens_before, sample;
};

// The options that name a model.
struct ModelFile {
    std::string path;    // --model
    std::string config;  // --config: a JSON file, or empty
    std::string part;    // --part: an encoder of the file, or empty
    LayoutOptions layout{};
    std::optional<std::uint64_t> shuffled{};  // --random-weights
};

// Loads a model of any family. `options` override the JSON file of --config, which overrides
// configs beside the model. Throws as load_model does.
std::shared_ptr<const Model> open_model(const ModelFile& file, const StopFlag& stop = {},
                                        ModelOptions options = {});

// Resolves --model to a file: a file, a folder with one, or a model in the Hub's cache. Throws
// WorkError if there is none.
std::string model_path(const std::string& name);

// Prints one line per warning: a config that was ignored, a part that was chosen without a rule.
void print_warnings(const Model& model, std::ostream& out);

// Prints one line for each config setting that is handled differently or ignored, and for what is
// unused in the file.
void say_notes(const Model& model, std::ostream& warnings);

}  // namespace headlight::cli
