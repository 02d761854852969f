#include "state/keys.h"

#include <array>
#include <vector>

#include "state/screens.h"

namespace headlight {
namespace {

// Ctrl+1 and so on, in the order of the tabs.
void add_screens(std::vector<KeyBinding>& keys) {
    int number = 0;
    for (const ScreenWords& screen : kScreenWords) {
        const std::string title(screen.title);
        keys.push_back({"Ctrl+" + std::to_string(++number),
                        "set screen " + std::string(screen.name),
                        title + ": " + std::string(screen.what)});
    }
}

std::vector<KeyBinding> bindings() {
    std::vector<KeyBinding> keys{
        {"←", "step previous", "Step back"},
        {"→", "step next", "Next step"},
        {"Home", "step first", "First step"},
        {"End", "step last", "Last step"},
        {"PageUp", "stop previous", "Stop before (clicker)"},
        {"PageDown", "stop next", "Next stop (clicker)"},
        {"Space", "toggle-play", "Play, pause"},
        {"↑", "head previous", "Head before"},
        {"↓", "head next", "Next head"},
        {"1…9", "head N", "Head 1 to 9"},
        {"[", "layer previous", "Layer before"},
        {"]", "layer next", "Next layer"},
        {"Escape", "escape", "Close the panel, show all of a matrix, or let go"},
        {"P", "pin", "Keep this result as “before”, to compare"},
        {"Ctrl+Z", "undo", "Undo"},
        {"Ctrl+Y or Ctrl+Shift+Z", "redo", "Redo"},
        {"Tab", "", "Through the right column; Enter opens or changes"},
        {"S", "scene random", "Another scene of shapes"},
        {"Q", "", "In Heads: asks for the patch under the pointer besides, or no longer"},
        {"F", "show figure", "A figure of the maps of all heads"},
        {"Ctrl+O", "show files", "Open an image, a scene, a model or tokens"},
        {"E", "show examples", "Examples: attention of many kinds"},
        {"M", "show model", "About the model"},
        {"Ctrl+E", "export png", "Save a picture of the window"},
        {"Ctrl+C", "copy row", "Copy the selected text, else the row under the pointer, with tabs"},
        {"Ctrl+Shift+C", "copy matrix", "Copy the whole matrix"},
        {"Ctrl+A", "", "Select all that a lesson's stop says"},
        {"Ctrl+Shift+E", "export svg", "Save it as SVG: text as text, to be enlarged"},
        {"F11", "toggle lecture", "Lecture view"},
        {"L", "toggle pointer_light", "The pointer as a spotlight"},
        {".", "show blank", "A black screen, until the next key"},
        {"N", "toggle notes", "A lesson's notes for the speaker"},
        {"Ctrl+N", "presenter", "Notes, next stop and clock in a window of their own"},
        {"T", "toggle theme", "Light or dark"},
        {"Ctrl++", "zoom in", "Larger"},
        {"Ctrl+−", "zoom out", "Smaller"},
        {"Ctrl+0", "zoom reset", "Usual size"},
        {"? or F1", "show help", "All keys"},
        {"Ctrl+Q", "quit", "Quit"},
    };
    add_screens(keys);
    return keys;
}

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

std::span<const KeyBinding> all_keys() {
    static const std::vector<KeyBinding> keys = bindings();
    return keys;
}

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
    for (const KeyBinding& binding : all_keys()) {
        if (lists(binding.keys, sign)) {
            return repeated && !repeats(binding.command) ? "" : binding.command;
        }
    }
    return {};
}

}  // namespace headlight
