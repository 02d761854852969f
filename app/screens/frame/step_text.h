#pragma once

#include <string>

#include "frame/frame.h"

// Texts about a step, for the current head.
namespace headlight::screens {

std::string equation_of(const Frame& frame);   // for ui::parse_equation, with the head's number
float equation_height(const ui::Context& ui);  // of the row above the stage, in pixels
std::string pytorch_of(const Frame& frame);    // the equivalent line of PyTorch
std::string meaning_of(const Frame& frame, const Node& node);  // in words

}  // namespace headlight::screens
