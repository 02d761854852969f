#pragma once

#include <span>
#include <string>
#include <string_view>

#include "state/screens.h"

namespace headlight {

// When a key works: `screen`: while nothing else has the keyboard (a dialog, an open list or a text
// field). `lecture`: the same, and only in lecture view. `window`: always.
enum class KeyScope { screen, lecture, window };

// A key binding; the help panel lists it and the window handles it.
struct KeyBinding {
    std::string keys;     // as printed on keys: "←", "Ctrl+Y or Ctrl+Shift+Z", "1…9"
    std::string command;  // a command of the window or the workspace; N is the digit pressed
    std::string what;     // in the help panel
    KeyScope scope = KeyScope::screen;
};

std::span<const KeyBinding> all_keys();

// Bindings of a screen that override or extend all_keys(); may be empty.
std::span<const KeyBinding> keys_of(ScreenId screen);
// Whether the screen overrides or disables a key of all_keys().
bool is_taken(ScreenId screen, const KeyBinding& key);

// The command for a key press; "" if the key has none. Modifiers come first, in the order Ctrl,
// Shift: "Ctrl+Shift+Z". Letters are capitals. "Left" and so on are accepted for "←". Key repeats
// only work for commands that move step by step.
std::string command_for_key(std::string_view key, bool repeated = false);
KeyScope scope_of_key(std::string_view key);

// The key as the table prints it: "Ctrl+←" for "Ctrl+Left".
std::string printed_key(std::string_view key);

}  // namespace headlight
