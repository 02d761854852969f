#pragma once

#include <deque>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "ui/compat.h"

namespace headlight::platform {

// What a person does. The window hears it from GLFW, a script writes it down; from here on there is
// no difference. Positions are in pixels of the picture, from the top left.
struct PointerMoved {
    float x = 0, y = 0;
};
struct PointerLeft {};
struct ButtonChanged {
    int button = 0;  // 0 left, 1 right, 2 middle
    bool down = false;
};
struct Wheel {
    float x = 0, y = 0;
};
struct EditKey {  // a key that text fields know
    ImGuiKey key;
    bool down = false;
};
struct Modifiers {
    bool ctrl = false, shift = false;
};
struct Typed {
    unsigned character = 0;
};
// A key by its name in state/keys.h. It comes before the EditKey of the same key, so that
// both go to the same owner of the keyboard.
struct Pressed {
    std::string key;
    bool repeated = false;
};
using Event = std::variant<PointerMoved, PointerLeft, ButtonChanged, Wheel, EditKey, Modifiers,
                           Typed, Pressed>;
bool is_of_keyboard(const Event& event);

class Input;
// A key goes down and up, by its name in state/keys.h: "Ctrl+Z", "Left".
void add_key(Input& input, const std::string& name);

// Keeps events until a frame takes them. A frame takes no more than it can tell apart: a button
// changes at the end of a frame, after one that has seen the pointer there. So no click is too
// quick, and what is hovered is known before it is pressed.
class Input {
  public:
    void add(Event event) { events_.push_back(std::move(event)); }
    [[nodiscard]] bool waiting() const { return !events_.empty(); }

    // Tells ImGui what belongs into the next frame. `takes` is asked for each event before ImGui
    // hears of it, and hears the keys by their names; what it does not take waits for a later
    // frame, with all that comes behind it.
    void feed(const std::function<bool(const Event&)>& takes);

  private:
    std::deque<Event> events_;
};

}  // namespace headlight::platform
