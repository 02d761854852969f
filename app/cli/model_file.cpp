#include "cli/model_file.h"

#include <filesystem>
#include <optional>

#include "checkpoint/load.h"
#include "cli/files.h"

namespace headlight::cli {

namespace {

// What a folder is opened for, where it holds a model under one of the usual names.
std::string file_in(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code unknown;
    for (const char* name : {"model.safetensors", "model.safetensors.index.json"})
        if (fs::is_regular_file(fs::path(path) / name, unknown)) return fs::path(path) / name;
    return path;
}

}  // namespace

std::shared_ptr<const Model> open_model(const std::string& path, const std::string& config,
                                        const StopFlag& stop) {
    std::optional<ModelConfig> given;
    if (!config.empty()) given = parse_given_config(read_file(config).bytes(stop), config);
    return load_model(file_in(path), read_file, {}, given, stop);
}

}  // namespace headlight::cli
