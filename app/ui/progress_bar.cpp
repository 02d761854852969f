#include "ui/progress_bar.h"

#include <algorithm>

#include "ui/canvas.h"

namespace headlight::ui {

void progress_bar(Context& ui, const Rect& rect, float part) {
    Canvas canvas(ui);
    const float round = rect.h / 2;
    canvas.fill(rect, ui.colors().border, round);
    if (part > 0)
        canvas.fill({rect.x, rect.y, rect.w * std::min(part, 1.0F), rect.h}, ui.colors().accent,
                    round);
}

}  // namespace headlight::ui
