#include "tests/source_path.h"

namespace headlight {

std::string source_path(const std::string& relative) { return HEADLIGHT_SOURCE "/" + relative; }

}  // namespace headlight
