#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ui/canvas.h"

// Headlight's own widgets. Each takes its rectangle and its name, which is its identity and how
// scripts and tests find it.
namespace headlight::ui {

struct Interaction {
    bool hovered = false, held = false, clicked = false, double_clicked = false, released = false;
};
// An invisible button, through which all our widgets receive the mouse. If the Tab key visits
// widgets (Context::begin_stops), Enter clicks it.
enum class Stop { yes, no };
Interaction interact(Context& ui, const std::string& name, const Rect& rect, Stop stop = Stop::yes);

// A child window of exactly this size, even 0; ImGui would treat 0 as "all available space".
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

// disabled: drawn faint and ignores clicks, but its tooltip still gives the reason. marked: in the
// accent color, to attract attention.
enum class ButtonLook { plain, outlined, filled, chip, disabled, marked };
bool button(Context& ui, const std::string& name, const Rect& rect, std::string_view label,
            ButtonLook look = ButtonLook::outlined, const std::string& tip = {},
            Icon symbol = Icon::none);
// The preferred width of such a button, in pixels.
float button_width(Context& ui, std::string_view label, Icon symbol = Icon::none);

// True when the switch was toggled.
bool toggle(Context& ui, const std::string& name, const Rect& rect, bool on);

// A row of buttons of which one is on. Returns the index of the clicked one, or -1.
int segmented(Context& ui, const std::string& name, const Rect& rect,
              const std::vector<std::string_view>& labels, int selected);

struct Slid {
    bool changed = false, released = false;
};
// Drags `value` between low and high. On a logarithmic slider, equal distances are equal factors.
Slid slider(Context& ui, const std::string& name, const Rect& rect, double& value, double low,
            double high, bool logarithmic);

// A drop-down list, also operated by arrows, Enter and Escape. Returns the index of the chosen
// option, or -1. An option shows its words if it has any, otherwise its name.
int choice(Context& ui, const std::string& name, const Rect& rect,
           const std::vector<std::string_view>& options, int selected,
           const std::vector<std::string>& words = {});

// A button that opens such a list.
int menu_button(Context& ui, const std::string& name, const Rect& rect, std::string_view label,
                const std::vector<std::string_view>& options, const std::string& tip = {},
                const std::vector<std::string>& words = {}, ButtonLook look = ButtonLook::outlined);

// A field for a number or a word. True when the entered `text` should be applied.
bool number_field(Context& ui, const std::string& name, const Rect& rect, std::string& text);

// The handle between two columns; `delta` is the drag in this frame, in pixels.
Slid splitter(Context& ui, const std::string& name, const Rect& rect, float& delta);

}  // namespace headlight::ui
