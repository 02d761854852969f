#pragma once

#include <algorithm>
#include <cctype>
#include <string>

namespace headlight::screens {

// Converts captions to capitals: "LAYER 9". Letters outside ASCII are unchanged.
inline std::string capitals(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
    return text;
}

// Capitalizes the first letter of a sentence: "Layer 9, head 7".
inline std::string first_capital(std::string text) {
    if (!text.empty())
        text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

}  // namespace headlight::screens
