#include "platform/web/keys.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "platform/keyboard.h"

namespace headlight::app {
namespace {

struct Named {
    std::string_view key, name;
};

// Keys without a character.
constexpr std::array kNamed = {
    Named{"ArrowLeft", "←"},
    Named{"ArrowRight", "→"},
    Named{"ArrowUp", "↑"},
    Named{"ArrowDown", "↓"},
    Named{"Home", "Home"},
    Named{"End", "End"},
    Named{"PageUp", "PageUp"},
    Named{"PageDown", "PageDown"},
    Named{" ", "Space"},
    Named{"Escape", "Escape"},
    Named{"Enter", "Enter"},
    Named{"Tab", "Tab"},
    Named{"Backspace", "Backspace"},
    Named{"Delete", "Delete"},
    Named{"F1", "F1"},
    Named{"F11", "F11"},
};

// With Ctrl, these belong to the browser: reload, tabs, address bar, print, and paste, which has
// its own event.
constexpr std::string_view kBrowsers = "RTWLPHJDV";

// The single code point of a text; 0 if it has several, as in "Shift", or none.
unsigned only_code_point(std::string_view text) {
    if (text.empty()) return 0;
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (text.size() != length) return 0;
    unsigned point = length == 1 ? first : first & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) point = point << 6U | (byte(i) & 0x3FU);
    return point;
}

}  // namespace

KeyMeaning meaning_of(const PageKey& key) {
    KeyMeaning meaning;
    const unsigned point = only_code_point(key.key);
    // AltGr types characters; some systems report it as Ctrl+Alt.
    const bool writes = point != 0 && (!key.ctrl || key.alt);
    meaning.ctrl = key.ctrl && !key.alt;
    const auto* named = std::ranges::find(kNamed, key.key, &Named::key);
    if (named != kNamed.end()) {
        meaning.browsers = key.alt;
        if (key.alt) return meaning;
        meaning.name = std::string(key.ctrl ? "Ctrl+" : "") + (key.shift ? "Shift+" : "") +
                       std::string(named->name);
        meaning.edit = edit_key(named->name);
        if (point == ' ' && !key.ctrl) meaning.character = ' ';
        return meaning;
    }
    const bool printed = point > ' ' && point < 127;
    const char capital = printed ? static_cast<char>(std::toupper(static_cast<int>(point))) : '\0';
    if (writes) {
        meaning.character = point;
        if (printed) meaning.capital = std::string(1, capital);
        return meaning;
    }
    if (!meaning.ctrl || !printed || kBrowsers.find(capital) != kBrowsers.npos) {
        meaning.browsers = true;
        return meaning;
    }
    meaning.name = with_ctrl(capital, key.shift);
    meaning.edit = edit_key(std::string_view(&capital, 1));
    return meaning;
}

}  // namespace headlight::app
