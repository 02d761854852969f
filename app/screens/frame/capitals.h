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

// For the beginning of a sentence: "Layer 9, head 7".
inline std::string first_capital(std::string text) {
    if (!text.empty())
        text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

}  // namespace headlight::screens
