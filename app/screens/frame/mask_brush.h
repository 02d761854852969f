#pragma once

#include "frame/frame.h"
#include "ui/heatmap_view.h"

// A mask painted with the mouse: cells of matrices of queries by keys, and patches that nobody may
// read. Says mask-cells and mask-keys; a drag from press to release is one change.
namespace headlight::screens {

// What the hand is doing; the switch in the right column puts it on and off.
struct MaskBrush {
    bool on = false;
    bool held = false;     // since the button went down on something that can be painted
    bool blocks = true;    // else it frees: decided by the first cell
    int row = 0, col = 0;  // of the last cell; of patches the token, and 0
};

// On, and what is shown can be painted: the present result of a layer that has a mask.
bool paints(Frame& frame);

// Takes the mouse on a matrix of queries by keys, whose visible cells are the window's. True when
// it is spent: then nothing else is to be made of it.
bool paint_cells(Frame& frame, const ui::Rect& rect, const gl::CellWindow& window,
                 const ui::HeatmapHit& hit);
// The same on the picture: `token` stands for the patch under the pointer.
bool paint_patch(Frame& frame, int token);

// Whether the rules of the present result hide the token from everybody.
bool is_hidden(const Frame& frame, int token);

}  // namespace headlight::screens
