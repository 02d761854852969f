#pragma once

#include "frame/frame.h"
#include "ui/heatmap_view.h"

// Painting a mask with the mouse: cells of query-by-key matrices, and patches masked for all
// queries. Issues mask-cells and mask-keys; a drag is a single change.
namespace headlight::screens {

// State of the brush; a switch in the right column turns it on.
struct MaskBrush {
    bool on = false;
    bool held = false;     // the button went down on something that can be painted
    bool blocks = true;    // blocks or unblocks, as decided by the first cell
    int row = 0, col = 0;  // of the last cell; for patches the token, and 0
};

// Whether the brush is on and can paint what is shown: the current result of a layer with a mask.
bool paints(Frame& frame);

// Handles the mouse on a query-by-key matrix with the window's cells. True if the click was used;
// then ignore it elsewhere.
bool paint_cells(Frame& frame, const ui::Rect& rect, const gl::CellWindow& window,
                 const ui::HeatmapHit& hit);
// The same for the picture: `token` is the patch under the pointer.
bool paint_patch(Frame& frame, int token);

// Whether the current result masks the token as key for all queries.
bool is_hidden(const Frame& frame, int token);

}  // namespace headlight::screens
