#pragma once

#include <string>

#include "frame/frame.h"
#include "heads/flow.h"

namespace headlight::screens {

// Chooses the class in question among the most probable ones; the first is the predicted one. Of a
// model without classes there is nothing to choose.
void class_choice(Frame& frame, Flow& flow, const std::string& name);

}  // namespace headlight::screens
