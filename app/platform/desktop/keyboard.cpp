#include "platform/desktop/keyboard.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include "platform/keyboard.h"

namespace headlight::app {
namespace {

// Macs have no NumLock, and their programs use Cmd, GLFW's "super", as others use Ctrl.
#ifdef __APPLE__
constexpr bool kIsMac = true;
#else
constexpr bool kIsMac = false;
#endif

struct Key {
    std::string_view name;
    int glfw;
};

// Keys without a character.
constexpr std::array kNamed = {
    Key{"←", GLFW_KEY_LEFT},         Key{"→", GLFW_KEY_RIGHT},
    Key{"↑", GLFW_KEY_UP},           Key{"↓", GLFW_KEY_DOWN},
    Key{"Home", GLFW_KEY_HOME},      Key{"End", GLFW_KEY_END},
    Key{"PageUp", GLFW_KEY_PAGE_UP}, Key{"PageDown", GLFW_KEY_PAGE_DOWN},
    Key{"Space", GLFW_KEY_SPACE},    Key{"Escape", GLFW_KEY_ESCAPE},
    Key{"Enter", GLFW_KEY_ENTER},    Key{"Enter", GLFW_KEY_KP_ENTER},
    Key{"Tab", GLFW_KEY_TAB},        Key{"Backspace", GLFW_KEY_BACKSPACE},
    Key{"Delete", GLFW_KEY_DELETE},  Key{"F1", GLFW_KEY_F1},
    Key{"F5", GLFW_KEY_F5},          Key{"F11", GLFW_KEY_F11},
};

// Characters that text fields handle with Ctrl.
constexpr std::array kLetters = {
    Key{"A", GLFW_KEY_A}, Key{"C", GLFW_KEY_C}, Key{"V", GLFW_KEY_V},
    Key{"X", GLFW_KEY_X}, Key{"Y", GLFW_KEY_Y}, Key{"Z", GLFW_KEY_Z},
};

// The numeric keypad without NumLock.
constexpr std::array kPad = {
    std::pair{GLFW_KEY_KP_4, GLFW_KEY_LEFT},         std::pair{GLFW_KEY_KP_6, GLFW_KEY_RIGHT},
    std::pair{GLFW_KEY_KP_8, GLFW_KEY_UP},           std::pair{GLFW_KEY_KP_2, GLFW_KEY_DOWN},
    std::pair{GLFW_KEY_KP_7, GLFW_KEY_HOME},         std::pair{GLFW_KEY_KP_1, GLFW_KEY_END},
    std::pair{GLFW_KEY_KP_9, GLFW_KEY_PAGE_UP},      std::pair{GLFW_KEY_KP_3, GLFW_KEY_PAGE_DOWN},
    std::pair{GLFW_KEY_KP_DECIMAL, GLFW_KEY_DELETE},
};

// The character printed on a key, as a capital. A layout without Latin letters has none; then the
// key's position counts, as in other programs.
char printed_on(int key, int scancode) {
    const char* name = glfwGetKeyName(key, scancode);
    const bool latin = name != nullptr && name[0] > 0 && name[1] == '\0';
    const int character = latin ? name[0] : key;
    const bool printable = character > ' ' && character < 127;
    return printable ? static_cast<char>(std::toupper(character)) : '\0';
}

}  // namespace

int without_num_lock(int key, int modifiers) {
    if (kIsMac || (modifiers & GLFW_MOD_NUM_LOCK) != 0) return key;
    for (const auto& [pad, other] : kPad)
        if (pad == key) return other;
    return key;
}

bool has_ctrl(int modifiers) {
    constexpr int kCtrl = kIsMac ? GLFW_MOD_CONTROL | GLFW_MOD_SUPER : GLFW_MOD_CONTROL;
    return (modifiers & kCtrl) != 0;
}

std::string key_name(int key, int scancode, int modifiers) {
    const bool ctrl = has_ctrl(modifiers), shift = (modifiers & GLFW_MOD_SHIFT) != 0;
    constexpr int kForDesktop = kIsMac ? GLFW_MOD_ALT : GLFW_MOD_ALT | GLFW_MOD_SUPER;
    if ((modifiers & kForDesktop) != 0) return {};
    for (const Key& row : kNamed) {
        if (row.glfw == key)
            return std::string(ctrl ? "Ctrl+" : "").append(shift ? "Shift+" : "").append(row.name);
    }
    const char character = ctrl ? printed_on(key, scancode) : '\0';
    return character == '\0' ? std::string() : with_ctrl(character, shift);
}

std::optional<ImGuiKey> glfw_edit_key(int key) {
    for (const Key& row : kNamed)
        if (row.glfw == key) return edit_key(row.name);
    for (const Key& row : kLetters)
        if (row.glfw == key) return edit_key(row.name);
    return std::nullopt;
}

}  // namespace headlight::app
