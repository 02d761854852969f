#pragma once

#include <string>

#include "image/preprocessing.h"

namespace headlight {

// The line of PyTorch that brings a picture to its frame: torchvision's on 8-bit pictures ("TF" is
// torchvision.transforms.functional), torch's own on floats.
std::string framing_line(const Preprocessing& how, bool grey);

}  // namespace headlight
