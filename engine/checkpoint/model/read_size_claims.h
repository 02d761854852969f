#pragma once

#include <string>
#include <vector>

#include "json/bounded_json.h"
#include "model/size_claims.h"

namespace headlight {

// The sizes in a config of Hugging Face, timm, OpenCLIP or Headlight. If it describes several
// models, those of the vision tower. Ignores values that are not integers.
std::vector<SizeClaim> size_claims(const nlohmann::json& config);
bool is_size_key(const std::string& key);

}  // namespace headlight
