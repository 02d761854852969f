#pragma once

#include <string>

#include "frame/frame.h"

// What a node says of itself, for the head that is on the screen.
namespace headlight::screens {

std::string equation_of(const Frame& frame);  // for ui::parse_equation, with the head's number
float equation_height(const ui::Context& ui);  // of the row above the stage, in pixels
std::string pytorch_of(const Frame& frame);   // the line of PyTorch that it equals
std::string meaning_of(const Frame& frame, const Node& node);  // in words

}  // namespace headlight::screens
