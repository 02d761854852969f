#pragma once

#include <optional>
#include <string>

#include "ui/compat.h"

namespace headlight::app {

// The navigation key for a numeric keypad key while NumLock is off: 4 is ←. Other keys are returned
// unchanged.
int without_num_lock(int key, int modifiers);

// Whether GLFW's modifiers contain Ctrl; on a Mac, Ctrl or Cmd.
bool has_ctrl(int modifiers);

// The name in state/keys.h for a GLFW key event with modifiers: "Ctrl+Shift+Z", "←". "" for keys
// that type a character; these arrive as characters, correct for every keyboard layout.
std::string key_name(int key, int scancode, int modifiers);

// The text field key for a GLFW key.
std::optional<ImGuiKey> glfw_edit_key(int key);

}  // namespace headlight::app
