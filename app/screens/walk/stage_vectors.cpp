#include "walk/plane.h"
#include "walk/stages.h"

namespace headlight::screens {

// The plane at large; of the layer's output too, where that is a mixture of the vectors.
void stage_vectors(Frame& frame, const ui::Rect& rect) {
    ui::Rect rest = rect;
    rest.cut_bottom(frame.px(8));
    const float line = frame.line(ui::Size::body) + frame.px(6);
    if (mixes_vectors(frame)) mixture_line(frame, rest.cut_top(line));
    plane(frame, rest, "stage.result");
}

}  // namespace headlight::screens
