#include "platform/keyboard.h"

#include <array>
#include <cctype>

namespace headlight::app {
namespace {

struct NamedKey {
    std::string_view name;
    ImGuiKey edit;
};

// The letters are those that text fields handle with Ctrl.
constexpr std::array kKeys = {
    NamedKey{"←", ImGuiKey_LeftArrow},   NamedKey{"→", ImGuiKey_RightArrow},
    NamedKey{"↑", ImGuiKey_UpArrow},     NamedKey{"↓", ImGuiKey_DownArrow},
    NamedKey{"Home", ImGuiKey_Home},     NamedKey{"End", ImGuiKey_End},
    NamedKey{"PageUp", ImGuiKey_PageUp}, NamedKey{"PageDown", ImGuiKey_PageDown},
    NamedKey{"Escape", ImGuiKey_Escape}, NamedKey{"Enter", ImGuiKey_Enter},
    NamedKey{"Tab", ImGuiKey_Tab},       NamedKey{"Backspace", ImGuiKey_Backspace},
    NamedKey{"Delete", ImGuiKey_Delete}, NamedKey{"A", ImGuiKey_A},
    NamedKey{"C", ImGuiKey_C},           NamedKey{"V", ImGuiKey_V},
    NamedKey{"X", ImGuiKey_X},           NamedKey{"Y", ImGuiKey_Y},
    NamedKey{"Z", ImGuiKey_Z},
};

}  // namespace

std::optional<ImGuiKey> edit_key(std::string_view name) {
    for (const NamedKey& row : kKeys)
        if (row.name == name) return row.edit;
    return std::nullopt;
}

std::string with_ctrl(char character, bool shift) {
    if (character == '=') character = '+';  // the same key on many keyboards
    const bool letter = std::isalpha(static_cast<unsigned char>(character)) != 0;
    // Signs and digits may need Shift for typing, so it is not part of their name.
    return (letter && shift ? "Ctrl+Shift+" : "Ctrl+") + std::string(1, character);
}

}  // namespace headlight::app
