#pragma once

#include <string>

#include "analysis/rollout.h"

namespace headlight::cli {

// --rollout: {"fusion": "max", "discard_ratio": 0.9, "normalisation": "vit_explain"}; what is not
// said, and all of it where the text is empty, is as published. Throws UsageError.
RolloutSettings parse_rollout(const std::string& text);

}  // namespace headlight::cli
