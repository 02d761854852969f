#include "cli/model_file.h"

#include <optional>

#include "cli/files.h"
#include "disk/names.h"
#include "families/load.h"

namespace headlight::cli {

std::shared_ptr<const Model> open_model(const std::string& path, const std::string& config,
                                        const StopFlag& stop) {
    std::optional<ModelConfig> given;
    if (!config.empty()) given = parse_given_config(read_file(config).bytes(stop), config);
    return load_model(checkpoint_in(path).value_or(path), read_file, {}, given, stop);
}

}  // namespace headlight::cli
