#pragma once

#include <string>

#include "analysis/rollout.h"

namespace headlight::cli {

// --rollout: {"fusion": "max", "discard_ratio": 0.9, "normalisation": "vit_explain"}. Unset values,
// or all of them for an empty text, are as published. Throws UsageError.
RolloutSettings parse_rollout(const std::string& text);

}  // namespace headlight::cli
