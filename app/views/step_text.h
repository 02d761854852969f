#pragma once

#include <string>

#include "views/scene.h"

// What a step says about itself, for the layer that is on the screen: the table of steps tells of
// the usual one, and here stands what a custom scale, a missing bias or no skip change.
namespace headlight::views {

std::string equation_of(const Scene& scene);  // for ui::parse_equation, with the head's number
std::string pytorch_of(const Scene& scene);   // the line of PyTorch that it equals
std::string meaning_of(const Scene& scene);   // in words

}  // namespace headlight::views
