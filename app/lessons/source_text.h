#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lessons/lesson.h"

// A lesson's bytes as the parser of CommonMark shall read them.
namespace headlight::lessons {

// Longer ones are nobody's words, and a line is broken between words only.
inline constexpr std::size_t kLongestWord = 1000;  // in bytes

void complain(std::vector<Problem>& problems, int line, std::string_view reason);

// No line moves. Never throws; what is no text is left out and said in `problems`.
std::string source_text(std::string_view bytes, std::vector<Problem>& problems);

}  // namespace headlight::lessons
