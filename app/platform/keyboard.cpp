#include "platform/keyboard.h"

#include <array>
#include <cctype>

namespace headlight::platform {
namespace {

struct Key {
    std::string_view name;
    ImGuiKey edit;
};

// The letters are those that text fields handle with Ctrl.
constexpr std::array kKeys = {
    Key{"←", ImGuiKey_LeftArrow},   Key{"→", ImGuiKey_RightArrow},
    Key{"↑", ImGuiKey_UpArrow},     Key{"↓", ImGuiKey_DownArrow},
    Key{"Home", ImGuiKey_Home},     Key{"End", ImGuiKey_End},
    Key{"PageUp", ImGuiKey_PageUp}, Key{"PageDown", ImGuiKey_PageDown},
    Key{"Escape", ImGuiKey_Escape}, Key{"Enter", ImGuiKey_Enter},
    Key{"Tab", ImGuiKey_Tab},       Key{"Backspace", ImGuiKey_Backspace},
    Key{"Delete", ImGuiKey_Delete}, Key{"A", ImGuiKey_A},
    Key{"C", ImGuiKey_C},           Key{"V", ImGuiKey_V},
    Key{"X", ImGuiKey_X},           Key{"Y", ImGuiKey_Y},
    Key{"Z", ImGuiKey_Z},
};

}  // namespace

std::optional<ImGuiKey> edit_key(std::string_view name) {
    for (const Key& row : kKeys)
        if (row.name == name) return row.edit;
    return std::nullopt;
}

std::string with_ctrl(char character, bool shift) {
    if (character == '=') character = '+';  // the same key on many keyboards
    const bool letter = std::isalpha(static_cast<unsigned char>(character)) != 0;
    // Signs and digits may need Shift for typing, so it is not part of their name.
    return (letter && shift ? "Ctrl+Shift+" : "Ctrl+") + std::string(1, character);
}

}  // namespace headlight::platform
