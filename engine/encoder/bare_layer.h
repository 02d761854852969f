#pragma once

#include <memory>

#include "model/model.h"

namespace headlight {

// A layer whose weights are drawn as soon as the width of its tokens is known.
std::shared_ptr<const Model> layer_to_be_drawn();

}  // namespace headlight
