#pragma once

#include <string>
#include <string_view>

namespace headlight::lessons {

// An equation as people write it in a lesson, in the small notation of ui/equation.h: Greek
// letters, signs and functions by their names in TeX (\alpha, \sum, \cdot, \exp …) and set apart as
// TeX does, words as \text{words}, scripts of one letter without braces, x_i for x_{i}. \frac{a}{b}
// and \sqrt{d} hold equations themselves. A tensor's symbol in braces with its name, {query:Q},
// stays as it is. Throws CommandError for a name that is none of these, for several lines, or a
// brace that is not closed.
std::string equation_of(std::string_view text);

}  // namespace headlight::lessons
