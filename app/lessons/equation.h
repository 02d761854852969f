#pragma once

#include <string>
#include <string_view>

namespace headlight::lessons {

// Converts a lesson's equation to the notation of ui/equation.h. Accepts TeX names of Greek
// letters, operators and functions (\alpha, \sum, \cdot, \exp …) with TeX's spacing, \text{words},
// and one-letter scripts without braces: x_i for x_{i}. A script after \sum, \prod, \max or \min is
// its limit. \frac{a}{b} and \sqrt{d} contain equations. A tensor's symbol with its name,
// {query:Q}, stays unchanged. Throws CommandError for any other name, several lines, or an unclosed
// brace.
std::string equation_of(std::string_view text);

}  // namespace headlight::lessons
