#pragma once

#include <functional>
#include <span>

#include "frame/shown.h"
#include "patches/region.h"
#include "ui/contours.h"

namespace headlight::screens {

inline constexpr const char* kMainPicture = "image.patches";  // the one that is always there

// A token that is outlined in a color of its own.
struct TokenMark {
    int token = 0;
    ImU32 color = 0;
};

// The framed image with what belongs on it.
struct PictureSpec {
    std::string name;
    std::optional<int> token{};      // outlined: the query
    std::optional<int> key_token{};  // outlined in the keys' color
    bool grid = false;
    const Shown* overlay = nullptr;  // one value for each patch
    float opacity = 0.5F;            // of the overlay; small pictures need more to be read
    bool interactive = true;
    bool editable = false;  // by the frame's picture_tools
    // Instead of the overlay: a cell for each patch, in hues that say whose it is.
    const ui::PhotoPicture* hues = nullptr;
    std::span<const TokenMark> marks{};
    std::function<std::string(int patch)> words{};  // of the one under the pointer, on such a one
    // Of the overlay: the numbers run from one patch's middle to the next (gl::HeatmapStyle), and
    // lines of equal value lie over it; null: none.
    bool smooth = false;
    const ui::Contours* contours = nullptr;
    const Region* region = nullptr;  // outlined; null: none
    bool softened = false;  // the image is drawn smooth, not pixel by pixel
    bool tips = true;       // beside the pointer: the overlay's number, and what can be done
    bool asks = false;  // Shift and a click ask for a patch besides the others
    // Those of another layer than the one that is looked at: `token`, `key_token`, `marks`,
    // `overlay`, `hues` and `words` count them. What is hovered is the token that covers the place.
    const PatchGrid* patches = nullptr;
};

// Where a map of one value for each patch lies on the framed image. Of a padded or cropped grid
// only what lies on the image is drawn.
struct MapPlace {
    ui::Rect covered;      // of the image, in its pixels
    gl::CellWindow cells;  // of the map: what lies there
};
MapPlace map_place(const PatchGrid& grid);

float aspect_of(const Image& image);  // width by height

// What became of the file's transparent pixels: "transparency dropped"; "" where it has none.
std::string transparency_of(const Trace& trace);

// The patch that lies under a point of the picture in that rectangle; nothing: none. Of the layer
// that is looked at, or of that grid.
std::optional<int> patch_at(const Frame& frame, const ui::Rect& picture, ImVec2 point);
std::optional<int> patch_at(const Frame& frame, const PatchGrid& grid, const ui::Rect& picture,
                            ImVec2 point);

// Draws and, when interactive, makes the patch under the pointer the focus and pins it on a click.
// Returns the rectangle it was drawn in.
ui::Rect draw_picture(Frame& frame, const ui::Rect& rect, const PictureSpec& spec);

}  // namespace headlight::screens
