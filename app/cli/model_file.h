#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

#include "kernels/stop.h"
#include "model/model.h"

namespace headlight::cli {

// How attention maps alone lie, and which of a batch they are.
struct LayoutOptions {
    std::string grid;                 // --grid: "15x20", or empty
    std::optional<int> tokens_before, sample;
};

// How a command says which model it means.
struct ModelFile {
    std::string path;    // --model
    std::string config;  // --config: a JSON file, or empty
    std::string part;    // --part: an encoder of the file, or empty
    LayoutOptions layout{};
};

// Loads a model of any family, with the JSON file of --config above what lies beside it, and
// `options` above both. Throws as load_model does.
std::shared_ptr<const Model> open_model(const ModelFile& file, const StopFlag& stop = {},
                                        ModelOptions options = {});

// The file that --model means: also that in a folder, or of a model in the Hub's cache. Throws
// WorkError where there is none.
std::string model_path(const std::string& name);

// A line for each of its warnings: a config that was left aside, a part that no rule chose.
void print_warnings(const Model& model, std::ostream& out);

// What the configs ask for and is done otherwise, or is not read, and what of the file is left aside,
// each a line.
void say_notes(const Model& model, std::ostream& warnings);

}  // namespace headlight::cli
