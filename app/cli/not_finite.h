#pragma once

#include <ostream>
#include <span>
#include <string>

// Results that are no numbers: what a model computes of weights that are too large.
namespace headlight::cli {

// A line where some of these numbers, of the model in this file, are NaN or infinite; whether they
// are.
bool say_not_finite(std::span<const float> numbers, const std::string& model,
                    std::ostream& warnings);

// The line.
void say_not_finite(const std::string& model, std::ostream& warnings);

}  // namespace headlight::cli
