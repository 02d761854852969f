#pragma once

#include <string>

#include "image/preprocessing.h"

namespace headlight {

// The line of PyTorch that resizes and crops a picture. It uses torchvision on 8-bit pictures ("TF"
// is torchvision.transforms.functional), and torch itself on floats.
std::string framing_line(const Preprocessing& how, bool grey);

}  // namespace headlight
