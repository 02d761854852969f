#include "cli/model_file.h"

#include <filesystem>
#include <optional>
#include <system_error>

#include "cli/errors.h"
#include "cli/files.h"
#include "disk/names.h"
#include "families/load.h"

namespace headlight::cli {

std::shared_ptr<const Model> open_model(const std::string& path, const std::string& config,
                                        const StopFlag& stop, const ModelOptions& options) {
    std::optional<ModelConfig> given;
    if (!config.empty()) given = parse_given_config(read_file(config).bytes(stop), config);
    const auto inside = checkpoint_in(path);
    std::error_code unknown;
    if (!inside && std::filesystem::is_directory(path, unknown))
        throw WorkError(why_no_checkpoint_in(path));
    return load_model(inside.value_or(path), read_file, options, given, stop);
}

}  // namespace headlight::cli
