#pragma once

#include "frame/frame.h"

// Heads that the user has switched off: their A·V is set to zero.
namespace headlight::screens {

bool is_switched_off(const Trace& trace, int head);  // of the selected layer

// The switch in the corner of a head's picture; true while it is hovered. Call it before the widget
// below takes the mouse, and draw it afterwards.
struct HeadSwitch {
    std::string name;
    ui::Rect rect;
    int head = 0;
};
bool take_head_switch(Frame& frame, const HeadSwitch& that);
void draw_head_switch(Frame& frame, const HeadSwitch& that, bool lit);

// Issues the command that toggles a head of any layer.
void switch_head(Frame& frame, const HeadPlace& place);

// "1 head is off: layer 4 head 3"
std::string heads_off_in_words(const std::vector<HeadPlace>& off, const Model& model);

}  // namespace headlight::screens
