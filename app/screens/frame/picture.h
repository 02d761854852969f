#pragma once

#include <functional>
#include <span>

#include "frame/shown.h"
#include "patches/region.h"
#include "ui/contours.h"

namespace headlight::screens {

inline constexpr const char* kMainPicture = "image.patches";  // the one that is always there

// A token outlined in its own color.
struct TokenMark {
    int token = 0;
    ImU32 color = 0;
};

// How to draw the framed image and what is drawn on it.
struct PictureSpec {
    std::string name;
    std::optional<int> token{};      // outlined: the query
    std::optional<int> key_token{};  // outlined in the color of keys
    bool grid = false;
    const Shown* overlay = nullptr;  // one value per patch
    float opacity = 0.5F;            // of the overlay; small pictures need more to be legible
    bool interactive = true;
    bool editable = false;  // by the frame's picture_tools
    // Instead of the overlay: one cell per patch, in hues that identify heads or queries.
    const ui::PhotoPicture* hues = nullptr;
    std::span<const TokenMark> marks{};
    std::function<std::string(int patch)> words{};  // tooltip of a patch, with hues
    // For the overlay: interpolates between patch centers (gl::HeatmapStyle); contour lines over
    // it, or null.
    bool smooth = false;
    const ui::Contours* contours = nullptr;
    const Region* region = nullptr;  // outlined; may be null
    bool softened = false;           // interpolates the image's pixels
    bool tips = true;                // tooltips with the overlay's value and possible actions
    bool asks = false;               // Shift+click adds a query patch
    // The grid of another layer than the selected one; `token`, `key_token`, `marks`, `overlay`,
    // `hues` and `words` then refer to its patches. Hovering gives the selected layer's token at
    // that position.
    const PatchGrid* patches = nullptr;
};

// Where a map with one value per patch is on the framed image. For a padded or cropped grid, only
// the part on the image is drawn.
struct MapPlace {
    ui::Rect covered;      // of the image, in its pixels
    gl::CellWindow cells;  // of the map: the cells in that area
};
MapPlace map_place(const PatchGrid& grid);

float aspect_of(const Image& image);  // width / height

// How transparent pixels of the file were handled: "transparency dropped"; "" if it has none.
std::string transparency_of(const Trace& trace);

// The patch under a point of the picture in that rectangle, in the selected layer's grid or the
// given one; empty if there is none.
std::optional<int> patch_at(const Frame& frame, const ui::Rect& picture, ImVec2 point);
std::optional<int> patch_at(const Frame& frame, const PatchGrid& grid, const ui::Rect& picture,
                            ImVec2 point);

// Draws the picture. If interactive, the patch under the pointer gets the focus and a click pins
// it. Returns the rectangle of the picture.
ui::Rect draw_picture(Frame& frame, const ui::Rect& rect, const PictureSpec& spec);

}  // namespace headlight::screens
