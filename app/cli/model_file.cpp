#include "cli/model_file.h"

#include <optional>

#include "checkpoint/load.h"
#include "cli/files.h"

namespace headlight::cli {

std::shared_ptr<const Model> open_model(const std::string& path, const std::string& config,
                                        const StopFlag& stop) {
    std::optional<ModelConfig> given;
    if (!config.empty()) given = parse_given_config(read_file(config), config);
    return load_model(path, read_file, {}, given, [&](float) { return !(stop && stop()); });
}

}  // namespace headlight::cli
