#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ui/controls.h"

namespace headlight::screens {

struct Frame;

// Mouse tools for the content of the picture, used by draw_picture and its panel. The screens that
// show the picture need not know what the content is.
struct PictureTools {
    // Handles the mouse on the picture, and draws what is being dragged. True if a click ended a
    // drag and must be ignored. The name distinguishes several pictures.
    bool (*take_mouse)(Frame& frame, const std::string& name, const ui::Rect& picture,
                       const ui::Interaction& mouse);
    // A one-line hint about what to do with the picture; "" if there is nothing to do.
    std::string (*invitation)(const Frame& frame);
    // Whether something is being dragged, so that tooltips would be in the way.
    bool (*is_moving)(const Frame& frame);
    // The shape that covers most of each patch, or -1. Null if the picture is no scene, or its
    // patches are not the selected layer's.
    const std::vector<std::int16_t>* (*shapes_of_patches)(Frame& frame);
    // Tooltip lines for that patch.
    std::vector<std::string> (*hints)(Frame& frame, const ui::Rect& picture, int patch);
    // Whether the model's own answer for the focused token is drawn over it, as an arrow.
    bool (*has_arrow)(Frame& frame);
    // Draws on top of the picture and its overlay.
    void (*draw_over)(Frame& frame, const ui::Rect& picture);

    // Below the picture: an optional row of buttons, and a line of text.
    bool (*has_buttons)(const Frame& frame);
    void (*buttons)(Frame& frame, const ui::Rect& row);
    float (*line_height)(const Frame& frame);    // 0 if there is none
    void (*line)(Frame& frame, ui::Rect& rect);  // takes its space off the top
};

}  // namespace headlight::screens
