#include "walk/signal_plot.h"
#include "walk/stages.h"

namespace headlight::screens {

void stage_signal(Frame& frame, const ui::Rect& rect) {
    ui::Layout rest(frame.ui, rect);
    rest.skip_bottom(4);
    signal_plot(frame, rest, "stage.result");
}

// The signal above, its windows below; the focused window is a row.
void stage_windows(Frame& frame, const ui::Rect& rect) {
    ui::Layout rest(frame.ui, rect);
    // In lecture view the matrix takes most space.
    const float share = frame.state.look.lecture ? 0.25F : 0.4F;
    signal_plot(frame, rest.top(rest.h * share), "stage.signal");
    rest.row(16);
    rest.bottom(room_below(frame));
    rest.left(frame.line() + frame.px(4));
    const Tensor windows = frame.node().result();
    const float aspect = static_cast<float>(frame.trace.cols(windows)) /
                         static_cast<float>(std::max<Index>(frame.trace.rows(windows), 1));
    const ui::Rect place = rest.fit(std::max(aspect, 1.6F));
    Matrix2D m = linked_matrix(frame, windows, "stage.result");
    m.bar_below = true;
    draw_linked(frame, place, m);
}

}  // namespace headlight::screens
