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
    float opacity = 0.5F;            // of the overlay; small pictures need more to be read
    bool interactive = true;
    bool editable = false;  // by the frame's picture_tools
};

// Where a map of one value for each patch lies on the framed image. Of a padded or cropped grid
// only what lies on the image is drawn.
struct MapPlace {
    ui::Rect covered;      // of the image, in its pixels
    gl::CellWindow cells;  // of the map: what lies there
};
MapPlace map_place(const PatchGrid& grid);

// Draws and, when interactive, makes the patch under the pointer the focus and pins it on a click.
// Returns the rectangle it was drawn in.
ui::Rect draw_picture(Frame& frame, const ui::Rect& rect, const PictureSpec& spec);

}  // namespace headlight::screens
