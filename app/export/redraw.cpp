#include "export/redraw.h"

#include <cmath>

#include "export/page.h"
#include "platform/fonts.h"
#include "platform/gui.h"
#include "ui/enlarged.h"

namespace headlight::app {
namespace {

// Characters that are new to the fonts appear from the second pass on.
constexpr int kMostDraws = 3;

}  // namespace

Picture redrawn(const ui::Recording& recording, const ui::Rect& area, const ui::Context& ui,
                float scale) {
    Gui gui;
    const Gui::Turn turn(gui);
    ui::Context again(font_paths());
    const ImVec2 size{std::round(area.w * scale), std::round(area.h * scale)};
    for (int times = 0; times < kMostDraws; ++times) {
        if (again.begin(ui.colors(), ui.px(1) * scale, ui.text_scale(), ui.fonts().sentence()))
            gui.fonts_changed();
        gui.begin_frame({static_cast<int>(size.x), static_cast<int>(size.y)}, 1);
        again.start_frame();
        on_page(size, [&] { ui::draw_enlarged(again, recording, area, scale); });
        gui.end_frame();
        if (!again.frame_asked()) break;
    }
    gui.render(again);
    Picture picture = gui.read();
    again.end();
    return picture;
}

}  // namespace headlight::app
