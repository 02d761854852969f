#include "state/keys.h"

#include <algorithm>
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
        {"←", "step previous", "Previous step"},
        {"→", "step next", "Next step"},
        {"Home", "step first", "First step"},
        {"End", "step last", "Last step"},
        {"PageUp", "stop previous", "Previous stop, as on a clicker; ← does the same in a lesson"},
        {"PageDown", "stop next",
         "Next stop, as on a clicker; → and Space do the same in a lesson"},
        {"Space", "toggle-play", "Play or pause; in a lesson, go to the next stop"},
        {"↑", "head previous", "Previous head"},
        {"↓", "head next", "Next head"},
        {"1…9", "head N", "Head 1 to 9"},
        {"[", "layer previous", "Previous layer"},
        {"]", "layer next", "Next layer"},
        {"Escape", "escape",
         "Close the panel, show all of a zoomed matrix, or release what is pinned"},
        {"P", "pin", "Save this result as the baseline, “before”"},
        {"V", "swap",
         "Exchange the baseline and this result; on Heads without a baseline, the first two "
         "queries"},
        {"Ctrl+Z", "undo", "Undo"},
        {"Ctrl+Y or Ctrl+Shift+Z", "redo", "Redo"},
        {"Tab", "", "Move through the right column; Enter opens or changes"},
        {"S", "scene random", "Another scene of shapes"},
        {"Q", "",
         "On Heads: add the patch under the pointer to the queries, or remove it. In a lecture: "
         "the lesson's question"},
        {"X", "", "On Heads: switch the head under the pointer off or on"},
        {"F", "show figure", "A figure of the maps of all heads"},
        {"Ctrl+K", "show palette", "Find a command or setting by name"},
        {"Ctrl+O", "show files", "Open an image, a scene, a model or tokens"},
        {"E", "show examples", "Examples of many kinds of attention"},
        {"M", "show model", "About the model"},
        {"Ctrl+E", "export png", "Save a picture of the window", KeyScope::window},
        {"Ctrl+C", "copy row",
         "Copy the selected text, or the row under the pointer as tab-separated numbers"},
        {"C", "copy cell", "Copy the number under the pointer, or the pinned one"},
        {"Ctrl+Shift+C", "copy matrix", "Copy the whole matrix"},
        {"Ctrl+A", "", "Select all text of a lesson's stop"},
        {"Ctrl+Shift+E", "export svg", "Save the window as SVG, with text as text",
         KeyScope::window},
        {"F11", "toggle lecture", "Lecture view, full screen"},
        {"F5", "set lecture true", "Lecture view; clickers send this key"},
        {"L", "toggle pointer_light",
         "In lecture view: the pointer as a spotlight, until Esc or a click", KeyScope::lecture},
        {"D", "toggle pointer_dot", "In lecture view: the pointer as a red dot, until Esc",
         KeyScope::lecture},
        {"W", "toggle pen", "In lecture view: a pen to write with, until Esc", KeyScope::lecture},
        {"I", "toggle improvise", "In lecture view: controls to experiment with",
         KeyScope::lecture},
        {". or B", "show blank", "In lecture view: a black screen, until the next key or a click",
         KeyScope::lecture},
        {"R", "", "In a lesson: reset the stop"},
        {"N", "toggle notes", "A lesson's notes for the speaker"},
        {"Ctrl+N", "presenter", "The presenter's window: notes, next stop and clock"},
        {"T", "toggle theme", "Light or dark"},
        {"Ctrl++", "zoom in", "Larger", KeyScope::window},
        {"Ctrl+−", "zoom out", "Smaller", KeyScope::window},
        {"Ctrl+0", "zoom reset", "Normal size", KeyScope::window},
        {"? or F1", "show help", "Help"},
        {"Ctrl+Q", "quit", "Quit", KeyScope::window},
    };
    add_screens(keys);
    return keys;
}

std::vector<KeyBinding> look_bindings() {
    return {
        {"← → ↑ ↓", "", "Make a neighboring patch the query"},
        {"Enter", "", "Open the chosen head in Walk; Escape comes back"},
        {"Escape", "", "Release the pinned patch"},
        {"Tab", "", "Move through the buttons; Enter clicks"},
    };
}

std::vector<KeyBinding> heads_bindings() {
    return {
        {"← →", "", "Previous head, next head"},
        {"↑ ↓", "", "Previous layer, next layer"},
        {"Enter", "", "Open the chosen head in Walk; Escape comes back"},
        {"X", "", "Switch the head under the pointer, or the chosen one, off or on"},
        {"Q", "", "Add the patch under the pointer to the queries, or remove it"},
        {"+ −", "", "Larger or smaller maps, as with Ctrl and the wheel"},
        {"PageUp PageDown", "", "Previous image, next image of the folder"},
        {"Escape", "", "Show all maps again, or release what is pinned"},
        {"Tab", "", "Move through the choices above the maps; Enter opens or changes"},
    };
}

// Keys of all_keys() that Heads overrides or disables.
constexpr std::array<std::string_view, 13> kTakenByHeads{
    "←", "→", "↑", "↓", "Home", "End", "PageUp", "PageDown", "Space", "Escape", "Tab", "Q", "X"};

constexpr std::array<std::string_view, 10> kTakenByLook{
    "←", "→", "↑", "↓", "Home", "End", "PageUp", "PageDown", "Space", "Tab"};

// Symbols printed on keys, and the names by which scripts may call them.
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

// Null if the table has no such key.
const KeyBinding* binding_of(std::string_view key) {
    const std::string sign = printed_key(key);
    const auto keys = all_keys();
    const auto found = std::ranges::find_if(
        keys, [&](const KeyBinding& binding) { return lists(binding.keys, sign); });
    return found == keys.end() ? nullptr : &*found;
}

}  // namespace

std::span<const KeyBinding> all_keys() {
    static const std::vector<KeyBinding> keys = bindings();
    return keys;
}

std::span<const KeyBinding> keys_of(ScreenId screen) {
    static const std::vector<KeyBinding> look = look_bindings(), heads = heads_bindings();
    if (screen == ScreenId::look) return look;
    return screen == ScreenId::heads ? std::span<const KeyBinding>(heads)
                                     : std::span<const KeyBinding>();
}

bool is_taken(ScreenId screen, const KeyBinding& key) {
    const auto taken = screen == ScreenId::heads  ? std::span<const std::string_view>(kTakenByHeads)
                       : screen == ScreenId::look ? std::span<const std::string_view>(kTakenByLook)
                                                  : std::span<const std::string_view>();
    return std::ranges::find(taken, key.keys) != taken.end();
}

std::string printed_key(std::string_view key) {
    // Modifiers end at the last "+" that is not the key itself, as in "Ctrl++".
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
    const KeyBinding* binding = binding_of(key);
    if (binding == nullptr || (repeated && !repeats(binding->command))) return {};
    return binding->command;
}

KeyScope scope_of_key(std::string_view key) {
    const KeyBinding* binding = binding_of(key);
    return binding == nullptr ? KeyScope::screen : binding->scope;
}

}  // namespace headlight
