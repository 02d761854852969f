#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace headlight {

// "1 token", "3 tokens". `many`: a plural that is not formed with "s".
template <std::integral Number>
std::string counted(Number count, std::string_view one, std::string_view many = {}) {
    std::string text = std::to_string(count) + ' ';
    if (count == 1 || many.empty())
        text += one;
    else
        text += many;
    if (count != 1 && many.empty()) text += 's';
    return text;
}

}  // namespace headlight
