#include "walk/plane.h"
#include "walk/stages.h"

namespace headlight::screens {

// The plane, large, for the vectors; and for the layer's output if it is their weighted sum.
void stage_vectors(Frame& frame, const ui::Rect& rect) {
    ui::Layout rest(frame.ui, rect);
    rest.skip_bottom(8);
    if (mixes_vectors(frame)) mixture_line(frame, rest.top(mixture_height(frame, rest.w)));
    plane(frame, rest, "stage.result");
}

}  // namespace headlight::screens
