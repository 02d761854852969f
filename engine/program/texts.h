#pragma once

#include <string_view>

#include "trace/steps.h"

namespace headlight {

// What a step is called in the ribbon, and in two plain sentences what it does and why: of the
// usual model. The builders say what is different in others.
struct StepText {
    Step id;
    std::string_view title, meaning;
};
const StepText& text_of(Step step);

}  // namespace headlight
