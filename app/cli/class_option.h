#pragma once

#include <optional>
#include <string>

#include "model/model.h"

// --class, and --gradient-of: a class by its index, from 0, or by its name.
namespace headlight::cli {

// The index of that class; none if nothing was said. Case does not matter, and a whole word or
// several of a name are enough if no other class has them. A name that is complete comes first.
// Throws WorkError if the model has no classes, UsageError if none of its classes fits, or several.
// `option`: the start of the messages.
std::optional<int> class_of(const Model& model, const std::optional<std::string>& said,
                            const std::string& option = "--class");

// For the help of --class.
inline constexpr const char* kClassWords = "index of the class from 0, or its name";

}  // namespace headlight::cli
