#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lessons/lesson.h"

// Prepares a lesson's bytes for the CommonMark parser.
namespace headlight::lessons {

// Longer words are rejected, because lines are broken only between words.
inline constexpr std::size_t kLongestWord = 1000;  // in bytes

void complain(std::vector<Problem>& problems, int line, std::string_view reason);

// Keeps line numbers. Never throws; invalid text is left out and listed in `problems`.
std::string source_text(std::string_view bytes, std::vector<Problem>& problems);

}  // namespace headlight::lessons
