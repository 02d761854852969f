#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ui/canvas.h"

// Widgets of our own look. Each takes its rectangle and its name; the name is its identity, and
// what scripts and tests find it by.
namespace headlight::ui {

struct Interaction {
    bool hovered = false, held = false, clicked = false, double_clicked = false, released = false;
};
// An invisible button: the only way by which our widgets take the mouse. Where the Tab key goes
// from widget to widget (Context::begin_stops), Enter clicks it.
enum class Stop { yes, no };
Interaction interact(Context& ui, const std::string& name, const Rect& rect, Stop stop = Stop::yes);

// A window inside the present one, exactly as large as said: to ImGui a size of 0 is all there is.
void begin_child(const std::string& name, const Rect& rect, ImGuiWindowFlags flags);

enum class Icon {
    none,
    play,
    pause,
    first,
    previous,
    next,
    last,
    close,
    folder,
    check,
    chevron_down,
    chevron_right,
    move,
    up,
    power,
    swap
};
void icon(Canvas& canvas, Icon what, ImVec2 center, float size, ImU32 color);

// disabled: drawn faint; a click is none, but the tip still says why. marked: in the accent's
// color, for what must not be overlooked.
enum class ButtonLook { plain, outlined, filled, chip, disabled, marked };
bool button(Context& ui, const std::string& name, const Rect& rect, std::string_view label,
            ButtonLook look = ButtonLook::outlined, const std::string& tip = {},
            Icon symbol = Icon::none);
// Width that such a button wants.
float button_width(Context& ui, std::string_view label, Icon symbol = Icon::none);

// True when the switch was thrown.
bool toggle(Context& ui, const std::string& name, const Rect& rect, bool on);

// Buttons in a row of which one is on; the index of the clicked one, or -1.
int segmented(Context& ui, const std::string& name, const Rect& rect,
              const std::vector<std::string_view>& labels, int selected);

struct Slid {
    bool changed = false, released = false;
};
// Drags `value` between low and high. A logarithmic slider gives each factor the same way.
Slid slider(Context& ui, const std::string& name, const Rect& rect, double& value, double low,
            double high, bool logarithmic);

// A drop-down list, also by arrows, Enter and Escape; the index of the chosen one, or -1. Each
// option is called by its name and shown by its words, where there are any.
int choice(Context& ui, const std::string& name, const Rect& rect,
           const std::vector<std::string_view>& options, int selected,
           const std::vector<std::string>& words = {});

// A button with such a list.
int menu_button(Context& ui, const std::string& name, const Rect& rect, std::string_view label,
                const std::vector<std::string_view>& options, const std::string& tip = {},
                const std::vector<std::string>& words = {}, ButtonLook look = ButtonLook::outlined);

// A field for a number or a word. True when what was typed is to be taken over as `text`.
bool number_field(Context& ui, const std::string& name, const Rect& rect, std::string& text);

// The handle between two columns: how far it was dragged in this frame, in pixels.
Slid splitter(Context& ui, const std::string& name, const Rect& rect, float& delta);

}  // namespace headlight::ui
