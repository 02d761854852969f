#pragma once

#include "views/shown.h"

namespace headlight::views {

// The framed image with what belongs on it.
struct PictureSpec {
    std::string name;
    std::optional<int> token{};      // outlined: the query
    std::optional<int> key_token{};  // outlined in the keys' colour
    bool grid = false;
    const Shown* overlay = nullptr;  // one value for each patch
    bool interactive = true;
    bool editable = false;  // the shapes of a scene can be moved on it
};

// Draws and, when interactive, makes the patch under the pointer the focus and pins it on a click.
// Returns the rectangle it was drawn in.
ui::Rect draw_picture(Scene& scene, const ui::Rect& rect, const PictureSpec& spec);

}  // namespace headlight::views
