#pragma once

#include <string>

#include "lessons/evaluate.h"

// What a lesson measures, in words: the same on the screen, on paper and in a script.
namespace headlight::screens {

std::string value_text(const lessons::Value& value);  // "43", "0.342", "cross", "yes"
std::string percent_of(const lessons::Value& value);  // "89 %" of 0.89, "> 99.9 %"; of no number as it is

}  // namespace headlight::screens
