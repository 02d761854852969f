#pragma once

#include <string>

#include "views/scene.h"

// What a node says of itself, for the head that is on the screen.
namespace headlight::views {

std::string equation_of(const Scene& scene);  // for ui::parse_equation, with the head's number
std::string pytorch_of(const Scene& scene);   // the line of PyTorch that it equals
std::string meaning_of(const Scene& scene, const Node& node);  // in words

}  // namespace headlight::views
