#pragma once

#include <string>
#include <vector>

#include "frame/frame.h"

namespace headlight::screens {

// In what the result that was kept was made otherwise than the present one, a line each. Only where
// one was kept.
std::vector<std::string> changes_since_baseline(const Frame& frame);

}  // namespace headlight::screens
