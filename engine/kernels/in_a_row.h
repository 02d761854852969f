#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

// "a", "a and b", "a, b and c"
inline std::string in_a_row(const std::vector<std::string>& words, std::string_view last = "and") {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += i + 1 == words.size() ? " " + std::string(last) + " " : ", ";
        text += words[i];
    }
    return text;
}

}  // namespace headlight
