#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ui/compat.h"

namespace headlight::app {

// A key event of a page: KeyboardEvent.key (W3C, UI Events KeyboardEvent key Values) and modifiers.
struct PageKey {
    std::string_view key;
    bool ctrl = false, shift = false, alt = false;  // ctrl: or Cmd on a Mac
};

// How the program handles it.
struct KeyMeaning {
    bool browsers = false;  // left to the browser
    bool ctrl = false;
    std::string name;              // in state/keys.h, with modifiers; "": none
    unsigned character = 0;        // the character typed; 0: none
    std::string capital;           // name of a printed character without Ctrl
    std::optional<ImGuiKey> edit;  // for text fields
};
KeyMeaning meaning_of(const PageKey& key);

}  // namespace headlight::app
