#pragma once

#include <ostream>
#include <span>
#include <string>

// Warns of NaN and infinite results, as from weights that are too large.
namespace headlight::cli {

// Prints a line and returns true if any of these numbers, computed by the model in this file, is
// NaN or infinite.
bool say_not_finite(std::span<const float> numbers, const std::string& model,
                    std::ostream& warnings);

// Prints that line.
void say_not_finite(const std::string& model, std::ostream& warnings);

}  // namespace headlight::cli
