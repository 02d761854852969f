#pragma once

#include "frame/shown.h"

namespace headlight::screens {

inline constexpr const char* kMainPicture = "image.patches";  // the one that is always there

// The framed image with what belongs on it.
struct PictureSpec {
    std::string name;
    std::optional<int> token{};      // outlined: the query
    std::optional<int> key_token{};  // outlined in the keys' colour
    bool grid = false;
    const Shown* overlay = nullptr;  // one value for each patch
    bool interactive = true;
    bool editable = false;  // by the frame's picture_tools
};

// Draws and, when interactive, makes the patch under the pointer the focus and pins it on a click.
// Returns the rectangle it was drawn in.
ui::Rect draw_picture(Frame& frame, const ui::Rect& rect, const PictureSpec& spec);

}  // namespace headlight::screens
