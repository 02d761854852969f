#pragma once

#include <memory>
#include <string>

#include "kernels/stop.h"
#include "model/model.h"

namespace headlight::cli {

// Loads a model of any family, with the JSON file of --config (unless empty) above what lies beside
// it, and `options` above both. Throws as load_model does.
std::shared_ptr<const Model> open_model(const std::string& path, const std::string& config,
                                        const StopFlag& stop = {},
                                        const ModelOptions& options = {});

}  // namespace headlight::cli
