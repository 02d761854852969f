#pragma once

#include <span>
#include <string>
#include <string_view>

#include "state/screens.h"

namespace headlight {

// When a key means something: while nothing else has the keyboard (a dialog, an open list or a text
// field), then and in lecture view only, or always.
enum class KeyScope { screen, lecture, window };

// One row of the keyboard: what the help panel lists and the window obeys.
struct KeyBinding {
    std::string keys;     // as printed on keys: "←", "Ctrl+Y or Ctrl+Shift+Z", "1…9"
    std::string command;  // of the window or the workspace; N is the digit pressed
    std::string what;     // in the help panel
    KeyScope scope = KeyScope::screen;
};

std::span<const KeyBinding> all_keys();

// What keys mean on a screen instead of what all_keys() says, or besides; empty: nothing else.
std::span<const KeyBinding> keys_of(ScreenId screen);
// Whether the screen means something else by a key of all_keys(), or nothing.
bool is_taken(ScreenId screen, const KeyBinding& key);

// The command of one key press, "" where it means nothing. Modifiers come first, in the order
// Ctrl, Shift: "Ctrl+Shift+Z". Letters are capitals. "Left" is another way to say "←", and so on.
// A key that is held down repeats itself; that means something only where one step follows another.
std::string command_for_key(std::string_view key, bool repeated = false);
KeyScope scope_of_key(std::string_view key);

// The key as the table prints it: "Ctrl+←" for "Ctrl+Left".
std::string printed_key(std::string_view key);

}  // namespace headlight
