#include "walk/plane.h"
#include "walk/stages.h"

namespace headlight::screens {

// The plane, large, for the vectors; and for the layer's output if it is their weighted sum.
void stage_vectors(Frame& frame, const ui::Rect& rect) {
    ui::Rect rest = rect;
    rest.cut_bottom(frame.px(8));
    if (mixes_vectors(frame)) mixture_line(frame, rest.cut_top(mixture_height(frame, rest.w)));
    plane(frame, rest, "stage.result");
}

}  // namespace headlight::screens
