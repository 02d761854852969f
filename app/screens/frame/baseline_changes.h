#pragma once

#include <string>
#include <vector>

#include "frame/frame.h"

namespace headlight::screens {

// The settings in which the baseline differs from the current result, one per line. Call only if
// there is a baseline.
std::vector<std::string> changes_since_baseline(const Frame& frame);

}  // namespace headlight::screens
