#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ui/compat.h"

namespace headlight::platform {

// The key of a text field by its name in state/keys.h, without modifiers: "Enter", "←", "A".
std::optional<ImGuiKey> edit_key(std::string_view name);

// The name of a printed character with Ctrl, a capital where it is a letter: "Ctrl+Shift+Z".
std::string with_ctrl(char character, bool shift);

}  // namespace headlight::platform
