#pragma once

#include <string>

#include "model/model.h"

namespace headlight::screens {

// "espresso"; of our scenes "star appears twice"; where nobody knows "class 7".
std::string class_name(const Model& model, Index index);

}  // namespace headlight::screens
