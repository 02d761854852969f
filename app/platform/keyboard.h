#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ui/compat.h"

namespace headlight::app {

// The text field key for a name in state/keys.h, without modifiers: "Enter", "←", "A".
std::optional<ImGuiKey> edit_key(std::string_view name);

// The name of a printed character with Ctrl; letters are capitals: "Ctrl+Shift+Z".
std::string with_ctrl(char character, bool shift);

}  // namespace headlight::app
