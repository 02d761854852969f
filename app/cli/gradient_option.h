#pragma once

#include <optional>
#include <string>

#include "cli/source.h"
#include "gradient/backward.h"
#include "kernels/stop.h"

// --gradient-of: a class by its index, from 0, or its name; "pooled" for a model without classes;
// for `trace` and `torch` also "cosine:IMAGE".
namespace headlight::cli {

// None if the option is empty. Throws WorkError if the model has no gradients, UsageError if it has
// no such class or output.
std::optional<GradientTarget> gradient_target(const std::string& of, const Source& source);

// The image that "cosine:IMAGE" names; "" for anything else.
std::string image_of_cosine(const std::string& of);

// As gradient_target(), or for "cosine:IMAGE" the cosine of the output with the output for that
// image. Runs the model on it. Throws also as beginning_of(), and Stopped.
std::optional<GradientTarget> target_or_cosine(const std::string& of, const Source& source,
                                               const StopFlag& stop);

}  // namespace headlight::cli
