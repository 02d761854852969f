#pragma once

#include <string_view>

#include "trace/steps.h"

namespace headlight {

// The title of a step in the ribbon, and two plain sentences on what it does and why, for the usual
// model. The builders replace them for other models.
struct StepText {
    Step id;
    std::string_view title, meaning;
};
const StepText& text_of(Step step);

}  // namespace headlight
