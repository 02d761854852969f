#pragma once

#include <algorithm>
#include <string>
#include <string_view>

// Letters of ASCII. Other bytes stay as they are, so names in any encoding stay whole.
namespace headlight {

constexpr char ascii_lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string in_lower_case(std::string_view text) {
    std::string low(text);
    std::ranges::transform(low, low.begin(), ascii_lower);
    return low;
}

constexpr bool is_letter_or_digit(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace headlight
