#pragma once

#include <string>

#include "lessons/evaluate.h"

// Formats the values of a lesson, the same on the screen, on paper and in scripts.
namespace headlight::screens {

std::string value_text(const lessons::Value& value);  // "43", "0.342", "cross", "yes"
std::string percent_of(const lessons::Value& value);  // "89 %" for 0.89, else as value_text

}  // namespace headlight::screens
