#include "window/widget_name.h"

namespace headlight::screens {

void widget_name(Frame& frame) {
    const auto name = frame.ui.name_at(ImGui::GetIO().MousePos);
    if (!name) return;
    frame.ui.report("widget.name", *name);
    frame.ui.tooltip(*name);
    if (const auto place = frame.ui.area(*name))
        ui::Canvas(frame.ui, ui::Canvas::Over::everything)
            .outline(*place, frame.colors().accent, frame.px(1));
}

}  // namespace headlight::screens
