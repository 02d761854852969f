#pragma once

#include <optional>
#include <string>

#include "ui/compat.h"

namespace headlight::platform {

// The key that a key of the number pad stands for while NumLock is off: 4 is ←. Other keys stand
// for themselves.
int without_num_lock(int key, int modifiers);

// What GLFW's key events are called in state/keys.h, with modifiers: "Ctrl+Shift+Z", "←". "" for
// keys that write a character by themselves: those come as characters, right for every layout.
std::string key_name(int key, int scancode, int modifiers);

// The key of a text field that a GLFW key stands for.
std::optional<ImGuiKey> glfw_edit_key(int key);

}  // namespace headlight::platform
