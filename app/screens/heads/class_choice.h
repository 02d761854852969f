#pragma once

#include <string>

#include "frame/frame.h"
#include "heads/flow.h"

namespace headlight::screens {

// Chooses the class in question from the most probable ones; the first is the predicted one. Empty
// for a model without classes.
void class_choice(Frame& frame, ui::Flow& flow, const std::string& name);

}  // namespace headlight::screens
