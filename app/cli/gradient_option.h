#pragma once

#include <optional>
#include <string>

#include "cli/source.h"
#include "gradient/backward.h"

// --gradient-of: a class by its index, from 0, or its name; "pooled" for a model without
// classes.
namespace headlight::cli {

// None if the option is empty. Throws WorkError if the model has no gradients, UsageError if it has
// no such class or output.
std::optional<GradientTarget> gradient_target(const std::string& of, const Source& source);

}  // namespace headlight::cli
