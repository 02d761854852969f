#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ui/controls.h"

namespace headlight::screens {

struct Frame;

// What can be done by hand with the thing that the picture shows, for draw_picture and for the
// panel that the picture stands in. A screen that shows the picture need not know what that is.
struct PictureTools {
    // Takes the mouse on the picture, and draws what is held there. True where a click was the end
    // of a drag, so that it means nothing else. The name tells several pictures apart.
    bool (*take_mouse)(Frame& frame, const std::string& name, const ui::Rect& picture,
                       const ui::Interaction& mouse);
    // One line: what to do with the picture. "": there is nothing that can be done.
    std::string (*invitation)(const Frame& frame);
    // Something is being moved: words under the pointer would only hide it.
    bool (*is_moving)(const Frame& frame);
    // The shape of the scene that covers most of each patch, or -1. Null: the picture is no scene,
    // or its patches are not those of the layer that is looked at.
    const std::vector<std::int16_t>* (*shapes_of_patches)(Frame& frame);
    // Lines for the pointer on that patch.
    std::vector<std::string> (*hints)(Frame& frame, const ui::Rect& picture, int patch);
    // Over the picture and all that lies on it.
    void (*draw_over)(Frame& frame, const ui::Rect& picture);

    // Below the picture: a row of buttons, where there are any, and a line of words.
    bool (*has_buttons)(const Frame& frame);
    void (*buttons)(Frame& frame, const ui::Rect& row);
    float (*line_height)(const Frame& frame);    // 0 where there is none
    void (*line)(Frame& frame, ui::Rect& rect);  // takes what it needs from the top
};

}  // namespace headlight::screens
