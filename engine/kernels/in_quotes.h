#pragma once

#include <string>
#include <string_view>

namespace headlight {

// In quotes, for a message; long texts are cut, because a name in a malicious file may be a
// megabyte long.
inline std::string in_quotes(std::string_view text) {
    constexpr std::size_t kLongest = 80;
    if (text.size() <= kLongest) return '"' + std::string(text) + '"';
    std::size_t cut = kLongest;
    // Do not cut inside a character: bytes 10xxxxxx continue one in UTF-8.
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;
    return '"' + std::string(text.substr(0, cut)) + "…\"";
}

}  // namespace headlight
