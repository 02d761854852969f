#pragma once

#include <string_view>

namespace headlight::ui {

// The first character of a text, and its bytes.
struct Letter {
    char32_t point = 0;
    std::string_view bytes;  // a single byte if `valid` is false
    bool valid = false;      // false: the text does not start with valid UTF-8 (RFC 3629)
};

// text: not empty; file names may contain any bytes.
inline Letter first_letter(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xC2 && first < 0xE0 ? 2
                               : first >= 0xE0 && first < 0xF0 ? 3
                               : first >= 0xF0 && first < 0xF5 ? 4
                                                               : 0;
    const Letter none{first, text.substr(0, 1), false};
    if (length == 0 || length > text.size()) return none;
    char32_t point = length == 1 ? first : first & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U) return none;
        point = point << 6U | (byte(i) & 0x3FU);
    }
    constexpr char32_t kFewest[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool is_letter = point >= kFewest[length] && point <= 0x10FFFF &&
                           (point < 0xD800 || point > 0xDFFF);  // UTF-16 surrogates
    if (!is_letter) return none;
    return {point, text.substr(0, length), true};
}

// The same, and removes it from the text.
inline Letter cut_letter(std::string_view& text) {
    const Letter letter = first_letter(text);
    text.remove_prefix(letter.bytes.size());
    return letter;
}

// text: not empty.
inline std::string_view without_last_letter(std::string_view text) {
    std::size_t at = text.size() - 1;
    while (at > 0 && text.size() - at < 4 && (text[at] & 0xC0) == 0x80) --at;
    const bool is_letter = first_letter(text.substr(at)).bytes.size() == text.size() - at;
    return text.substr(0, is_letter ? at : text.size() - 1);
}

}  // namespace headlight::ui
