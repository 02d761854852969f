#include <algorithm>

#include "chrome/chrome.h"
#include "disk/names.h"
#include "frame/notice_text.h"
#include "state/directory.h"
#include "ui/controls.h"
#include "ui/progress_bar.h"

namespace headlight::screens {

namespace {

std::string waiting_text(const Workspace& work) {
    const std::string& weights = work.state().recipe.weights;
    if (work.busy())
        return weights.empty() ? "Reading the picture and computing the layer…"
                               : "Opening " + model_name(weights) + " and computing its layers…";
    return work.notice().text.empty() ? "There is no picture yet." : work.notice().text;
}

}  // namespace

void loading_screen(ui::Context& ui, const Workspace& work, std::vector<Command>& out,
                    const ui::Rect& window) {
    ui::Canvas canvas(ui);
    const ui::Palette& colors = ui.colors();
    const bool failed = !work.busy();
    const std::string said = waiting_text(work);
    const NoticeText text = notice_text(said);
    const float width = std::min(window.w - ui.px(80), ui.px(760) * ui.text_scale());
    const float tall = notice_height(ui, text, width);
    ui::Layout rest(ui,
                    {window.center().x - width / 2,
                     std::max(ui.px(24), window.center().y - ui.px(90) - tall / 2), width, 1e6F});
    canvas.label(rest.row(ui::Size::large, 0, 12), "Headlight",
                 {.face = ui::Face::bold, .size = ui::Size::large, .align = ui::Align::center});
    if (failed) ui.report("notice", work.notice().text);
    const ui::TextStyle line{.size = ui::Size::small,
                             .color = failed ? colors.error : colors.dim,
                             .align = ui::Align::center};
    if (text.code.empty() && canvas.measure(said, line) <= width)
        canvas.label(rest.top(tall), said, line);
    else
        draw_notice(ui, rest.top(tall), text);
    rest.skip_top(16);
    if (failed) {
        const float wide = ui::button_width(ui, "Open another image", ui::Icon::folder);
        const ui::Rect place{window.center().x - wide / 2, rest.y, wide,
                             ui.line(ui::Size::small) + ui.px(14)};
        if (ui::button(ui, "waiting.open", place, "Open another image", ui::ButtonLook::outlined,
                       "Ctrl+O", ui::Icon::folder))
            out.push_back(command("show", "files"));
    } else if (work.show_progress()) {
        const ui::Rect bar{window.center().x - ui.px(120), rest.y, ui.px(240), ui.px(4)};
        ui::progress_bar(ui, bar, work.progress());
        const float wide = ui::button_width(ui, "Cancel");
        const ui::Rect place{window.center().x - wide / 2, bar.y + ui.px(20), wide,
                             ui.line(ui::Size::small) + ui.px(14)};
        if (ui::button(ui, "waiting.cancel", place, "Cancel")) out.push_back(command("cancel"));
    }
}

}  // namespace headlight::screens
