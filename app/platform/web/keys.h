#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ui/compat.h"

namespace headlight::platform {

// A key of a page: KeyboardEvent.key (W3C, UI Events KeyboardEvent key Values) and what is held.
struct PageKey {
    std::string_view key;
    bool ctrl = false, shift = false, alt = false;  // ctrl: or Cmd on a Mac
};

// What the window's input is told of it.
struct KeyMeaning {
    bool browsers = false;  // left to the browser
    bool ctrl = false;
    std::string name;              // in state/keys.h, with modifiers; "": none
    unsigned character = 0;        // that it writes; 0: none
    std::string capital;           // the name of a printed character without Ctrl
    std::optional<ImGuiKey> edit;  // of a text field
};
KeyMeaning meaning_of(const PageKey& key);

}  // namespace headlight::platform
