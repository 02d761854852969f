#include <algorithm>
#include <cmath>

#include "disk/names.h"
#include "views/notice_text.h"
#include "views/panels.h"

namespace headlight::views {

namespace {

std::string waiting_text(const Workspace& work) {
    const std::string& weights = work.state().recipe.weights;
    if (work.busy())
        return weights.empty() ? "Reading the picture and computing the layer…"
                               : "Opening " + model_name(weights) + " and computing its layers…";
    return work.notice().text.empty() ? "There is no picture yet." : work.notice().text;
}

}  // namespace

void notice_bar(Scene& scene, ui::Rect& rect) {
    const Notice& notice = scene.work.notice();
    if (notice.text.empty()) return;
    scene.ui.report("notice", notice.text);
    const NoticeText text = notice_text(notice.text);
    const float widest = scene.px(text.code.empty() ? 720 : 860) * scene.ui.text_scale();
    const float width = std::min(rect.w - scene.px(40), widest);
    const float close = scene.line() + scene.px(8), text_width = width - scene.px(40) - close;
    const float tall = notice_height(scene.ui, text, text_width);
    const ui::Rect box{std::round(rect.center().x - width / 2), rect.y + scene.px(12),
                       std::round(width), std::round(tall + scene.px(24))};
    // Many lines of code in a low window lie over the stage, or nothing would be left of it.
    rect.cut_top(std::min(box.h + scene.px(16), rect.h * 0.45F));
    // So it is a window of its own: it takes the mouse from what is below it.
    ImGui::SetNextWindowPos(box.min());
    ImGui::SetNextWindowSize({box.w, box.h});
    ImGui::Begin("notice", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBackground |
                     ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
    ui::Canvas canvas(scene.ui);
    canvas.card(box, scene.colors().card);
    canvas.fill({box.x, box.y + scene.px(8), scene.px(4), box.h - scene.px(16)},
                notice.is_error ? scene.colors().error : scene.colors().ok, scene.px(2));
    draw_notice(scene.ui, {box.x + scene.px(20), box.y + scene.px(12), text_width, tall}, text);
    const ui::Rect corner{box.x + box.w - close - scene.px(8), box.center().y - close / 2, close,
                          close};
    if (ui::button(scene.ui, "notice.close", corner, "", ui::ButtonLook::plain, "Dismiss   Esc",
                   ui::Icon::close))
        scene.say("dismiss");
    ImGui::End();
    scene.ui.name("notice", {box, {0, 0, 0, 0}});
}

void waiting_room(ui::Context& ui, const Workspace& work, std::vector<Command>& out,
                  const ui::Rect& window) {
    ui::Canvas canvas(ui);
    const ui::Palette& colors = ui.colors();
    const bool failed = !work.busy();
    const std::string said = waiting_text(work);
    const NoticeText text = notice_text(said);
    const float width = std::min(window.w - ui.px(80), ui.px(760) * ui.text_scale());
    const float tall = notice_height(ui, text, width);
    ui::Rect rest{window.center().x - width / 2,
                  std::max(ui.px(24), window.center().y - ui.px(90) - tall / 2), width, 1e6F};
    canvas.label(rest.cut_top(ui.line(ui::Size::large)), "Headlight",
                 {.face = ui::Face::bold, .size = ui::Size::large, .align = ui::Align::center});
    rest.cut_top(ui.px(12));
    if (failed) ui.report("notice", work.notice().text);
    const ui::TextStyle line{.size = ui::Size::small,
                             .color = failed ? colors.error : colors.dim,
                             .align = ui::Align::center};
    if (text.code.empty() && canvas.measure(said, line) <= width)
        canvas.label(rest.cut_top(tall), said, line);
    else
        draw_notice(ui, rest.cut_top(tall), text);
    rest.cut_top(ui.px(16));
    if (failed) {
        const float wide = ui::button_width(ui, "Open another image", ui::Icon::folder);
        const ui::Rect place{window.center().x - wide / 2, rest.y, wide,
                             ui.line(ui::Size::small) + ui.px(14)};
        if (ui::button(ui, "waiting.open", place, "Open another image", ui::ButtonLook::outlined,
                       "Ctrl+O", ui::Icon::folder))
            out.push_back(command("show", "files"));
    } else if (work.show_progress()) {
        const ui::Rect bar{window.center().x - ui.px(120), rest.y, ui.px(240), ui.px(4)};
        canvas.fill(bar, colors.border, ui.px(2));
        canvas.fill({bar.x, bar.y, bar.w * work.progress(), bar.h}, colors.accent, ui.px(2));
        const float wide = ui::button_width(ui, "Cancel");
        const ui::Rect place{window.center().x - wide / 2, bar.y + ui.px(20), wide,
                             ui.line(ui::Size::small) + ui.px(14)};
        if (ui::button(ui, "waiting.cancel", place, "Cancel")) out.push_back(command("cancel"));
    }
}

}  // namespace headlight::views
