#include "state/keys.h"

#include <array>

namespace headlight {
namespace {

constexpr std::array kKeys = {
    KeyBinding{"←", "step previous", "Step back"},
    KeyBinding{"→", "step next", "Next step"},
    KeyBinding{"Home", "step first", "First step"},
    KeyBinding{"End", "step last", "Last step"},
    KeyBinding{"PageUp", "stop previous", "Stop before (clicker)"},
    KeyBinding{"PageDown", "stop next", "Next stop (clicker)"},
    KeyBinding{"Space", "toggle-play", "Play, pause"},
    KeyBinding{"↑", "head previous", "Head before"},
    KeyBinding{"↓", "head next", "Next head"},
    KeyBinding{"1…9", "head N", "Head 1 to 9"},
    KeyBinding{"[", "layer previous", "Layer before"},
    KeyBinding{"]", "layer next", "Next layer"},
    KeyBinding{"Escape", "escape", "Close the panel, show all of a matrix, or let go"},
    KeyBinding{"P", "pin", "Keep this result as “before”, to compare"},
    KeyBinding{"Ctrl+Z", "undo", "Undo"},
    KeyBinding{"Ctrl+Y or Ctrl+Shift+Z", "redo", "Redo"},
    KeyBinding{"Tab", "", "Through the right column; Enter opens or changes"},
    KeyBinding{"S", "scene random", "Another scene of shapes"},
    KeyBinding{"Ctrl+O", "show files", "Open an image, a scene or a model"},
    KeyBinding{"M", "show model", "About the model"},
    KeyBinding{"Ctrl+E", "export", "Save a picture of the window"},
    KeyBinding{"F11", "toggle lecture", "Lecture view"},
    KeyBinding{"T", "toggle theme", "Light or dark"},
    KeyBinding{"Ctrl++", "zoom in", "Larger"},
    KeyBinding{"Ctrl+−", "zoom out", "Smaller"},
    KeyBinding{"Ctrl+0", "zoom reset", "Usual size"},
    KeyBinding{"? or F1", "show help", "All keys"},
    KeyBinding{"Ctrl+Q", "quit", "Quit"},
};

// Signs that keyboards print, and the words by which scripts may call them.
struct Alias {
    std::string_view word, sign;
};
constexpr std::array kAliases = {Alias{"Left", "←"}, Alias{"Right", "→"}, Alias{"Up", "↑"},
                                 Alias{"Down", "↓"}, Alias{"-", "−"}};

bool lists(std::string_view keys, std::string_view key) {
    constexpr std::string_view between = " or ";
    for (std::size_t end = keys.find(between); end != std::string_view::npos;
         end = keys.find(between)) {
        if (keys.substr(0, end) == key) {
            return true;
        }
        keys.remove_prefix(end + between.size());
    }
    return keys == key;
}

// Holding T must not make the screen flicker, nor Ctrl+E fill the disk.
bool repeats(std::string_view command) {
    return command.ends_with(" next") || command.ends_with(" previous") || command == "undo" ||
           command == "redo" || command == "zoom in" || command == "zoom out";
}

}  // namespace

std::span<const KeyBinding> all_keys() { return kKeys; }

std::string printed_key(std::string_view key) {
    // Modifiers end at the last "+" that is not the key itself, as it is in "Ctrl++".
    const std::size_t plus =
        key.size() < 2 ? std::string_view::npos : key.rfind('+', key.size() - 2);
    const std::size_t start = plus == std::string_view::npos ? 0 : plus + 1;
    for (const Alias& alias : kAliases) {
        if (key.substr(start) == alias.word) {
            return std::string(key.substr(0, start)).append(alias.sign);
        }
    }
    return std::string(key);
}

std::string command_for_key(std::string_view key, bool repeated) {
    if (key.size() == 1 && key[0] >= '1' && key[0] <= '9') {
        return "head " + std::string(key);
    }
    const std::string sign = printed_key(key);
    for (const KeyBinding& binding : kKeys) {
        if (lists(binding.keys, sign)) {
            return std::string(repeated && !repeats(binding.command) ? "" : binding.command);
        }
    }
    return {};
}

}  // namespace headlight
