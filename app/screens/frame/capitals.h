#pragma once

#include <algorithm>
#include <cctype>
#include <string>

namespace headlight::screens {

// For captions: "LAYER 9". Letters beyond ASCII stay as they are.
inline std::string capitals(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
    return text;
}

}  // namespace headlight::screens
