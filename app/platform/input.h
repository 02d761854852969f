#pragma once

#include <deque>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "ui/compat.h"

namespace headlight::app {

// User input, from GLFW or from a script; the rest of the program treats both alike. Positions are
// in pixels of the picture, from the top left.
struct PointerMoved {
    float x = 0, y = 0;
};
struct PointerLeft {};
// A finger is there; it has pressed nothing yet.
struct Touched {
    float x = 0, y = 0;
};
// That finger has moved. When a movement begins, it scrolls the area under it if there is one, or
// else drags with the left button, unless it may only scroll.
struct Dragged {
    enum class Begins { no, anything, scrolling };
    float x = 0, y = 0;
    Begins begins = Begins::no;
};
struct Lifted {};  // ends it
struct ButtonChanged {
    int button = 0;  // 0 left, 1 right, 2 middle
    bool down = false;
};
struct Wheel {
    float x = 0, y = 0;
};
struct EditKey {  // a key that text fields handle
    ImGuiKey key;
    bool down = false;
};
struct Modifiers {
    bool ctrl = false, shift = false;
};
struct Typed {
    unsigned character = 0;
};
// A key by its name in state/keys.h. It precedes the EditKey of the same key, so that both go to
// the same keyboard owner.
struct Pressed {
    std::string key;
    bool repeated = false;
};
using Event = std::variant<PointerMoved, PointerLeft, Touched, Dragged, Lifted, ButtonChanged,
                           Wheel, EditKey, Modifiers, Typed, Pressed>;
bool is_of_keyboard(const Event& event);

class Input;
// Adds a key press and release by its name in state/keys.h: "Ctrl+Z", "Left".
void add_key(Input& input, const std::string& name);

// Queues events for frames. A frame takes only what it can process: a button changes at the end of
// a frame, after one in which the pointer was there. So no click is too fast, and a widget is
// hovered before it is pressed.
class Input {
  public:
    void add(Event event) { events_.push_back(std::move(event)); }
    [[nodiscard]] bool waiting() const { return !events_.empty(); }
    // Whether the pointer is a finger.
    [[nodiscard]] bool by_touch() const { return by_touch_; }

    // Passes the events of the next frame to ImGui. Before each event, `takes` is asked; it gets
    // keys by their names. An event that it refuses waits for a later frame, together with all
    // later events.
    void feed(const std::function<bool(const Event&)>& takes);

  private:
    void tell(const Event& event);
    void touch(const Touched& at);
    void drag(const Dragged& to);
    void lift();

    std::deque<Event> events_;
    bool by_touch_ = false;
    ImVec2 finger_{0, 0};   // of the last frame
    ImGuiID scrolled_ = 0;  // the area that the finger scrolls; 0: none
    bool presses_ = false;  // the finger drags with the button
};

}  // namespace headlight::app
